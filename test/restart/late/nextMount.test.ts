import assert from 'node:assert/strict';
import { test } from 'node:test';
import { latestMount, nextMount } from '../../../src/restart/late/nextMount.ts';

const second = 1_000;
const since = Date.UTC(2026, 0, 1);
const after = (seconds: number) => (nextMount(since, since + seconds * second) - since) / second;

test('the next attempt follows the delays of the kubelet: from half a second, doubling to 122 seconds', () => {
  const attempts = [after(0)];
  for (let count = 0; count < 13; count += 1) attempts.push(after((attempts.at(-1) ?? 0) + latestMount / second));
  // Of the attempts before, several may be under way at once.
  assert.deepEqual(attempts.slice(1), [0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 63.5, 127.5, 249.5, 371.5, 493.5, 615.5, 737.5]);
});

/** Seconds from the start of a pod to the appearance of its Secret, and to its container: kubelet 1.36.3. */
const measured = [
  [45.3, 65.1],
  [140.8, 251.4],
] as const;

test('the schedule is the measured one: a pod runs soon after the predicted attempt', () => {
  for (const [appearedAt, runsAt] of measured) {
    const attempt = after(appearedAt);
    assert.ok(attempt <= runsAt && runsAt < attempt + latestMount / second, `${appearedAt}: ${attempt}`);
  }
});

test('an attempt that may be under way counts as the next one', () => {
  assert.equal(after(63.5), 63.5);
  assert.equal(after(66.4), 63.5);
  assert.equal(after(66.6), 127.5);
});

test('a pod that has waited for years has its next attempt within 122 seconds', () => {
  const years = 3 * 365 * 86_400;
  const next = after(years);
  assert.ok(next > years - latestMount / second && next <= years + 122);
});
