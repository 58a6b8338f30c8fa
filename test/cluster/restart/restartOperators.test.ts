import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../support/cluster.ts';
import { healthy } from '../support/plane/remoteKubelet.ts';
import { type RestartScene, suiteRestartScene } from '../support/restart/restartScene.ts';
import { specOf } from '../support/restart/workloadOptions.ts';

const applyPatch = 'application/apply-patch+yaml';

async function uidsOf(scene: RestartScene, name: string): Promise<string[]> {
  return (await scene.pods(name)).map(({ metadata }) => metadata.uid).sort();
}

/** The desired state that an operator or a tool writes. */
function desired(scene: RestartScene, name: string): object {
  return { metadata: { name }, spec: specOf('Deployment', name, scene.ns, {}) };
}

/** PUTs the whole object, which removes the changes and annotations of other clients. */
async function putWhole(scene: RestartScene, name: string): Promise<void> {
  const path = scene.ns.path('apis/apps/v1', 'deployments', name);
  const answer = await scene.ns.cluster.send('PUT', path, { body: desired(scene, name) });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}

/** Writes the object like `kubectl apply --server-side --force-conflicts`. */
async function applyServerSide(scene: RestartScene, name: string): Promise<void> {
  const path = `${scene.ns.path('apis/apps/v1', 'deployments', name)}?fieldManager=kubectl&force=true`;
  const body = { apiVersion: 'apps/v1', kind: 'Deployment', ...desired(scene, name) };
  await scene.ns.cluster.api('PATCH', path, body, applyPatch);
}

