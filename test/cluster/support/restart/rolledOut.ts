import assert from 'node:assert/strict';
import type { KubeObject, Program } from '@weeder/embedded-cluster';
import { type WorkloadKind, workloadKinds } from '@weeder/kube-runtime/objects';
import { ownPods } from '../../../../src/restart/pods/ownPods.ts';
import { type PodSummary, readPod } from '../../../../src/restart/pods/podSummary.ts';
import { type RolloutProgress, rolloutOf } from '../../../../src/restart/pods/rollout.ts';
import { readWorkload, type WorkloadSummary } from '../../../../src/restart/references/workloadSummary.ts';
import { eventually } from '../eventually.ts';
import { type TestNamespace, testNamespace } from '../namespace.ts';
import type { Pod } from '../objects.ts';
import type { Answer } from '../plane/http.ts';
import { startRemoteKubelet } from '../plane/remoteKubelet.ts';
import { changesAfter } from '../plane/watching.ts';
import { podTemplate } from './podTemplate.ts';
import { podsOf } from './workloads.ts';

/** The workload `web` on a real API server, with a simulated kubelet for its pods. */
export interface RolledOut {
  readonly ns: TestNamespace;
  readonly path: string;
  summary(): Promise<WorkloadSummary>;
  /** Returns its pods. */
  pods(): Promise<Pod[]>;
  ownPods(): Promise<PodSummary[]>;
  /** Sends a JSON merge patch, and returns the answer with any status. */
  patch(patch: object, subresource?: string): Promise<Answer>;
  /** Sends a patch that depends on the current object. Retries it on a conflict. */
  apply(decide: Decide): Promise<Answer>;
  progress(): Promise<RolloutProgress>;
  until(is: RolloutProgress['type']): Promise<RolloutProgress>;
  /** Applies a patch, and returns the progress of each version of the workload until the rollout is complete. */
  roll(decide: Decide): Promise<RolloutProgress[]>;
}

type Decide = (summary: WorkloadSummary) => object;

const labels = { app: 'web' };
export const healthy: Program = { needs: undefined, readyAfter: 200, givesUpAfter: 0, survives: 0, isHealthy: true };
const mergePatch = 'application/merge-patch+json';

/** Creates the workload with three pods (a DaemonSet with two) unless `spec` differs, and waits until they run. */
export async function rolledOut(
  t: Parameters<typeof testNamespace>[0],
  kind: WorkloadKind,
  spec: object = {},
  program: (pod: KubeObject) => Program = () => healthy,
): Promise<RolledOut> {
  const ns = await testNamespace(t, kind.toLowerCase());
  const { cluster, name: namespace } = ns;
  await startRemoteKubelet(t, { cluster, namespace, program });
  const { group, plural } = workloadKinds[kind];
  const path = ns.path(`apis/${group}/v1`, plural);
  const workload = await objectOfKind(ns, kind, spec);
  await cluster.api('POST', path, { metadata: { name: 'web', labels }, spec: workload });

  const read = (object: unknown): WorkloadSummary => {
    const summary = readWorkload(object, kind);
    assert(summary, JSON.stringify(object));
    return summary;
  };
  const summary = async () => read(await cluster.api('GET', `${path}/web`));
  const pods = () => podsOf(ns, { workload: 'web' });
  const own = async (of: WorkloadSummary) =>
    ownPods(
      of,
      (await pods()).flatMap((pod) => readPod(pod) ?? []),
    );
  const patch = (body: object, subresource = '') =>
    cluster.send('PATCH', `${path}/web${subresource}`, { body, contentType: mergePatch });
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
  const scene: RolledOut = {
    ns,
    path: `${path}/web`,
    summary,
    pods,
    ownPods: async () => own(await summary()),
    patch,
    progress,
    until: (is) =>
      eventually(
        async (saw) => {
          const now = await progress();
          saw(now);
          return now.type === is && now;
        },
        { what: `a rollout that is ${is}` },
      ),
    apply,
    async roll(decide) {
      const answer = await apply(decide);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const patched = read(answer.body);
      const seen = [rolloutOf(patched)];
      const itself = `${path}?fieldSelector=metadata.name%3Dweb`;
      const changes = changesAfter(cluster, itself, patched.resourceVersion, AbortSignal.timeout(180_000));
      for await (const { object } of changes) {
        const now = rolloutOf(read(object));
        seen.push(now);
        if (now.type === 'complete') break;
      }
      return seen;
    },
  };
  // A DaemonSet without pods is complete until its controller has observed the nodes.
  if (kind === 'DaemonSet') await podsOf(ns, { workload: 'web' }, 2);
  if (kind !== 'CronJob') await scene.until('complete');
  return scene;
}

async function objectOfKind(ns: TestNamespace, kind: WorkloadKind, spec: object): Promise<object> {
  const template = podTemplate(
    { labels, restartPolicy: kind === 'Job' || kind === 'CronJob' ? 'Never' : 'Always' },
    'web',
  );
  const selector = { matchLabels: { ...labels, workload: 'web' } };
  switch (kind) {
    case 'Deployment':
    case 'StatefulSet':
      return { replicas: 3, selector, template, ...spec };
    case 'DaemonSet': {
      const nodeSelector = { 'weeder.dev/test': ns.name };
      for (const name of [`${ns.name}-a`, `${ns.name}-b`])
        await ns.cluster.api('POST', '/api/v1/nodes', { metadata: { name, labels: nodeSelector } });
      // The nodes are not ready, because no kubelet reports their status.
      const placed = { ...template.spec, nodeSelector, tolerations: [{ operator: 'Exists' }] };
      return { selector, template: { ...template, spec: placed }, ...spec };
    }
    case 'Job':
      return { template, ...spec };
    case 'CronJob':
      return { schedule: '0 0 1 1 *', jobTemplate: { spec: { template } }, ...spec };
  }
}
