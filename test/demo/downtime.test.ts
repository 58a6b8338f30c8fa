import assert from 'node:assert/strict';
import { test } from 'node:test';
import { virtualClock } from '@weeder/kube-runtime/testing';
import { countDowntimes } from '../../src/demo/downtime.ts';
import { podView } from '../../src/demo/podView.ts';

const pod = (uid: string) => ({ metadata: { uid, name: `pod-${uid}` } });

test('downtimes count from the beginning of the outage, under the names that the pods have then', () => {
  const clock = virtualClock();
  const count = countDowntimes(clock, () => {});
  const observe = (type: 'ADDED' | 'MODIFIED' | 'DELETED', uid: string, isReady: boolean) =>
    count.observe(type, { ...podView(pod(uid)), isReady });
  observe('ADDED', 'first', true);
  observe('ADDED', 'other', true);
  observe('DELETED', 'first', false);
  clock.advance(5_000);
  observe('ADDED', 'second', true);
  assert.deepEqual(
    count.all().map(({ pod: name, total }) => [name, total]),
    [
      ['pod-first', 5_000],
      ['pod-other', 0],
    ],
  );
  observe('MODIFIED', 'other', false);
  clock.advance(1_000);
  count.begin();
  clock.advance(2_000);
  assert.deepEqual(count.all(), [
    { pod: 'pod-second', total: 0, isDown: false },
    { pod: 'pod-other', total: 2_000, isDown: true },
  ]);
});
