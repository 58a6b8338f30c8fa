import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { endpointSlices, pods } from '../../src/apiserver/strategies/resources.ts';
import { arrayOf, type JsonObject, objectOf, timeOf } from '../../src/base/json.ts';
import { conditionOf } from '../../src/base/podConditions.ts';
import type { KubeletVersion } from '../../src/kubelet/backOff.ts';
import { startKubelet } from '../../src/kubelet/kubelet.ts';
import { demoCluster, storedObject, testNamespace } from '../support/cluster.ts';

/** A status of a pod and its time. Times are milliseconds. */
interface StatusChange {
  readonly at: number;
  readonly kind: string;
  readonly status: JsonObject;
}

/** Formats the status of the first container: `waiting 2 "back-off 20s restarting failed container=main"`. */
function statusChanges(at: number, pod: unknown): StatusChange[] {
  const status = objectOf(objectOf(pod)['status']);
  const container = objectOf(arrayOf(status['containerStatuses'])[0]);
  if (container['name'] === undefined) return [];
  const state = objectOf(container['state']);
  const [name = ''] = Object.keys(state);
  const { reason, message } = objectOf(state[name]);
  const words = [name, container['restartCount'], reason, String(message ?? '').replace(/ container=.*/, '')];
  const last = Object.keys(objectOf(container['lastState'])).map((each) => `last ${each}`);
  const ready = [...arrayOf(status['conditions'])].map(objectOf).find(({ type }) => type === 'Ready');
  const readiness = `ready ${container['ready']} ${ready?.['status']} ${ready?.['reason'] ?? ''}`;
  return [{ at, kind: [...words, ...last, readiness].filter((word) => word).join(' '), status }];
}

function recorded(name: string): StatusChange[] {
  const text = readFileSync(
    join(import.meta.dirname, `../../../../test/data/recorded/${name}-pod-events.jsonl`),
    'utf8',
  );
  const lines = text
    .trim()
    .split('\n')
    .map((line): JsonObject => JSON.parse(line));
  return lines.flatMap(({ ts, object }) => statusChanges(timeOf(ts) ?? 0, object));
}

/** A crash loop of five restarts, as in the recordings. */
async function crashLoop(version: KubeletVersion, givesUpAfter: number, seed: number): Promise<StatusChange[]> {
  const { clock, store, pod, setReady } = demoCluster();
  const changes: StatusChange[] = [];
  setReady(true);
  const stop = startKubelet({ store, clock, version, seed });
  store.watch(pods, {}, (_type, object) => changes.push(...statusChanges(clock.now(), object)));
  pod('kapi', { needs: 'db', survives: 10_000, givesUpAfter, readyAfter: 100 });
  await clock.pass(5_000);
  setReady(false);
  const wasFourthTime = () => changes.some(({ kind }) => kind.startsWith('terminated 4'));
  while (!wasFourthTime()) await clock.pass(1_000);
  setReady(true);
  await clock.pass(100_000);
  stop();
  assert.equal(clock.pending, 0);
  // The recordings begin with the ready pod.
  return changes.slice(changes.findIndex(({ kind }) => kind.includes('ready true')));
}

/** Returns, for each back-off, the time with status `terminated` and the total time. */
function phases(changes: readonly StatusChange[]): { readonly terminated: number; readonly total: number }[] {
  return changes.flatMap(({ kind, at }, index) => {
    const [next, afterNext] = [changes[index + 1], changes[index + 2]];
    if (!kind.startsWith('terminated') || !next?.kind.startsWith('waiting')) return [];
    return [{ terminated: next.at - at, total: (afterNext?.at ?? 0) - at }];
  });
}

for (const [name, runTime] of [
  ['not-ready-exit5', 5_000],
  ['scaled-to-zero', 50],
] as const) {
  test(`the statuses and their order are those of the real kubelet in ${name}`, async () => {
    const kinds = (all: readonly StatusChange[]) => all.map(({ kind }) => kind);
    assert.deepEqual(kinds(await crashLoop('1.36', runTime, 1)), kinds(recorded(name)));
  });
}

