import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Attempt } from '../soak/audit.ts';
import { randomChanges, randomFaults } from '../soak/decisions.ts';
import { createHistory } from '../soak/history.ts';
import { createJudge, judged } from '../soak/invariants.ts';
import { variants } from '../soak/rules.ts';
import { type Span, seconds } from '../soak/times.ts';
import { backOff, type PodOptions, pod, running, slice, terminated } from '../support/objects/objects.ts';

const start = Date.UTC(2026, 0, 1);
const tier = { tier: 'a' };

/** Builds a history and judges it. Times are seconds since the start. */
function scenario(disturbances: readonly Span[] = []) {
  const history = createHistory();
  const [rules = []] = variants;
  const judge = createJudge({ history, configs: [{ at: start, rules }], disturbances });
  let revision = 0;
  const at = (time: number) => start + seconds(time);
  return {
    /** Writes the pod, or deletes it if undefined. */
    pod(time: number, options: PodOptions | undefined) {
      revision += 1;
      const object = options && pod({ uid: 'u', namespace: 'n', name: 'p', labels: tier, ...options });
      history.recordPod({ key: 'n/p', revision, at: at(time), object });
      return String(revision);
    },
    /** Writes the slice of the service, or deletes it if undefined. */
    service(time: number, isReady: boolean | undefined, service = 'db-a', namespace = 'n') {
      revision += 1;
      const object = isReady === undefined ? undefined : slice({ service, namespace, ready: [isReady] });
      history.recordSlice({ key: `${namespace}/${service}`, revision, at: at(time), object });
    },
    deletion(time: number, resourceVersion: string | undefined, more: Partial<Attempt> = {}) {
      const what = { verb: 'delete', resource: 'pods', namespace: 'n', name: 'p', status: 200, isUnread: false };
      judge.attempt({ at: at(time), ...what, uid: 'u', resourceVersion, ...more });
    },
    checkOverdue: (time: number) => judge.checkOverdue(at(time)),
    reported: () =>
      judge.violations.map(({ invariant, what }) => `${invariant}: ${what.replace(/^.*(→ \d+: |→ )/, '')}`),
    judge,
  };
}

const looping = { containers: [backOff(4)] };
const disallowed = (why: string) => [`${judged.allowed}: ${why}`];

test('the deletion of a crash-looping pod in an open window of a ready service is correct', () => {
  const it = scenario();
  const version = it.pod(11, looping);
  it.service(12, true);
  it.deletion(12.1, version);
  it.pod(12.2, undefined);
  it.checkOverdue(18);
  assert.deepEqual(it.reported(), []);
  assert.deepEqual([it.judge.deletions, it.judge.delays], [1, [100]]);
});

test('a deletion before the recovery, after the window or while the service is down is an error', () => {
  for (const [time, why] of [
    [9, 'no window of db-a was open'],
    [25, 'no window of db-a was open'],
    [14, 'db-a was down'],
  ] as const) {
    const it = scenario();
    const version = it.pod(1, looping);
    it.service(11, true);
    it.service(12, false);
    it.deletion(time, version);
    assert.deepEqual(it.reported(), disallowed(why), `at ${time} s`);
  }
});

test('the deletion of a pod that is protected, runs, has just terminated or is not a dependant is an error', () => {
  const cases: readonly (readonly [PodOptions, string])[] = [
    [{ ...looping, annotations: { 'weeder.dev/ignore': 'true' } }, 'it was annotated weeder.dev/ignore'],
    [{ ...looping, isBare: true }, 'it had no controller'],
    [{ ...looping, deletionTimestamp: '2026-01-01T00:00:00Z' }, 'it was already terminating'],
    [{ containers: [running(4)] }, 'it was not crash-looping'],
    [{ containers: [terminated(start + seconds(1), 4)] }, 'it had only just terminated'],
    [{ containers: [terminated(start, 0)] }, 'it was not crash-looping'],
    [{ ...looping, labels: { tier: 'none' } }, 'no podSelector matched it'],
  ];
  for (const [options, why] of cases) {
    const it = scenario();
    const version = it.pod(1, options);
    it.service(2, true);
    it.deletion(2.2, version);
    assert.deepEqual(it.reported(), disallowed(why));
  }
});

test('a recovery in another namespace opens no window, unless the rule selects all namespaces', () => {
  const it = scenario();
  const version = it.pod(1, looping);
  it.service(2, true, 'db-a', 'other');
  it.deletion(3, version);
  assert.deepEqual(it.reported(), disallowed('no window of db-a was open'));
  const everywhere = scenario();
  const otherVersion = everywhere.pod(1, { ...looping, labels: { tier: 'c' } });
  everywhere.service(2, true, 'db-c', 'other');
  everywhere.deletion(3, otherVersion);
  assert.deepEqual(everywhere.reported(), []);
});

