import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countedOnce } from '../../src/replay/recorded/countedOnce.ts';
import type { TimelineEvent } from '../../src/replay/recorded/timelineEvent.ts';

const deleted = { t: 5, out: 'pod.deleted', pod: 'shop/web', detail: 'delete, CrashLoopBackOff, restarts 3' } as const;
const failed = { t: 9, out: 'deletion.failed', pod: 'shop/api', detail: 'the window closed first' } as const;
const db = { about: 'shop/db', window: 1 };
const dns = { about: 'shop/dns', window: 4 };
const closed = (detail: string) => ({ t: 10, out: 'window.closed', detail }) as const;

test('an outcome that was recorded for two windows counts for the first, and the sums of the other lack it', () => {
  const events: TimelineEvent[] = [
    { ...deleted, ...db },
    { ...deleted, ...dns },
    { ...failed, ...db },
    { ...failed, ...dns },
    { ...closed('1 deleted, 2 skipped, 1 failed'), ...db },
    { ...closed('3 deleted, 2 skipped, 1 failed'), ...dns },
  ];
  assert.deepEqual(countedOnce(events), [
    { ...deleted, ...db },
    { ...failed, ...db },
    { ...closed('1 deleted, 2 skipped, 1 failed'), ...db },
    { ...closed('2 deleted, 2 skipped, 0 failed'), ...dns },
  ]);
});

test('outcomes of other pods and times, and pods that several windows skip, are all kept', () => {
  const skipped = { t: 5, out: 'pod.skipped', pod: 'shop/web', detail: 'barePod' } as const;
  const events: TimelineEvent[] = [
    { ...deleted, ...db },
    { ...deleted, ...dns, t: 6 },
    { ...deleted, ...dns, pod: 'shop/api' },
    { ...skipped, ...db },
    { ...skipped, ...dns },
    { ...closed('2 deleted, 1 skipped, 0 failed'), ...dns },
  ];
  assert.deepEqual(countedOnce(events), events);
});
