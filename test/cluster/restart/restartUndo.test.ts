import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import { z } from 'zod';
import { eventually, KubeObject } from '../support/cluster.ts';
import { eventsOf } from '../support/events.ts';
import { healthy } from '../support/plane/remoteKubelet.ts';
import { type RestartScene, suiteRestartScene } from '../support/restart/restartScene.ts';
import { makeNodes } from '../support/restart/workloadOptions.ts';

const Revisions = z.looseObject({ items: z.array(KubeObject) });
const hashAnnotation = 'weeder.dev/dependencies-hash';
const changeCause = 'kubernetes.io/change-cause';
const strategicMergePatch = 'application/strategic-merge-patch+json';
type Kind = 'StatefulSet' | 'DaemonSet';

async function uidsOf(scene: RestartScene, name: string): Promise<string[]> {
  return (await scene.pods(name)).map(({ metadata }) => metadata.uid).sort();
}

/** The revisions of a StatefulSet or DaemonSet, or the ReplicaSets of a Deployment, newest first. */
async function revisionsOf({ ns }: RestartScene, name: string, plural = 'controllerrevisions'): Promise<KubeObject[]> {
  const path = `${ns.path('apis/apps/v1', plural)}?labelSelector=workload%3D${name}`;
  const { items } = Revisions.parse(await ns.cluster.api('GET', path));
  return items.toSorted((one, other) => numberOf(other) - numberOf(one));
}

function numberOf(revision: KubeObject): number {
  const written = revision.metadata.annotations?.['deployment.kubernetes.io/revision'];
  return Number(objectOf(revision)['revision'] ?? written);
}

/** Restores the previous revision, as `kubectl rollout undo` does. */
async function undo(scene: RestartScene, kind: Kind, name: string): Promise<void> {
  const [, before] = await revisionsOf(scene, name);
  const path = scene.ns.path('apis/apps/v1', `${kind.toLowerCase()}s`, name);
  await scene.ns.cluster.api('PATCH', path, objectOf(objectOf(before)['data']), strategicMergePatch);
}

/** The pods of a restart that is slow enough for an undo. */
function isHalfway({ labels, annotations }: Pick<KubeObject['metadata'], 'labels' | 'annotations'>): boolean {
  return labels?.['workload'] === 'halfway' && annotations?.[hashAnnotation] !== undefined;
}

suite('an undo of weeder’s rollout', { concurrency: true }, () => {
  let isUndone = false;
  const given = suiteRestartScene('undo', {
    program: ({ metadata }) => ({
      ...healthy,
      readyAfter: isHalfway(metadata) && !isUndone ? 20_000 : healthy.readyAfter,
    }),
  });

  async function restartedOnce(kind: Kind | 'Deployment', name: string, spec: object = {}) {
    const { scene, weeder } = given();
    await scene.put(name, { word: 'one' });
    await scene.make(kind, name, { spec });
    await scene.untilAdopted(kind, name);
    const uids = await uidsOf(scene, name);
    await scene.put(name, { word: 'two' });
    return { scene, weeder, uids };
  }

  for (const kind of ['StatefulSet', 'DaemonSet'] as const) {
    test(`an undo of the restart of a ${kind} replaces its pods, and weeder does not restart it again`, async () => {
      const name = `undone-${kind.toLowerCase()}`;
      if (kind === 'DaemonSet') await makeNodes(given().scene.ns);
      const { scene, weeder } = await restartedOnce(kind, name);
      await scene.untilDone(kind, name, 1);
      const before = await uidsOf(scene, name);
      await undo(scene, kind, name);
      await scene.untilDone(kind, name, 2);
      assert.equal((await scene.summary(kind, name)).templateAnnotation, undefined);
      const after = await uidsOf(scene, name);
      assert.deepEqual(
        after.filter((uid) => before.includes(uid)),
        [],
      );
      // The next change is one rollout, and the undo caused none.
      await scene.put(name, { word: 'three' });
      await scene.untilDone(kind, name, 3);
      const line = { workload: `${kind.toLowerCase()}/${name}` };
      await weeder.log.until(/^workload rolled out/, line, { count: 2 });
      assert.equal(weeder.log.find(/^workload restarted/, line).length, 2);
      assert.deepEqual(weeder.log.find('restart reverted by another client', line), []);
    });
  }

  test('an undo during the rollout leaves a pod with the old content: that is reported, and the pod is replaced later', async () => {
    const { scene, weeder, uids } = await restartedOnce('StatefulSet', 'halfway');
    await eventually(
      async () => {
        const pods = await scene.pods('halfway');
        const isNew = pods.some(({ metadata }) => metadata.annotations?.[hashAnnotation] !== undefined);
        return isNew && pods.some(({ metadata }) => uids.includes(metadata.uid));
      },
      { what: 'one new and one earlier pod' },
    );
    await undo(scene, 'StatefulSet', 'halfway');
    isUndone = true;
    await scene.untilDone('StatefulSet', 'halfway', 3);
    await weeder.log.until('restart reverted by another client', { workload: 'statefulset/halfway' });
    assert.deepEqual(
      (await uidsOf(scene, 'halfway')).filter((uid) => uids.includes(uid)),
      [],
    );
    assert.equal((await scene.state('StatefulSet', 'halfway'))?.reverts.length, 1);
  });

  test('the history marks the revisions that are restarts, and an Event reports if there are no others', async () => {
    const { scene } = await restartedOnce('Deployment', 'history', { replicas: 1, revisionHistoryLimit: 2 });
    await scene.untilDone('Deployment', 'history', 1);
    const filled = async () => {
      const events = await eventsOf(scene.ns, 'involvedObject.name=history', 'reason=RevisionHistoryFilled');
      return events.map(({ message }) => message);
    };
    const [newest, first] = await revisionsOf(scene, 'history', 'replicasets');
    assert.match(newest?.metadata.annotations?.[changeCause] ?? '', /weeder.* ConfigMap history \(word\)/);
    assert.equal(first?.metadata.annotations?.[changeCause], undefined);
    await scene.put('history', { word: 'three' });
    await scene.untilDone('Deployment', 'history', 2);
    assert.deepEqual(await filled(), []);
    await scene.put('history', { word: 'four' });
    await scene.untilDone('Deployment', 'history', 3);
    const note = await eventually(async () => (await filled())[0], { what: 'the Event' });
    assert.match(note, /^All 2 revisions in the history are restarts by weeder/);
    await eventually(
      async (saw) => {
        const revisions = await revisionsOf(scene, 'history', 'replicasets');
        saw(revisions.map(({ metadata }) => metadata.annotations));
        return (
          revisions.length === 3 &&
          revisions.every(({ metadata }) => metadata.annotations?.[changeCause]?.includes('weeder'))
        );
      },
      { what: 'a history of restarts only' },
    );
  });
});