test('a deletion without preconditions, with an unknown resourceVersion, or of the same pod again is an error', () => {
  const it = scenario();
  const version = it.pod(1, looping);
  it.service(2, true);
  it.deletion(3, undefined);
  it.deletion(3, '999');
  it.deletion(3, version);
  it.deletion(3, version, { status: 404 });
  assert.deepEqual(it.reported(), [`${judged.preconditions}: 200`, `${judged.known}: 200`]);
  it.deletion(3.1, version);
  assert.equal(it.reported()[2], `${judged.once}: 200`);
  it.deletion(3.1, undefined, { status: 403, isUnread: true });
  assert.equal(it.reported().length, 3, 'what was refused unread says nothing');
});

test('any other write is an error, except Events', () => {
  const it = scenario();
  it.deletion(1, undefined, { verb: 'create', resource: 'events', name: '' });
  assert.deepEqual(it.reported(), []);
  it.deletion(1, undefined, { verb: 'deletecollection', name: '' });
  it.deletion(1, undefined, { verb: 'patch' });
  assert.deepEqual(it.reported(), Array(2).fill(`${judged.writes}: 200`));
});

test('an overdue deletion is reported once, after five seconds, unless a disturbance delays it', () => {
  const play = (disturbances: readonly Span[]) => {
    const it = scenario(disturbances);
    it.pod(20, looping);
    it.service(20, true);
    it.checkOverdue(24.9);
    assert.deepEqual(it.reported(), []);
    for (const time of [25.1, 26, 27]) it.checkOverdue(time);
    return it.reported().length;
  };
  assert.equal(play([]), 1);
  assert.equal(play([{ from: start + seconds(22), to: start + seconds(23) }]), 0, 'during');
  assert.equal(play([{ from: start + seconds(2), to: start + seconds(10) }]), 0, 'shortly before');
  assert.equal(play([{ from: start + seconds(2), to: start + seconds(4) }]), 1, 'long before');
});

test('the replacement of a deleted pod is due 10 s after the deletion; after a second one, none is soon', () => {
  const play = (deletions: readonly number[], until: number) => {
    const it = scenario();
    it.service(1, true);
    for (const time of deletions) {
      const uid = `u-${time}`;
      const version = it.pod(time - 0.5, { ...looping, uid });
      it.deletion(time, version, { uid });
      it.pod(time + 0.1, undefined);
    }
    it.service(10, false);
    it.pod(10.5, { ...looping, uid: 'replacement' });
    it.service(11, true);
    it.checkOverdue(until);
    return it.reported();
  };
  assert.deepEqual(play([2.5], 17.4), []);
  assert.equal(play([2.5], 17.6).length, 1);
  assert.deepEqual(play([2.5, 5], 19), []);
});

test('a pod of two services is not due while the other one is down, but if that recovers or is deleted', () => {
  const play = (other: readonly (readonly [time: number, isReady: boolean | undefined])[], until: number) => {
    const it = scenario();
    it.pod(1, { ...looping, labels: { tier: 'ab' } });
    for (const [time, isReady] of other) it.service(time, isReady, 'db-b');
    it.service(12, true);
    it.checkOverdue(until);
    return it.reported().length;
  };
  assert.equal(play([], 17.1), 1);
  assert.equal(play([[5, false]], 17.1), 1, 'it was never ready');
  const down = [
    [1, true],
    [5, false],
  ] as const;
  assert.equal(play(down, 19), 0);
  assert.equal(play([...down, [13, undefined]], 17.9), 0);
  assert.equal(play([...down, [13, undefined]], 18.1), 1);
  assert.equal(play([...down, [13, true]], 18.1), 1);
  assert.equal(play([...down, [6, undefined], [7, false]], 19), 0, 'it is down again');
});

test('no deletion is due for a pod that is protected, runs or is not a dependant, or while its service is down', () => {
  const options: readonly PodOptions[] = [
    { containers: [running(4)] },
    { ...looping, isBare: true },
    { ...looping, annotations: { 'weeder.dev/ignore': 'true' } },
    { ...looping, labels: { tier: 'none' } },
  ];
  for (const podOptions of options) {
    const it = scenario();
    it.pod(1, podOptions);
    it.service(1, true);
    it.checkOverdue(7);
    assert.deepEqual(it.reported(), []);
  }
  const down = scenario();
  down.pod(1, looping);
  down.service(1, true);
  down.service(2, false);
  down.checkOverdue(7);
  assert.deepEqual(down.reported(), []);
});

test('the same seed gives the same decisions, and another seed other ones', () => {
  const first = (seed: number) => [randomChanges(seed).take(500).toArray(), randomFaults(seed).take(20).toArray()];
  assert.deepEqual(first(1), first(1));
  assert.notDeepEqual(first(1), first(2));
});
