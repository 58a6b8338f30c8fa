import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BackOff, backOffLeft, backOffOf, backOffSaved } from '../../src/weeder/pods/backOff.ts';
import { type CrashLoopingPod, crashLooping } from '../../src/weeder/pods/crashLooping.ts';
import { backOff, type ContainerState, pod, terminated } from '../support/objects/objects.ts';

function read(container: ContainerState): CrashLoopingPod {
  const loopingPod = crashLooping(pod({ containers: [container] }));
  assert.ok(loopingPod !== undefined);
  return loopingPod;
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

/** A container that has just ended, and whose last run the kubelet delayed by this time. */
function delayed(restarts: number, waited: number): ContainerState {
  const run = {
    exitCode: 1,
    startedAt: new Date(900_000).toISOString(),
    finishedAt: new Date(1_000_000).toISOString(),
  };
  const before = { exitCode: 1, finishedAt: new Date(900_000 - waited).toISOString() };
  return { restarts, state: { terminated: run }, lastState: { terminated: before } };
}

test('without a report a back-off is at most twice as long as the last one: the maximum of the kubelet may be shorter', () => {
  const duration = (restarts: number, waited: number) => of(delayed(restarts, waited)).duration / 1000;
  assert.deepEqual(
    [duration(5, 80_000), duration(5, 93_000), duration(6, 160_000), duration(9, 300_000)],
    [160, 160, 300, 300],
    'the default schedule, with late restarts',
  );
  assert.deepEqual([duration(5, 10_000), duration(5, 18_000)], [20, 36], 'a maximum of 10 s');
  assert.deepEqual([duration(5, 1_000), duration(5, 0), duration(5, -3_000)], [10, 10, 10], 'it begins again');
  assert.equal(duration(1, 0), 10);
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

test('a deletion saves the rest of the back-off once in a window, and an unknown rest counts as nothing', () => {
  const pod = read(terminated(100_000, 2));
  assert.equal(backOffSaved({ pod, isRepeated: false }, 105_000), 15_000);
  assert.equal(backOffSaved({ pod, isRepeated: true }, 105_000), 0);
  assert.equal(backOffSaved({ pod: read(backOff(3)), isRepeated: false }, 105_000), 0);
});
