import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ChangeType } from '@weeder/kube-runtime/watch';
import { type Simulation, simulate } from '../support/world/simulation.ts';

interface Recorded {
  readonly at: number;
  readonly type: ChangeType;
  readonly object: unknown;
  readonly stream: 'pods' | 'slices';
}

const folder = join(import.meta.dirname, '../data/recorded');

/** The events of both streams of a recording, in the order of their times (epoch milliseconds). */
function recording(name: string): Recorded[] {
  const read = (file: string, stream: Recorded['stream']) =>
    readFileSync(join(folder, `${name}-${file}-events.jsonl`), 'utf8')
      .trim()
      .split('\n')
      .map((line) => {
        const { ts, type, object } = JSON.parse(line);
        return { at: Date.parse(ts), type, object, stream };
      });
  return [...read('slice', 'slices'), ...read('pod', 'pods')].sort((a, b) => a.at - b.at);
}

/** Plays a recording at its own times; the decisions of weeder do not change what follows. */
async function play(events: readonly Recorded[], wallClockError = 0): Promise<Simulation> {
  const first = events[0]?.at ?? 0;
  const simulation = simulate({ startTime: first + wallClockError });
  let now = first;
  for (const { at, type, object, stream } of events) {
    await simulation.clock.pass(at - now);
    now = at;
    const sinks = stream === 'slices' ? [simulation.weeder.slices] : [...simulation.weeder.pods.values()];
    for (const sink of sinks) sink.apply(type, object);
  }
  await simulation.clock.pass(600_000);
  return simulation;
}

/** Epoch times of the last line that made the service ready again, and of the line that made it notReady. */
function outageOf(events: readonly Recorded[]): { readonly from: number; readonly to: number } {
  const slices = events.filter((event) => event.stream === 'slices');
  return { from: slices[1]?.at ?? 0, to: slices.at(-1)?.at ?? 0 };
}

const wallClockErrors = [0, 3_600_000, -3_600_000, 30_000, -30_000];

for (const name of ['scaled-to-zero', 'not-ready-exit5']) {
  test(`${name}, recorded from a real kubelet: deleted within 3 s of the recovery, and never during the outage`, async () => {
    const events = recording(name);
    const { from, to } = outageOf(events);
    assert.ok(to - from > 100_000);
    for (const wallClockError of wallClockErrors) {
      const { deletions, weeder, clock } = await play(events, wallClockError);
      const times = deletions.map((each) => each.at + (events[0]?.at ?? 0));
      assert.ok(times.length >= 1);
      assert.deepEqual(
        times.filter((time) => time >= from && time < to),
        [],
      );
      const afterRecovery = times.filter((time) => time >= to);
      assert.ok((afterRecovery[0] ?? Number.POSITIVE_INFINITY) - to < 3000);
      assert.equal(weeder.counts().podDeletions, 0);
      assert.equal(clock.pending, 0);
    }
  });
}

test('at the recovery of not-ready-exit5 the status is terminated: watching for CrashLoopBackOff alone misses it', async () => {
  const events = recording('not-ready-exit5');
  const { to } = outageOf(events);
  const lastPod = events.filter((event) => event.stream === 'pods' && event.at < to).at(-1);
  assert.match(JSON.stringify(lastPod?.object), /"terminated":\{"exitCode":1/);
  const { events: reported } = await play(events);
  const deleted = reported.find((event) => event.type === 'pod.deleted');
  assert.ok(deleted?.type === 'pod.deleted' && deleted.pod.cause === 'unreported' && deleted.pod.restarts === 4);
});

test('the deletion has the newest recorded state as its precondition', async () => {
  for (const name of ['scaled-to-zero', 'not-ready-exit5']) {
    const events = recording(name);
    const { to } = outageOf(events);
    const newest = events.filter((event) => event.stream === 'pods' && event.at < to).at(-1);
    const { deletions } = await play(events);
    const { uid, resourceVersion } = deletions[0] ?? {};
    assert.partialDeepStrictEqual(newest?.object, { metadata: { uid, resourceVersion } });
  }
});
