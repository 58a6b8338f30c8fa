import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { z } from 'zod';
import { releasePatch, restartPatch, statePatch } from '../../../src/restart/patches/workloadPatch.ts';
import { podFailuresOf, podsWithOldContent } from '../../../src/restart/pods/ownPods.ts';
import { podsOfOlderTemplate } from '../../../src/restart/pods/rollout.ts';
import { readWorkload, type WorkloadSummary } from '../../../src/restart/references/workloadSummary.ts';
import { eventually, KubeObject } from '../support/cluster.ts';
import { healthy } from '../support/plane/remoteKubelet.ts';
import { type RolledOut, rolledOut } from '../support/restart/rolledOut.ts';
import { untilTime } from '../support/scene.ts';

const ReplicaSets = z.looseObject({ items: z.array(KubeObject) });
const hashAnnotation = 'weeder.dev/dependencies-hash';
const stateAnnotation = 'weeder.dev/dependencies';
const causeAnnotation = 'kubernetes.io/change-cause';

/** Returns the patch of a restart with this hash. */
function restartBy(hash: string): (summary: WorkloadSummary) => object {
  return (summary) => restartPatch(summary, '{"state":1}', { hash, since: 0 }, 'ConfigMap settings');
}

const restart = restartBy('h-1');

/** Returns the hash of the template of each pod. */
async function hashesOf(scene: RolledOut): Promise<(string | undefined)[]> {
  return (await scene.pods()).map(({ metadata }) => metadata.annotations?.[hashAnnotation]);
}

async function uidsOf(scene: RolledOut): Promise<string[]> {
  return (await scene.pods()).map(({ metadata }) => metadata.uid).sort();
}

async function annotationsOf(scene: RolledOut): Promise<Record<string, string>> {
  return KubeObject.parse(await scene.ns.cluster.api('GET', scene.path)).metadata.annotations ?? {};
}

