import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { eventually } from '../support/cluster.ts';
import { gate, startRequestProxy } from '../support/plane/requestProxy.ts';
import { watchCollection } from '../support/plane/watching.ts';
import { type RestartScene, setRestartScene, suiteRestartScene } from '../support/restart/restartScene.ts';
import { makeNodes } from '../support/restart/workloadOptions.ts';

const replace = { immutableRecreated: 'replace' };
const emptied = 'weeder.dev/emptied';
const kinds = ['Deployment', 'StatefulSet', 'DaemonSet'] as const;
type Kind = (typeof kinds)[number];

/** Creates or recreates an immutable ConfigMap. */
async function putImmutable({ ns }: RestartScene, name: string, word: string): Promise<void> {
  const path = ns.path('api/v1', 'configmaps');
  await ns.cluster.send('DELETE', `${path}/${name}`);
  await ns.cluster.api('POST', path, { metadata: { name }, immutable: true, data: { word } });
}

async function adopt(scene: RestartScene, kind: Kind, name: string): Promise<readonly string[]> {
  await putImmutable(scene, name, 'one');
  await scene.make(kind, name);
  await scene.untilAdopted(kind, name);
  return (await scene.pods(name)).map(({ metadata }) => metadata.uid);
}

/** Asserts that the workload has its number of pods, that all are new, and that the state records it. */
async function untilReplaced(scene: RestartScene, kind: Kind, name: string, before: readonly string[]): Promise<void> {
  await eventually(
    async (saw) => {
      const [summary, state, pods] = [
        await scene.summary(kind, name),
        await scene.state(kind, name),
        await scene.pods(name),
      ];
      const uids = pods.map(({ metadata }) => metadata.uid);
      saw([summary.emptied, state?.target, uids]);
      const isNew = uids.length === before.length && uids.every((uid) => !before.includes(uid));
      return isNew && summary.emptied === undefined && state !== undefined && state.target === undefined;
    },
    { what: `${name} with new pods, recorded` },
  );
}

/** Asserts by a separate watch that every earlier pod was deleted before the first new one was created. */
async function watchPods({ ns }: RestartScene, name: string) {
  const stop = new AbortController();
  const path = `${ns.path('api/v1', 'pods')}?labelSelector=workload%3D${name}`;
  const { objects, changes } = await watchCollection(ns.cluster, path, stop.signal);
  const there = new Set(objects.map(({ metadata }) => metadata.uid));
  let max = there.size;
  let hasBeenEmpty = false;
  const over = (async () => {
    for await (const { type, object } of changes) {
      const { uid } = object.metadata;
      if (type === 'DELETED') there.delete(uid);
      else there.add(uid);
      max = Math.max(max, there.size);
      if (there.size === 0) hasBeenEmpty = true;
    }
  })();
  return {
    /** Ends the watch when it has received the pods that exist now. */
    async end() {
      const { objects: now } = await watchCollection(ns.cluster, path, stop.signal);
      await eventually(() => now.every(({ metadata }) => there.has(metadata.uid)), { what: 'the pods on the watch' });
      stop.abort();
      await over;
      return { max, hasBeenEmpty };
    },
  };
}

suite('an immutable source that was recreated, with immutableRecreated: replace', { concurrency: 4 }, () => {
  const given = suiteRestartScene('replace', { section: replace });
  let nodes: Promise<void> | undefined;

  for (const kind of kinds) {
    test(`all pods of a ${kind} are deleted before the first new one is created, and its replicas are restored`, async () => {
      const { scene, weeder } = given();
      nodes ??= makeNodes(scene.ns);
      await nodes;
      const name = `all-${kind.toLowerCase()}`;
      const before = await adopt(scene, kind, name);
      const [version] = await scene.versions(kind, name);
      const watch = await watchPods(scene, name);
      await putImmutable(scene, name, 'two');
      await untilReplaced(scene, kind, name, before);
      assert.deepEqual(await watch.end(), { max: before.length, hasBeenEmpty: true });
      const now = (await scene.versions(kind, name)).at(-1);
      const specOf = (object: unknown) => {
        const text = JSON.stringify(Object(object).spec);
        return text.replace(/"weeder\.dev\/dependencies-hash":"[^"]+"|,?"annotations":\{\}/g, '');
      };
      assert.equal(specOf(now).replace('"annotations":{},', '').replace(',"annotations":{}', ''), specOf(version));
      const line = await weeder.log.until(/^workload restarted/, { workload: `${kind.toLowerCase()}/${name}` });
      assert.equal(line.msg, 'workload restarted: all of its pods are terminated before new ones start');
      await weeder.log.until(/^workload rolled out/, { workload: `${kind.toLowerCase()}/${name}` });
    });
  }

  test('while a pod of another workload refers to the source, the restart is blocked, and the reason names that pod', async () => {
    const { scene, weeder } = given();
    const before = await adopt(scene, 'Deployment', 'shared');
    const uses = { envFrom: [{ configMapRef: { name: 'shared' } }] };
    const annotations = { 'weeder.dev/restart-on-change': 'false' };
    await scene.make('Deployment', 'neighbour', { uses, annotations, spec: { replicas: 1 } });
    const [pod] = await scene.pods('neighbour');
    await putImmutable(scene, 'shared', 'two');
    const line = await eventually(
      () => weeder.log.find('restart blocked', { workload: 'deployment/shared', cause: 'immutable' })[0],
      { what: 'a blocked restart' },
    );
    assert.ok(String(line['reason']).includes(pod?.metadata.name ?? 'no pod'));
    assert.deepEqual((await scene.pods('shared')).map(({ metadata }) => metadata.uid).sort(), [...before].sort());
    assert.equal((await scene.patch('Deployment', 'neighbour', { spec: { replicas: 0 } })).status, 200);
    await untilReplaced(scene, 'Deployment', 'shared', before);
  });
});

test('weeder is killed while a workload is scaled to 0: the next process scales it up again', async (t) => {
  const scene = await setRestartScene(t, 'killed');
  const config = scene.config(replace);
  // The workload stays at 0 until the first process is killed.
  const restored = gate(({ method, body }) => method === 'PATCH' && body.includes(`"${emptied}":null`));
  const { kubeconfig } = await startRequestProxy(t, scene.ns.cluster, restored.onRequest);
  const first = await scene.start(t, { config, kubeconfig });
  const before = await adopt(scene, 'Deployment', 'web');
  await putImmutable(scene, 'web', 'two');
  await eventually(async () => (await scene.summary('Deployment', 'web')).emptied, {
    what: 'a workload that is scaled to 0',
  });
  await first.kill();
  await eventually(async () => (await scene.pods('web')).length === 0, { what: 'no pods' });
  assert.equal((await scene.summary('Deployment', 'web')).replicas, 0);
  const second = await scene.start(t, { config });
  await untilReplaced(scene, 'Deployment', 'web', before);
  assert.equal((await scene.summary('Deployment', 'web')).replicas, 2);
  assert.deepEqual(second.log.find(/^workload restarted/), []);
});
