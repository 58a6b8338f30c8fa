import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type VirtualClock, virtualClock } from '@weeder/kube-runtime/base';
import {
  createRestartSchedule,
  type RestartSchedule,
  type ScheduleLimits,
} from '../../../src/restart/pace/restartSchedule.ts';

const usual: ScheduleLimits = {
  maxRestartsPerMinute: 30,
  burst: 20,
  maxConcurrentRollouts: 10,
  maxAdoptionsPerMinute: 120,
};

interface Stage {
  readonly clock: VirtualClock;
  readonly turns: RestartSchedule;
  /** The granted slots, in their order. */
  readonly granted: string[];
  readonly waits: string[];
  /** Requests a restart of `namespace/name`. */
  request(key: string, since?: number): (how?: { readonly wasUsed: boolean }) => void;
  change(limits: Partial<ScheduleLimits>): void;
}

function stage(limits: Partial<ScheduleLimits> = {}): Stage {
  let current = { ...usual, ...limits };
  const clock = virtualClock();
  const turns = createRestartSchedule({ clock, limits: () => current });
  const granted: string[] = [];
  const waits: string[] = [];
  return {
    clock,
    turns,
    granted,
    waits,
    request: (key, since = clock.now()) =>
      turns.requestRestart(
        key,
        { namespace: key.split('/')[0] ?? '', since },
        { onGranted: () => granted.push(key), onPending: (reason) => waits.push(`${key}: ${reason}`) },
      ),
    change(next) {
      current = { ...current, ...next };
      turns.limitsChanged();
    },
  };
}

test('after an idle time a burst starts immediately, and from then on one restart every two seconds', () => {
  const { clock, granted, request } = stage({ maxConcurrentRollouts: 1_000 });
  for (let index = 0; index < 200; index += 1) request(`shop/${index}`);
  assert.equal(granted.length, 20);
  clock.advance(1_999);
  assert.equal(granted.length, 20);
  clock.advance(1);
  assert.equal(granted.length, 21);
  clock.advance(358_000);
  assert.equal(granted.length, 200);
  assert.equal(clock.pending, 0);
});

test('maxConcurrentRollouts holds, however long the rollouts take', () => {
  const { clock, turns, granted, request } = stage({ maxConcurrentRollouts: 2 });
  const releases = ['shop/a', 'shop/b', 'shop/c'].map((key) => request(key));
  clock.advance(3_600_000);
  assert.deepEqual(granted, ['shop/a', 'shop/b']);
  assert.equal(turns.restarts.waiting, 1);
  assert.equal(clock.pending, 0, 'a slot waits for a release, not for a timer');
  releases[0]?.();
  assert.deepEqual(granted, ['shop/a', 'shop/b', 'shop/c']);
  assert.equal(turns.restarts.active, 2);
});

test('the namespaces take turns, and within a namespace the oldest change is first', () => {
  const { clock, granted, request } = stage({ burst: 1, maxRestartsPerMinute: 60, maxConcurrentRollouts: 100 });
  request('first/0');
  for (const name of ['3', '1', '2']) request(`large/${name}`, Number(name));
  request('small/0', 500);
  request('other/0', 400);
  clock.advance(60_000);
  assert.deepEqual(granted, ['first/0', 'large/1', 'small/0', 'other/0', 'large/2', 'large/3']);
});

test('a repeated request does not delay its namespace while others wait', () => {
  const { clock, granted, request } = stage({ burst: 1, maxRestartsPerMinute: 60, maxConcurrentRollouts: 100 });
  request('first/0');
  const cancel = request('restless/0', 1);
  for (const name of ['b', 'c', 'd', 'e']) request(`${name}/0`);
  cancel();
  request('restless/0', 1);
  clock.advance(60_000);
  assert.deepEqual(granted, ['first/0', 'restless/0', 'b/0', 'c/0', 'd/0', 'e/0']);
});

test('an unused slot passes to the next request immediately, a used one does not', () => {
  const { clock, granted, request } = stage({ burst: 1, maxRestartsPerMinute: 1 });
  const release = request('shop/a');
  const used = request('shop/b');
  assert.deepEqual(granted, ['shop/a']);
  release({ wasUsed: false });
  assert.deepEqual(granted, ['shop/a', 'shop/b']);
  request('shop/c');
  used();
  assert.deepEqual(granted, ['shop/a', 'shop/b']);
  clock.advance(60_000);
  assert.deepEqual(granted, ['shop/a', 'shop/b', 'shop/c']);
});

test('releasing a slot twice counts once', () => {
  const { granted, request } = stage({ burst: 2, maxRestartsPerMinute: 1 });
  const release = request('shop/a');
  request('shop/b');
  release({ wasUsed: false });
  release({ wasUsed: false });
  for (const name of ['c', 'd']) request(`shop/${name}`);
  assert.deepEqual(granted, ['shop/a', 'shop/b', 'shop/c']);
});

