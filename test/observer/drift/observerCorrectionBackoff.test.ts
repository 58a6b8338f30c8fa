import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { initialTransition, type SnapshotFrom, transition } from 'xstate';
import { quietPeriod, type ResourceEvent, resource } from '../../../machines/observer/resource.ts';
import { correctionKey, missingKey } from '../../../src/observer/drift/correctionKey.ts';

const second = 1_000;
const minute = 60 * second;
const replicas = ['.spec.replicas'];

/** The machine of a resource that is not observed, with the corrections that it remembers. */
type Resource = SnapshotFrom<typeof resource>;

const [noCorrections] = initialTransition(resource, {});

function after(before: Resource, event: ResourceEvent): Resource {
  return transition(resource, before, event)[0];
}

function withCorrection(before: Resource, paths: readonly string[], now: number): Resource {
  return after(before, { type: 'write.ended', paths, now });
}

function backoffFor(before: Resource, paths: readonly string[], now: number): number {
  const checking = after(before, { type: 'observation.started' });
  return after(checking, { type: 'check.drifted', paths, now }).context.backoff;
}

/** The times, in seconds, at which permanently repeated drift is corrected. */
function correctionTimes(
  count: number,
  keys: (round: number) => readonly string[] = () => replicas,
): readonly number[] {
  let pace: Resource = noCorrections;
  let now = 0;
  return Array.from({ length: count }, (_, round) => {
    now += backoffFor(pace, keys(round), now);
    pace = withCorrection(pace, keys(round), now);
    return now / second;
  });
}

/** Corrections of one path: the gap between two of them follows from the number in a row. */
function assertPaced(moments: readonly number[]): void {
  let row = 0;
  for (const [index, moment] of moments.entries()) {
    const gap = moment - (moments[index - 1] ?? Number.NEGATIVE_INFINITY);
    if (gap >= 10 * minute) row = 0;
    else assert.ok(gap >= Math.min(5 * minute, 2 * second * 2 ** (row - 1)));
    row += 1;
  }
}

suite('the back-off of corrections', () => {
  test('allows the first at once, and delays from the second on: 2 s, doubling to five minutes', () => {
    assert.deepEqual(correctionTimes(12), [0, 2, 6, 14, 30, 62, 126, 254, 510, 810, 1110, 1410]);
  });

  test('counts the delay from the previous correction, so that late drift is corrected at once', () => {
    const pace = withCorrection(noCorrections, replicas, 0);
    assert.equal(backoffFor(pace, replicas, 500), 1_500);
    assert.equal(backoffFor(pace, replicas, 2_000), 0);
    assert.equal(backoffFor(pace, replicas, 5 * minute), 0);
  });

  test('resets after ten minutes without a correction, and not before', () => {
    let pace: Resource = noCorrections;
    for (let round = 0; round < 6; round += 1) pace = withCorrection(pace, replicas, 0);
    const [just, over] = [10 * minute - 1, 10 * minute];
    assert.equal(backoffFor(withCorrection(pace, replicas, just), replicas, just), 128 * second);
    assert.equal(backoffFor(withCorrection(pace, replicas, over), replicas, over), 2 * second);
    assert.equal(over, quietPeriod);
  });

  test('is counted per path: repeated drift of one path delays no other, and a correction of both waits for the longer one', () => {
    let pace: Resource = noCorrections;
    for (let round = 0; round < 4; round += 1) pace = withCorrection(pace, replicas, 0);
    assert.equal(backoffFor(pace, ['.spec.paused'], 0), 0);
    assert.equal(backoffFor(pace, [...replicas, '.spec.paused'], 0), 16 * second);
  });

  test('applies to a resource that is repeatedly deleted too', () => {
    const pace = withCorrection(noCorrections, [missingKey], 0);
    assert.equal(backoffFor(pace, [missingKey], 0), 2 * second);
  });

  test('counts added elements by their list: a new name each time makes no difference', () => {
    const key = (name: string, type: 'excess' | 'changed') =>
      correctionKey({ path: `.spec.containers[name=${JSON.stringify(name)}]`, type });
    for (const name of ['a', 'x]y', 'a"]["b', '\\']) assert.equal(key(name, 'excess'), '.spec.containers');
    assert.equal(key('a', 'changed'), '.spec.containers[name="a"]');
    assert.equal(correctionKey({ path: '.ports[port=80,protocol="TCP"]', type: 'duplicate' }), '.ports');
    assert.equal(correctionKey({ path: '.finalizers[="x"]', type: 'excess' }), '.finalizers');
    assert.equal(correctionKey({ path: '.args[0][1]', type: 'excess' }), '.args[0]');
    assert.equal(correctionKey({ path: '.spec.hostNetwork', type: 'excess' }), '.spec.hostNetwork');
    const times = correctionTimes(4, (round) => [key(`evil-${round}`, 'excess')]);
    assert.deepEqual(times, [0, 2, 6, 14]);
  });

  test('does not grow when the clock is set back', () => {
    const pace = withCorrection(noCorrections, replicas, 60 * minute);
    assert.ok(backoffFor(pace, replicas, 0) <= 5 * minute);
  });

  test('never allows corrections closer than the delay, nor a delay above five minutes, whatever happens', () => {
    const drift = fc.record({ after: fc.nat(11 * minute), key: fc.constantFrom('a', 'b', 'c') });
    fc.assert(
      fc.property(fc.array(drift, { maxLength: 60 }), (drifts) => {
        let [pace, now]: [Resource, number] = [noCorrections, 0];
        const corrected = new Map<string, number[]>();
        for (const { after, key } of drifts) {
          now += after;
          const wait = backoffFor(pace, [key], now);
          assert.ok(wait >= 0 && wait <= 5 * minute);
          now += wait;
          pace = withCorrection(pace, [key], now);
          corrected.set(key, [...(corrected.get(key) ?? []), now]);
        }
        for (const moments of corrected.values()) assertPaced(moments);
      }),
      propertyRuns(500),
    );
  });

  test('stores a limited number of paths', () => {
    let pace: Resource = noCorrections;
    for (let index = 0; index < 1_000; index += 1) pace = withCorrection(pace, [`.a${index}`], index);
    assert.equal(pace.context.memory.corrections.size, 200);
    assert.ok(backoffFor(pace, ['.a999'], 1_000) > 0);
  });
});
