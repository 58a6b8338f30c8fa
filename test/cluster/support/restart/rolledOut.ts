import assert from 'node:assert/strict';
import type { WorkloadKind } from '@weeder/kube-runtime/objects';
import { ownPods } from '../../../../src/restart/pods/ownPods.ts';
import { readPod } from '../../../../src/restart/pods/podSummary.ts';
import { type RolloutProgress, rolloutOf } from '../../../../src/restart/pods/rollout.ts';
import type { WorkloadSummary } from '../../../../src/restart/references/workloadSummary.ts';
import type { Cleanup } from '../cleanup.ts';
import { eventually } from '../eventually.ts';
import type { PodBehaviour } from '../plane/remoteKubelet.ts';
import { changesAfter } from '../plane/watching.ts';
import { setRestartScene } from './restartScene.ts';
import { makeNodes } from './workloadOptions.ts';
import { summaryOf } from './workloadVersion.ts';

/** The workload `web` on a real API server, with a simulated kubelet for its pods. */
export type RolledOut = Awaited<ReturnType<typeof rolledOut>>;

type Decide = (summary: WorkloadSummary) => object;

/** Creates the workload with three pods (a DaemonSet with two) unless `spec` differs, and waits until they run. */
export async function rolledOut(t: Cleanup, kind: WorkloadKind, spec: object = {}, behaviour: PodBehaviour = {}) {
  const restartScene = await setRestartScene(t, kind.toLowerCase(), behaviour);
  const { ns } = restartScene;
  const { cluster } = ns;
  const path = restartScene.pathOf(kind, 'web');
  const size = kind === 'Deployment' || kind === 'StatefulSet' ? { replicas: 3 } : {};
  if (kind === 'DaemonSet') await makeNodes(ns);
  await restartScene.make(kind, 'web', { uses: {}, spec: { ...size, ...spec } });

  const summary = () => restartScene.summary(kind, 'web');
  const pods = () => restartScene.pods('web');
  const own = async (of: WorkloadSummary) =>
    ownPods(
      of,
      (await pods()).flatMap((pod) => readPod(pod) ?? []),
    );
  const patch = (body: object, subresource = '') => cluster.send('PATCH', `${path}${subresource}`, { body });
  const apply = (decide: Decide) =>
    eventually(
      async (saw) => {
        const answer = await patch(decide(await summary()));
        saw(answer);
        return answer.status !== 409 && answer;
      },
      { what: 'a patch without a conflict' },
    );
  const progress = async () => {
    const now = await summary();
    return rolloutOf(now, await own(now));
  };
  const scene = {
    ns,
    path,
    summary,
    /** Returns its pods. */
    pods,
    ownPods: async () => own(await summary()),
    /** Sends a JSON merge patch, and returns the answer with any status. */
    patch,
    progress,
    until: (is: RolloutProgress['type']) =>
      eventually(
        async (saw) => {
          const now = await progress();
          saw(now);
          return now.type === is && now;
        },
        { what: `a rollout that is ${is}` },
      ),
    /** Sends a patch that depends on the current object. Retries it on a conflict. */
    apply,
    /** Applies a patch, and returns the progress of each version of the workload until the rollout is complete. */
    async roll(decide: Decide) {
      const answer = await apply(decide);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const patched = summaryOf(answer.body, kind);
      const seen = [rolloutOf(patched)];
      const itself = `${restartScene.pathOf(kind)}?fieldSelector=metadata.name%3Dweb`;
      const changes = changesAfter(cluster, itself, patched.resourceVersion, AbortSignal.timeout(180_000));
      for await (const { object } of changes) {
        const now = rolloutOf(summaryOf(object, kind));
        seen.push(now);
        if (now.type === 'complete') break;
      }
      return seen;
    },
  };
  if (kind !== 'CronJob') await scene.until('complete');
  return scene;
}