test('the container is restarted at once after the first exit, then after 10 s, doubled each time', async () => {
  for (const seed of [1, 2, 3]) {
    const simulated = await crashLoop('1.36', 5_000, seed);
    for (const changes of [simulated, recorded('not-ready-exit5')]) {
      assert.ok((changes[2]?.at ?? 0) - (changes[1]?.at ?? 0) < 150);
      const totals = phases(changes).map(({ total }) => total / 1_000);
      assert.equal(totals.length, 4);
      for (const [index, total] of totals.entries()) {
        assert.ok(total >= 9.8 * 2 ** index && total <= 15 * 2 ** index, `${totals}`);
      }
    }
  }
});

test('1.36 reports terminated for the whole back-off of a process that ran for 5 s, as recorded', async () => {
  for (const changes of [await crashLoop('1.36', 5_000, 4), recorded('not-ready-exit5')]) {
    for (const { terminated, total } of phases(changes))
      assert.ok(total - terminated < 150, `${terminated} of ${total}`);
  }
});

test('1.36 reports terminated for 1 s when the process exits at once, and sometimes for the whole back-off, as recorded', async () => {
  const simulated = [];
  for (const seed of [1, 2, 3, 4]) simulated.push(...phases(await crashLoop('1.36', 50, seed)));
  for (const backOffs of [simulated, phases(recorded('scaled-to-zero'))]) {
    const short = backOffs.filter(({ terminated }) => terminated < 1_100);
    const throughout = backOffs.filter(({ terminated, total }) => total - terminated < 150);
    assert.equal(short.length + throughout.length, backOffs.length);
    assert.ok(short.length > throughout.length && throughout.length > 0, JSON.stringify(backOffs));
  }
});

test('1.34 reports terminated for 10 to 16 s, or for the whole back-off, and then CrashLoopBackOff', async () => {
  const backOffs = phases(await crashLoop('1.34', 5_000, 1));
  for (const { terminated, total } of backOffs.slice(1)) {
    assert.ok(terminated >= 10_000 && terminated <= 16_000 && total > terminated, `${terminated} of ${total}`);
  }
});

test('lastState has the last exit, and Ready its transition time, across all restarts, as recorded', async () => {
  for (const changes of [await crashLoop('1.36', 5_000, 1), recorded('not-ready-exit5')]) {
    const containers = changes.map(({ status }) => objectOf(arrayOf(status['containerStatuses'])[0]));
    let exit: unknown;
    for (const { state, lastState } of containers) {
      const { terminated } = objectOf(state);
      if (terminated === undefined && exit !== undefined) assert.deepEqual(objectOf(lastState)['terminated'], exit);
      exit = terminated ?? exit;
    }
    const conditions = changes.flatMap(({ status }) => arrayOf(status['conditions']).map(objectOf));
    const notReady = conditions.filter(({ type, status }) => type === 'Ready' && status === 'False');
    assert.ok(notReady.length > 10);
    assert.equal(new Set(notReady.map(({ lastTransitionTime }) => lastTransitionTime)).size, 1);
  }
});

test('the back-off is limited to 5 minutes, and its message names container and pod', async () => {
  const { clock, store, pod } = demoCluster();
  const { uid } = pod('kapi', { needs: 'db', givesUpAfter: 2_000 }).metadata;
  const stop = startKubelet({ store, clock, version: '1.36', seed: 1 });
  const backOffs = new Set<string>();
  store.watch(pods, {}, (_type, { status }) => {
    const { message } = objectOf(
      objectOf(objectOf(arrayOf(objectOf(status)['containerStatuses'])[0])['state'])['waiting'],
    );
    if (message !== undefined) backOffs.add(String(message));
  });
  await clock.pass(1_800_000);
  stop();
  const about = `restarting failed container=main pod=kapi_${testNamespace}(${uid})`;
  const expected = ['10s', '20s', '40s', '1m20s', '2m40s', '5m0s'].map((each) => `back-off ${each} ${about}`);
  assert.deepEqual([...backOffs], expected);
});

test('the same seed gives the same timing, another seed another one', async () => {
  const times = async (seed: number) => (await crashLoop('1.36', 5_000, seed)).map(({ at }) => at);
  assert.deepEqual(await times(5), await times(5));
  assert.notDeepEqual(await times(5), await times(6));
});

