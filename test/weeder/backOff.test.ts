import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BackOff, backOffLeft, backOffOf } from '../../src/weeder/pods/backOff.ts';
import { type CrashLoopingPod, crashLooping } from '../../src/weeder/pods/crashLooping.ts';
import { backOff, type ContainerState, pod, terminated } from '../support/objects/objects.ts';

function read(container: ContainerState): CrashLoopingPod {
  const found = crashLooping(pod({ containers: [container] }));
  assert.ok(found !== undefined);
  return found;
}

const of = (container: ContainerState): BackOff => backOffOf(read(container));

test('the duration of a back-off is the one that the kubelet reports', () => {
  const said = (words: string) => of(backOff(9, `back-off ${words} restarting failed`)).duration;
  assert.deepEqual(['10s', '1m20s', '5m0s', '2m40s'].map(said), [10_000, 80_000, 300_000, 160_000]);
});

test('without a report from the kubelet a back-off is 10 s, doubled with each restart, up to 5 minutes', () => {
  const scheduled = [1, 2, 3, 4, 5, 6, 60].map((restarts) => of(terminated(0, restarts)));
  assert.deepEqual(
    scheduled.map(({ duration, until }) => [duration, until]),
    [10, 20, 40, 80, 160, 300, 300].map((seconds) => [seconds * 1000, seconds * 1000]),
  );
  assert.equal(of(backOff(2, 'words that no kubelet has')).duration, 20_000);
});

test('a back-off starts when the container last finished; without that time its end is unknown', () => {
  assert.equal(of(backOff(3)).until, undefined);
  const { state } = terminated(5000);
  assert.equal(of({ ...backOff(3), lastState: state }).until, 45_000);
});

test('the remaining time is never more than the whole and never negative, whatever the clocks show', () => {
  const waiting = read(terminated(100_000, 2));
  assert.deepEqual(
    [0, 100_000, 105_000, 120_000, 500_000].map((now) => backOffLeft(waiting, now)),
    [20_000, 20_000, 15_000, 0, 0],
  );
  assert.equal(backOffLeft(read(backOff(3)), 0), undefined);
});