suite('operators, tools and people that write a managed workload', { concurrency: true }, () => {
  // Pods become ready slowly, so that a rollout is still in progress when another client writes.
  const given = suiteRestartScene('operators', {
    // Long enough to write before a restart.
    section: { rules: [{ selector: { matchLabels: { pace: 'slow' } }, quietPeriod: '10s', quietMax: '60s' }, {}] },
    program: ({ metadata }) => {
      const isRestart = metadata.annotations?.['weeder.dev/dependencies-hash'] !== undefined;
      return { ...healthy, readyAfter: isRestart && metadata.labels?.['workload'] === 'put-at-once' ? 600_000 : 700 };
    },
  });

  async function adopted(name: string, labels: Readonly<Record<string, string>> = {}) {
    const { scene, weeder } = given();
    await scene.put(name, { word: 'one' });
    await scene.make('Deployment', name, { labels });
    await scene.untilAdopted('Deployment', name);
    return { scene, weeder, about: { workload: `deployment/${name}` }, uids: await uidsOf(scene, name) };
  }

  async function untilReplaced(scene: RestartScene, name: string, before: readonly string[]): Promise<void> {
    await eventually(
      async (saw) => {
        const [uids, state] = [await uidsOf(scene, name), await scene.state('Deployment', name)];
        saw([uids, state]);
        return uids.every((uid) => !before.includes(uid)) && state !== undefined && state.target === undefined;
      },
      { what: `${name} without earlier pods` },
    );
  }

  test('an operator that PUTs the whole object at once, twice, gets evictions: no earlier pod is left', async () => {
    const { scene, weeder, about, uids } = await adopted('put-at-once');
    await scene.put('put-at-once', { word: 'two' });
    for (const times of [1, 2]) {
      await weeder.log.until(/^workload restarted: its pods are replaced by a rollout/, about, { count: times });
      await pause(300);
      await putWhole(scene, 'put-at-once');
      await weeder.log.until('restart reverted by another client', about, { count: times });
    }
    await untilReplaced(scene, 'put-at-once', uids);
    // Two writes of weeder and two of the operator. The third restart does not change the template.
    assert.equal(await scene.rollouts('Deployment', 'put-at-once'), 4);
    await weeder.log.until(/^workload restarted: its pods are evicted/, about);
    assert.equal((await scene.state('Deployment', 'put-at-once'))?.reverts.length, 2);
  });

  test('an operator that PUTs the whole object continuously gets few writes from weeder, and changes restart its pods', async (t) => {
    const { scene, weeder, about, uids } = await adopted('put-always');
    const end = new AbortController();
    t.after(() => end.abort());
    let puts = 0;
    const operator = (async () => {
      // Between two PUTs even a busy machine shows the latest version to weeder, which otherwise meets only conflicts.
      for (; !end.signal.aborted; await pause(300)) {
        await putWhole(scene, 'put-always');
        puts += 1;
      }
    })();
    await weeder.log.until(/^state annotation removed repeatedly/, about);
    /** How often a version without a state is followed by one with it: by a write of weeder. */
    async function written(): Promise<number> {
      const versions = await scene.versions('Deployment', 'put-always');
      const hasState = versions.map(({ metadata }) => metadata.annotations?.['weeder.dev/dependencies'] !== undefined);
      return hasState.filter((has, index) => has && hasState[index - 1] !== true).length;
    }
    const [before, writes] = [puts, await written()];
    await eventually(() => puts > before + 30, { what: 'thirty more PUTs' });
    // The pauses last 10 s, 20 s, 40 s and 80 s, and some may have ended.
    const more = (await written()) - writes;
    assert.ok(more <= 4, `${more} writes of the state`);
    await scene.put('put-always', { word: 'two' });
    await eventually(
      async (saw) => {
        const now = await uidsOf(scene, 'put-always');
        saw(now);
        return now.length > 0 && now.every((uid) => !uids.includes(uid));
      },
      { what: 'new pods' },
    );
    end.abort();
    await operator;
    assert.equal(weeder.log.find(/^state annotation removed repeatedly/, about).length, 1);
  });

  test('after a PUT of the whole object after the rollout, weeder only writes the state again', async () => {
    const { scene, weeder, about } = await adopted('put-later');
    await scene.put('put-later', { word: 'two' });
    await scene.untilDone('Deployment', 'put-later', 1);
    const before = await scene.state('Deployment', 'put-later');
    await putWhole(scene, 'put-later');
    await scene.untilDone('Deployment', 'put-later', 2);
    assert.deepEqual(await scene.state('Deployment', 'put-later'), { ...before, lastCause: before?.lastCause });
    await scene.put('put-later', { word: 'three' });
    await scene.untilDone('Deployment', 'put-later', 3);
    await weeder.log.until(/^workload rolled out/, about, { count: 2 });
    assert.equal(weeder.log.find(/^workload restarted/, about).length, 2);
  });

  test('a PUT of the whole object while a change is pending removes the state, and the change still restarts the workload', async () => {
    const { scene, weeder, about, uids } = await adopted('put-early', { pace: 'slow' });
    await scene.put('put-early', { word: 'two' });
    await weeder.log.until('dependency changed', about);
    await putWhole(scene, 'put-early');
    await scene.untilDone('Deployment', 'put-early', 1);
    assert.deepEqual(
      (await uidsOf(scene, 'put-early')).filter((uid) => uids.includes(uid)),
      [],
    );
  });

  test('after a server-side apply with force both annotations are still there, and weeder writes nothing', async () => {
    const { scene, weeder, about } = await adopted('applied');
    await scene.put('applied', { word: 'two' });
    await scene.untilDone('Deployment', 'applied', 1);
    const [before, uids] = [await scene.summary('Deployment', 'applied'), await uidsOf(scene, 'applied')];
    await applyServerSide(scene, 'applied');
    await scene.put('applied', { word: 'two' });
    const after = await scene.summary('Deployment', 'applied');
    assert.notEqual(after.templateAnnotation, undefined);
    assert.deepEqual([after.stateText, after.templateAnnotation], [before.stateText, before.templateAnnotation]);
    assert.deepEqual(await uidsOf(scene, 'applied'), uids);
    await scene.put('applied', { word: 'three' });
    await scene.untilDone('Deployment', 'applied', 2);
    await weeder.log.until(/^workload rolled out/, about, { count: 2 });
    assert.equal(weeder.log.find(/^workload restarted/, about).length, 2);
  });

  test('a client that writes continuously prevents no restart, causes no second one, and loses no write', async (t) => {
    const { scene, uids } = await adopted('busy');
    let written = 0;
    const end = new AbortController();
    t.after(() => end.abort());
    const writer = (async () => {
      // As above: otherwise weeder meets only conflicts on a busy machine.
      for (; !end.signal.aborted; await pause(300)) {
        const answer = await scene.patch('Deployment', 'busy', { metadata: { labels: { written: `${written + 1}` } } });
        if (answer.status === 200) written += 1;
      }
    })();
    await scene.put('busy', { word: 'two' });
    await untilReplaced(scene, 'busy', uids);
    await eventually(() => written > 20, { what: 'twenty writes' });
    end.abort();
    await writer;
    await scene.untilDone('Deployment', 'busy', 1);
    assert.equal((await scene.summary('Deployment', 'busy')).labels['written'], String(written));
  });

  test('a scaling right after the change, and one during the rollout, are preserved, and cause no further restart', async () => {
    const { scene, weeder, about, uids } = await adopted('scaled');
    await scene.put('scaled', { word: 'two' });
    assert.equal((await scene.patch('Deployment', 'scaled', { spec: { replicas: 3 } })).status, 200);
    await weeder.log.until(/^workload restarted/, about);
    assert.equal((await scene.patch('Deployment', 'scaled', { spec: { replicas: 4 } })).status, 200);
    await scene.untilDone('Deployment', 'scaled', 1);
    const after = await uidsOf(scene, 'scaled');
    assert.deepEqual([after.length, after.filter((uid) => uids.includes(uid))], [4, []]);
    assert.equal((await scene.patch('Deployment', 'scaled', { spec: { replicas: 5 } })).status, 200);
    await eventually(async () => (await uidsOf(scene, 'scaled')).length === 5, { what: 'the fifth pod' });
    await scene.put('scaled', { word: 'three' });
    await scene.untilDone('Deployment', 'scaled', 2);
  });
});