test('a pod is ready when all its containers are, and the condition has the time of its last transition', async () => {
  const { clock, store, pod } = demoCluster();
  const stop = startKubelet({ store, clock, version: '1.36', seed: 1 });
  const { creationTimestamp } = pod('two', { readyAfter: 3_000 }, ['a', 'b']).metadata;
  const conditions = () =>
    arrayOf(objectOf(store.get(pods, testNamespace, 'two')?.['status'])['conditions']).map(objectOf);
  await clock.pass(1_000);
  assert.partialDeepStrictEqual(conditions()[2], {
    status: 'False',
    message: 'containers with unready status: [a b]',
    lastTransitionTime: creationTimestamp,
  });
  await clock.pass(60_000);
  assert.partialDeepStrictEqual(conditions()[2], { status: 'True', lastTransitionTime: '2026-11-21T06:00:03Z' });
  stop();
});

test('a deleted pod stops and is removed within its grace period, and no timer remains', async () => {
  const { clock, store, pod } = demoCluster();
  const stop = startKubelet({ store, clock, version: '1.36', seed: 1 });
  pod('running', {});
  pod('crashing', { needs: 'db', givesUpAfter: 1_000 });
  await clock.pass(10_000);
  for (const name of ['running', 'crashing']) store.delete(pods, testNamespace, name);
  assert.equal(store.list(pods).length, 2);
  await clock.pass(1_000);
  assert.equal(store.list(pods).length, 0);
  assert.equal(clock.pending, 0);
  stop();
});

test('a pod is unready until the condition of its readiness gate is true, and other conditions are unchanged', async () => {
  const { clock, store } = demoCluster();
  const stop = startKubelet({ store, clock, version: '1.36', seed: 1 });
  const conditionType = 'example.io/serving';
  const containers = [{ name: 'main', image: 'x:1' }];
  const spec = { nodeName: 'node-1', containers, readinessGates: [{ conditionType }] };
  storedObject(store.create(pods, { metadata: { name: 'gated', namespace: testNamespace }, spec }));
  const condition = (type: string) => conditionOf(store.get(pods, testNamespace, 'gated') ?? {}, type);
  const open = async (status: string) => {
    const others = arrayOf(objectOf(store.get(pods, testNamespace, 'gated')?.['status'])['conditions']).filter(
      (each) => objectOf(each)['type'] !== conditionType,
    );
    const conditions = [...others, { type: conditionType, status }];
    storedObject(store.patch(pods, testNamespace, 'gated', { status: { conditions } }, { subresource: 'status' }));
    await clock.pass(10);
  };
  await clock.pass(5_000);
  assert.equal(condition('ContainersReady')['status'], 'True');
  assert.partialDeepStrictEqual(condition('Ready'), {
    status: 'False',
    reason: 'ReadinessGatesNotReady',
    message: `corresponding condition of pod readiness gate "${conditionType}" does not exist.`,
  });
  await open('True');
  assert.equal(condition('Ready')['status'], 'True');
  assert.equal(condition(conditionType)['status'], 'True');
  await open('False');
  assert.partialDeepStrictEqual(condition('Ready'), {
    status: 'False',
    message: `the status of pod readiness gate "${conditionType}" is not "True", but False`,
  });
  stop();
  assert.equal(clock.pending, 0);
});

test('a published address whose pod does not serve is no running dependency', async () => {
  const { clock, store, pod, setReady } = demoCluster();
  const stop = startKubelet({ store, clock, version: '1.36', seed: 1 });
  setReady(true);
  const serve = (serving: boolean) => {
    const endpoints = [{ addresses: ['10.0.0.1'], conditions: { ready: true, serving } }];
    storedObject(store.patch(endpointSlices, testNamespace, 'db-slice', { endpoints }));
  };
  const restarts = () => {
    const status = objectOf(store.get(pods, testNamespace, 'web')?.['status']);
    return objectOf(arrayOf(status['containerStatuses'])[0])['restartCount'];
  };
  pod('web', { needs: 'db', survives: 1_000, givesUpAfter: 1_000, readyAfter: 100 });
  serve(true);
  await clock.pass(30_000);
  assert.equal(restarts(), 0);
  serve(false);
  await clock.pass(30_000);
  assert.notEqual(restarts(), 0);
  stop();
});
