import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Attempt } from '../soak/audit.ts';
import { deeds, faults } from '../soak/decisions.ts';
import { createHistory } from '../soak/history.ts';
import { createJudge, judged } from '../soak/invariants.ts';
import { variants } from '../soak/rules.ts';
import { type Span, seconds } from '../soak/times.ts';
import { backOff, type PodOptions, pod, running, slice, terminated } from '../support/objects/objects.ts';

const start = Date.UTC(2026, 0, 1);
const tier = { tier: 'a' };

/** What an observer saw, and what the judge says of it. Times are seconds since the start. */
function court(disturbances: readonly Span[] = []) {
  const history = createHistory();
  const [rules = []] = variants;
  const judge = createJudge({ history, configs: [{ at: start, rules }], disturbances });
  let revision = 0;
  const at = (time: number) => start + seconds(time);
  return {
    /** It is written; undefined: it goes away. */
    pod(time: number, options: PodOptions | undefined) {
      revision += 1;
      const object = options && pod({ uid: 'u', namespace: 'n', name: 'p', labels: tier, ...options });
      history.takePod({ key: 'n/p', revision, at: at(time), object });
      return String(revision);
    },
    service(time: number, isReady: boolean, service = 'db-a', namespace = 'n') {
      revision += 1;
      const object = slice({ service, namespace, ready: [isReady] });
      history.takeSlice({ key: `${namespace}/${service}`, revision, at: at(time), object });
    },
    deletion(time: number, resourceVersion: string | undefined, more: Partial<Attempt> = {}) {
      const what = { verb: 'delete', resource: 'pods', namespace: 'n', name: 'p', status: 200, isUnread: false };
      judge.attempt({ at: at(time), ...what, uid: 'u', resourceVersion, ...more });
    },
    look: (time: number) => judge.look(at(time)),
    verdicts: () =>
      judge.violations.map(({ invariant, what }) => `${invariant}: ${what.replace(/^.*(→ \d+: |→ )/, '')}`),
    judge,
  };
}

const looping = { containers: [backOff(4)] };
const wrongly = (why: string) => [`${judged.allowed}: ${why}`];

test('a deletion in an open window of a ready service, of a pod that crash-loops, is right', () => {
  const it = court();
  const version = it.pod(11, looping);
  it.service(12, true);
  it.deletion(12.1, version);
  it.pod(12.2, undefined);
  it.look(18);
  assert.deepEqual(it.verdicts(), []);
  assert.deepEqual([it.judge.deletions, it.judge.delays], [1, [100]]);
});

test('what nothing allows is wrong: before the recovery, after the window, while the service is down', () => {
  for (const [time, why] of [
    [9, 'no window of db-a was open'],
    [25, 'no window of db-a was open'],
    [14, 'db-a was down'],
  ] as const) {
    const it = court();
    const version = it.pod(1, looping);
    it.service(11, true);
    it.service(12, false);
    it.deletion(time, version);
    assert.deepEqual(it.verdicts(), wrongly(why), `at ${time} s`);
  }
});

test('what is protected, runs, has just ended, or is of nobody is wrong', () => {
  const cases: readonly (readonly [PodOptions, string])[] = [
    [{ ...looping, annotations: { 'weeder.dev/ignore': 'true' } }, 'it was annotated weeder.dev/ignore'],
    [{ ...looping, isBare: true }, 'it had no controller'],
    [{ ...looping, deletionTimestamp: '2026-01-01T00:00:00Z' }, 'it was being deleted already'],
    [{ containers: [running(4)] }, 'it was not crash-looping'],
    [{ containers: [terminated(start + seconds(1), 4)] }, 'it had just ended'],
    [{ containers: [terminated(start, 0)] }, 'it was not crash-looping'],
    [{ ...looping, labels: { tier: 'none' } }, 'no podSelector matched it'],
  ];
  for (const [options, why] of cases) {
    const it = court();
    const version = it.pod(1, options);
    it.service(2, true);
    it.deletion(2.2, version);
    assert.deepEqual(it.verdicts(), wrongly(why));
  }
});

test('a recovery in another namespace opens no window, unless the rule says everywhere', () => {
  const it = court();
  const version = it.pod(1, looping);
  it.service(2, true, 'db-a', 'other');
  it.deletion(3, version);
  assert.deepEqual(it.verdicts(), wrongly('no window of db-a was open'));
  const everywhere = court();
  const its = everywhere.pod(1, { ...looping, labels: { tier: 'c' } });
  everywhere.service(2, true, 'db-c', 'other');
  everywhere.deletion(3, its);
  assert.deepEqual(everywhere.verdicts(), []);
});

test('a deletion without preconditions, of a version that never was, or of the same pod again is wrong', () => {
  const it = court();
  const version = it.pod(1, looping);
  it.service(2, true);
  it.deletion(3, undefined);
  it.deletion(3, '999');
  it.deletion(3, version);
  it.deletion(3, version, { status: 404 });
  assert.deepEqual(it.verdicts(), [`${judged.preconditions}: 200`, `${judged.known}: 200`]);
  it.deletion(3.1, version);
  assert.equal(it.verdicts()[2], `${judged.once}: 200`);
  it.deletion(3.1, undefined, { status: 403, isUnread: true });
  assert.equal(it.verdicts().length, 3, 'what was refused unread says nothing');
});

test('any other write is wrong; Events are not', () => {
  const it = court();
  it.deletion(1, undefined, { verb: 'create', resource: 'events', name: '' });
  assert.deepEqual(it.verdicts(), []);
  it.deletion(1, undefined, { verb: 'deletecollection', name: '' });
  it.deletion(1, undefined, { verb: 'patch' });
  assert.deepEqual(it.verdicts(), Array(2).fill(`${judged.writes}: 200`));
});

test('what is due and stays is told after five seconds, once, and not where weeder could not see', () => {
  const play = (disturbances: readonly Span[]) => {
    const it = court(disturbances);
    it.pod(20, looping);
    it.service(20, true);
    it.look(24.9);
    assert.deepEqual(it.verdicts(), []);
    for (const time of [25.1, 26, 27]) it.look(time);
    return it.verdicts().length;
  };
  assert.equal(play([]), 1);
  assert.equal(play([{ from: start + seconds(22), to: start + seconds(23) }]), 0, 'during');
  assert.equal(play([{ from: start + seconds(2), to: start + seconds(10) }]), 0, 'shortly before');
  assert.equal(play([{ from: start + seconds(2), to: start + seconds(4) }]), 1, 'long before');
});

test('what is not due may stay: it is protected, runs, or its service is down', () => {
  const options: readonly PodOptions[] = [
    { containers: [running(4)] },
    { ...looping, isBare: true },
    { ...looping, annotations: { 'weeder.dev/ignore': 'true' } },
    { ...looping, labels: { tier: 'none' } },
  ];
  for (const each of options) {
    const it = court();
    it.pod(1, each);
    it.service(1, true);
    it.look(7);
    assert.deepEqual(it.verdicts(), []);
  }
  const down = court();
  down.pod(1, looping);
  down.service(1, true);
  down.service(2, false);
  down.look(7);
  assert.deepEqual(down.verdicts(), []);
});

test('the same seed decides the same, and another one otherwise', () => {
  const first = (seed: number) => [deeds(seed).take(500).toArray(), faults(seed).take(20).toArray()];
  assert.deepEqual(first(1), first(1));
  assert.notDeepEqual(first(1), first(2));
});