suite('restarts on a real API server with its controllers', { concurrency: 3 }, () => {
  for (const [kind, pods] of [
    ['Deployment', 3],
    ['StatefulSet', 3],
    ['DaemonSet', 2],
  ] as const) {
    test(`a restart replaces each pod of a ${kind} once, and is complete when the last old one is deleted`, async (t) => {
      const scene = await rolledOut(t, kind);
      const before = await uidsOf(scene);
      const seen = await scene.roll(restart);
      const hashes = await hashesOf(scene);
      assert.equal(seen[0]?.type, 'unobserved');
      assert.equal(seen.filter(({ type }) => type === 'complete').length, 1, JSON.stringify(seen));
      assert.ok(seen.some(({ type }) => type === 'progressing'));
      assert.deepEqual(hashes, new Array(pods).fill('h-1'));
      for (const { status } of await scene.pods())
        assert.deepEqual(
          status.containerStatuses?.map(({ ready }) => ready),
          [true],
        );
      const after = await uidsOf(scene);
      assert.deepEqual(
        after.filter((uid) => before.includes(uid)),
        [],
      );
      assert.equal((await scene.summary()).templateAnnotation, 'h-1');
      assert.equal((await annotationsOf(scene))[stateAnnotation], '{"state":1}');
      assert.deepEqual(await scene.progress(), { type: 'complete' });
      assert.deepEqual(await uidsOf(scene), after);
    });
  }

  test('pods run with old content until the rollout is complete, and with the new one from then on', async (t) => {
    const scene = await rolledOut(t, 'Deployment');
    const { cluster, path } = scene.ns;
    await cluster.api('POST', path('api/v1', 'configmaps'), { metadata: { name: 'settings' }, data: { a: '1' } });
    const { managedFields } = KubeObject.parse(
      await cluster.api('GET', path('api/v1', 'configmaps', 'settings')),
    ).metadata;
    const [{ time }] = managedFields as [{ time: string }];
    const lastWrite = Date.parse(time);
    const uses = [{ how: 'envFrom' as const, containers: ['main'] }];
    const old = async () => podsWithOldContent(await scene.ownPods(), uses, lastWrite);
    assert.equal((await old()).length, 3);
    assert.deepEqual(podsWithOldContent(await scene.ownPods(), [{ how: 'env', containers: ['other'] }], lastWrite), []);
    await untilTime(lastWrite + 2_000);
    await scene.roll(restart);
    assert.deepEqual(await old(), []);
    assert.equal((await scene.ownPods()).length, 3);
  });

  test('a restart that was decided on an old version is refused, and another client’s scaling is not reverted', async (t) => {
    const scene = await rolledOut(t, 'Deployment');
    const stale = await scene.summary();
    const scaled = await scene.patch({ spec: { replicas: 4 } }, '/scale');
    assert.equal(scaled.status, 200);
    assert.equal((await scene.patch(restart(stale))).status, 409);
    assert.equal((await scene.summary()).templateAnnotation, undefined);
    assert.equal((await scene.summary()).templateHash, stale.templateHash);
    assert.equal((await scene.apply(restart)).status, 200);
    await scene.until('complete');
    assert.equal((await scene.summary()).replicas, 4);
    assert.deepEqual(await hashesOf(scene), new Array(4).fill('h-1'));
  });

  test('writing the state starts no rollout, although a Deployment has a new generation then', async (t) => {
    for (const kind of ['Deployment', 'StatefulSet'] as const) {
      const scene = await rolledOut(t, kind);
      const [before, uids] = [await scene.summary(), await uidsOf(scene)];
      assert.equal((await scene.apply((summary) => statePatch(summary, '{"state":2}'))).status, 200);
      await scene.until('complete');
      const after = await scene.summary();
      assert.equal(after.generation - before.generation, kind === 'Deployment' ? 1 : 0);
      assert.equal(after.stateText, '{"state":2}');
      assert.equal(after.templateHash, before.templateHash);
      assert.deepEqual(await uidsOf(scene), uids);
    }
  });

  test('the history marks the revision of weeder, and not the next one of the user', async (t) => {
    const scene = await rolledOut(t, 'Deployment');
    await scene.roll(restart);
    assert.equal((await scene.apply((summary) => statePatch(summary, '{}'))).status, 200);
    await scene.roll(() => ({ spec: { template: { metadata: { annotations: { release: '2' } } } } }));
    const path = `${scene.ns.path('apis/apps/v1', 'replicasets')}?labelSelector=workload%3Dweb`;
    const { items } = ReplicaSets.parse(await scene.ns.cluster.api('GET', path));
    const causes = items
      .map(({ metadata }) => metadata.annotations ?? {})
      .sort((a, b) => Number(a['deployment.kubernetes.io/revision']) - Number(b['deployment.kubernetes.io/revision']))
      .map((each) => each[causeAnnotation]);
    assert.deepEqual(causes, [undefined, 'weeder: ConfigMap settings', undefined]);
  });

  test('a release removes the state and starts no rollout', async (t) => {
    const scene = await rolledOut(t, 'Deployment');
    await scene.roll(restart);
    const uids = await uidsOf(scene);
    assert.equal((await scene.apply(releasePatch)).status, 200);
    await scene.until('complete');
    assert.deepEqual(await uidsOf(scene), uids);
    const left = await annotationsOf(scene);
    assert.deepEqual([left[stateAnnotation], left[causeAnnotation]], [undefined, undefined]);
    assert.equal((await scene.summary()).templateAnnotation, 'h-1');
  });

  for (const kind of ['StatefulSet', 'DaemonSet'] as const) {
    test(`a ${kind} with OnDelete waits until its old pods are deleted, and names them`, async (t) => {
      const scene = await rolledOut(t, kind, { updateStrategy: { type: 'OnDelete' } });
      const names = (await scene.pods()).map(({ metadata }) => metadata.name);
      assert.equal((await scene.apply(restart)).status, 200);
      assert.deepEqual(await scene.until('waitingForDeletion'), { type: 'waitingForDeletion', pods: names });
      const [first = '', ...others] = names;
      await scene.ns.cluster.api('DELETE', scene.ns.path('api/v1', 'pods', first));
      await eventually(
        async (saw) => {
          const now = await scene.progress();
          saw(now);
          return now.type === 'waitingForDeletion' && now.pods.join() === others.join();
        },
        { what: `a rollout that waits for ${others.join()} only` },
      );
      for (const name of others) await scene.ns.cluster.api('DELETE', scene.ns.path('api/v1', 'pods', name));
      await scene.until('complete');
      assert.deepEqual(new Set(await hashesOf(scene)), new Set(['h-1']));
    });
  }

  test('by the status of the StatefulSet controller a rollout with a partition is complete with the pods from there on', async (t) => {
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } };
    const scene = await rolledOut(t, 'StatefulSet', { updateStrategy });
    await scene.roll(restart);
    assert.deepEqual(await hashesOf(scene), [undefined, undefined, 'h-1']);
    const older = podsOfOlderTemplate(await scene.summary(), await scene.ownPods());
    assert.deepEqual(
      older.map(({ name }) => name),
      ['web-0', 'web-1'],
    );
  });

  test('a paused Deployment rolls out nothing until it is resumed', async (t) => {
    const scene = await rolledOut(t, 'Deployment', { paused: false });
    assert.equal((await scene.patch({ spec: { paused: true } })).status, 200);
    await scene.until('complete');
    assert.ok((await scene.summary()).isPaused);
    const uids = await uidsOf(scene);
    assert.equal((await scene.apply(restart)).status, 200);
    await scene.until('paused');
    assert.deepEqual(await uidsOf(scene), uids);
    await scene.roll(() => ({ spec: { paused: false } }));
    assert.deepEqual(await hashesOf(scene), ['h-1', 'h-1', 'h-1']);
  });

  test('a rollout with crashing pods is never complete, its reason is reported, and a further restart may fix it', async (t) => {
    const needs = (hash: string | undefined) => (hash === 'h-1' ? 'missing' : undefined);
    const scene = await rolledOut(
      t,
      'StatefulSet',
      { podManagementPolicy: 'Parallel' },
      {
        program: ({ metadata }) => ({ ...healthy, needs: needs(metadata.annotations?.[hashAnnotation]) }),
      },
    );
    assert.equal(podFailuresOf(await scene.summary(), await scene.ownPods()), undefined);
    assert.equal((await scene.apply(restart)).status, 200);
    const reason = await eventually(async () => podFailuresOf(await scene.summary(), await scene.ownPods()), {
      what: 'a pod that cannot start',
    });
    assert.match(reason, /^pod web-2, container main: /);
    // The controller writes its status after it has created the pod.
    const progress = await eventually(
      async (saw) => {
        const now = await scene.progress();
        saw(now);
        return now.type === 'progressing' && now.done === 1 && now;
      },
      { what: 'the new pod in the status' },
    );
    assert.partialDeepStrictEqual(progress, { type: 'progressing', done: 1, of: 3, old: 2 });
    await scene.roll(restartBy('h-2'));
    assert.deepEqual(await hashesOf(scene), ['h-2', 'h-2', 'h-2']);
    assert.equal(podFailuresOf(await scene.summary(), await scene.ownPods()), undefined);
  });

  test('with no replicas, a restart is complete as soon as it is observed', async (t) => {
    const scene = await rolledOut(t, 'Deployment', { replicas: 0 });
    const seen = await scene.roll(restart);
    assert.deepEqual([seen.at(0)?.type, seen.at(-1)?.type], ['unobserved', 'complete']);
    assert.deepEqual(await scene.pods(), []);
  });

  test('a CronJob gets the change for its next run, and nothing runs at once', async (t) => {
    const scene = await rolledOut(t, 'CronJob');
    const before = await scene.summary();
    const { status, body } = await scene.patch(restart(before));
    assert.equal(status, 200);
    assert.partialDeepStrictEqual(body, {
      spec: { jobTemplate: { spec: { template: { metadata: { annotations: { [hashAnnotation]: 'h-1' } } } } } },
    });
    const after = readWorkload(body, 'CronJob');
    assert.deepEqual([after?.templateAnnotation, after?.templateHash], ['h-1', before.templateHash]);
    assert.equal((await scene.patch(restartBy('h-2')(before))).status, 409);
    assert.deepEqual(await scene.pods(), []);
  });

  test('the template of a Job is immutable, and its state can be written', async (t) => {
    const scene = await rolledOut(t, 'Job');
    assert.equal((await scene.apply(restart)).status, 422);
    assert.equal((await scene.apply((summary) => statePatch(summary, '{}'))).status, 200);
    const { stateText, templateAnnotation } = await scene.summary();
    assert.deepEqual([stateText, templateAnnotation], ['{}', undefined]);
  });
});