test('a first release has no effect on a second request for the same workload', () => {
  const { turns, request } = stage();
  const first = request('shop/a');
  first();
  request('shop/a');
  first();
  assert.equal(turns.restarts.active, 1);
});

test('a request that is cancelled while it waits is never granted, and leaves no timer', () => {
  const { clock, granted, request } = stage({ burst: 1 });
  request('shop/a');
  const cancel = request('shop/b');
  assert.equal(clock.pending, 1);
  cancel();
  assert.equal(clock.pending, 0);
  clock.advance(3_600_000);
  assert.deepEqual(granted, ['shop/a']);
});

test('a waiting request reports its reason once; a request that is granted immediately reports none', () => {
  const { clock, waits, request } = stage({ burst: 1 });
  request('shop/a');
  request('shop/b');
  clock.advance(1_000);
  assert.deepEqual(waits, [
    'shop/b: others are ahead of it: at most 10 rollouts at once (maxConcurrentRollouts) and 30 restarts a minute (maxRestartsPerMinute)',
  ]);
});

test('changed limits apply immediately: higher ones to waiting requests, lower ones to new requests', () => {
  const { clock, turns, granted, waits, request, change } = stage({ maxConcurrentRollouts: 1 });
  const releases = ['a', 'b', 'c', 'd'].map((name) => request(`shop/${name}`));
  assert.deepEqual(granted, ['shop/a']);
  change({ maxConcurrentRollouts: 3 });
  assert.deepEqual(granted, ['shop/a', 'shop/b', 'shop/c']);
  assert.match(waits.at(-1) ?? '', /^shop\/d: .*3 rollouts at once/);
  change({ maxConcurrentRollouts: 1 });
  releases[0]?.();
  releases[1]?.();
  assert.equal(turns.restarts.waiting, 1);
  releases[2]?.();
  assert.equal(turns.restarts.waiting, 0);
  for (const name of ['e', 'f']) request(`shop/${name}`);
  change({ maxConcurrentRollouts: 100, maxRestartsPerMinute: 60, burst: 1 });
  assert.equal(granted.length, 5, 'the accumulated tokens are limited to the new burst');
  clock.advance(1_000);
  assert.equal(granted.length, 6);
});

test('a rollout already in progress takes a slot but no token, even if no slot is free', () => {
  const { turns, granted, request } = stage({ maxConcurrentRollouts: 2, burst: 1 });
  const releases = ['a', 'b', 'c'].map((name) => turns.registerRollout(`shop/${name}`));
  request('shop/d');
  assert.equal(turns.restarts.active, 3);
  releases[0]?.();
  assert.deepEqual(granted, []);
  releases[1]?.();
  assert.deepEqual(granted, ['shop/d']);
});

test('adoptions have their own rate limit, and no limit on concurrency', () => {
  const { clock, turns, request } = stage({ burst: 1 });
  const adopted: number[] = [];
  for (let index = 0; index < 500; index += 1) turns.requestAdoption(`shop/${index}`, () => adopted.push(index));
  assert.equal(adopted.length, 10);
  clock.advance(60_000);
  assert.equal(adopted.length, 130);
  assert.deepEqual(adopted, [...adopted.keys()], 'first come, first served');
  clock.advance(185_000);
  assert.equal(adopted.length, 500);
  assert.equal(clock.pending, 0);
  request('shop/0');
  assert.equal(turns.restarts.active, 1);
});

test('a workload has at most one request', () => {
  const { turns, request } = stage({ maxConcurrentRollouts: 1 });
  request('shop/a');
  request('shop/b');
  for (const key of ['shop/a', 'shop/b']) {
    assert.throws(() => request(key), new RegExp(`^Error: ${key} is in the queue already$`));
    assert.throws(() => turns.registerRollout(key), /is in the queue already/);
  }
});

test('a rate of zero grants nothing until the limit changes', () => {
  const { clock, granted, request, change } = stage({ burst: 1, maxRestartsPerMinute: 0 });
  request('shop/a');
  request('shop/b');
  clock.advance(3_600_000);
  assert.deepEqual(granted, ['shop/a']);
  change({ maxRestartsPerMinute: 60 });
  clock.advance(1_000);
  assert.deepEqual(granted, ['shop/a', 'shop/b']);
});

test('nothing is granted after close()', () => {
  const { clock, turns, granted, request } = stage({ burst: 1 });
  const release = request('shop/a');
  request('shop/b');
  turns.close();
  release({ wasUsed: false });
  request('shop/c');
  clock.advance(3_600_000);
  assert.deepEqual(granted, ['shop/a']);
  assert.equal(clock.pending, 0);
});
