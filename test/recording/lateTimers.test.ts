import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Clock, virtualClock } from '@weeder/kube-runtime/base';
import { assertMeets } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { type Entry, roundedTime } from '../../src/recording/file/entry.ts';
import { createLateTimers } from '../../src/recording/file/lateTimers.ts';
import type { RecordedLine } from '../../src/recording/file/lines.ts';
import { createHeldTimers } from '../../src/replay/played/heldTimers.ts';

/** What an input does: it arms timers. */
interface Armed {
  /** Milliseconds after the input. */
  readonly wait: number;
  /** The delay is computed from the time of the input, as a restart does with its quiet period. */
  readonly isComputed: boolean;
  /** The timer arms another one with this delay. */
  readonly next?: number;
}

interface Step {
  /** How long the process is idle before the input. Milliseconds, like all times here. */
  readonly idle: number;
  /** For how long it is busy then: the timers that are due wait. */
  readonly busy: number;
  /** Whether they run before it reads the input. */
  readonly readsLast: boolean;
  /** How long it handles the input before it arms each timer. */
  readonly takes: number;
  readonly arms: readonly Armed[];
}

type Log = (what: string) => void;

/** Arms the timers of an input, and logs each that fires. */
function handle(clock: Clock, name: string, arms: readonly Armed[], log: Log, takes: () => void): void {
  const at = clock.monotonic();
  log(name);
  for (const [index, { wait, isComputed, next }] of arms.entries()) {
    takes();
    const fire = () => {
      log(`${name}.${index}`);
      if (next !== undefined) clock.setTimeout(() => log(`${name}.${index} next`), next);
    };
    clock.setTimeout(fire, isComputed ? Math.max(0, at + wait - clock.monotonic()) : wait);
  }
}

/** Records a run. Returns its lines, and what happened in which order. */
function record(steps: readonly Step[]): { readonly lines: readonly RecordedLine[]; readonly log: readonly string[] } {
  const clock = virtualClock();
  const lines: RecordedLine[] = [];
  const log: string[] = [];
  const now = () => ({ t: roundedTime(clock.monotonic()), wall: 0 });
  const timers = createLateTimers(append);
  const recorded = timers.recorded(clock);

  function append(entry: Entry): void {
    timers.apply(entry, now());
    lines.push({ t: now().t, of: 'restart', ...entry });
  }

  for (const [index, { idle, busy, readsLast, takes, arms }] of steps.entries()) {
    clock.advance(idle);
    clock.suspend(busy);
    if (readsLast) clock.advance(0);
    append({ in: 'start' });
    handle(
      recorded,
      `input ${index}`,
      arms,
      (what) => log.push(what),
      () => clock.suspend(takes),
    );
  }
  clock.advance(100_000);
  return { lines, log };
}

/** Plays the lines, as a player of a controller does. */
function play(lines: readonly RecordedLine[], steps: readonly Step[]): string[] {
  const clock = virtualClock();
  const log: string[] = [];
  const held = createHeldTimers(clock, lines, 'restart');
  let inputs = 0;
  for (const line of lines) {
    clock.advance(Math.max(0, line.t - clock.monotonic()));
    if (!('in' in line)) continue;
    held.apply(line);
    if (line.in !== 'timer')
      handle(
        held.clock,
        `input ${inputs}`,
        steps[inputs++]?.arms ?? [],
        (what) => log.push(what),
        () => {},
      );
  }
  clock.advance(100_000);
  return log;
}

/** Between which inputs each timer fired. */
function orderOf(log: readonly string[]): string[][] {
  const gaps: string[][] = [];
  for (const what of log) {
    if (/^input \d+$/.test(what)) gaps.push([]);
    gaps.at(-1)?.push(what);
  }
  return gaps.map((gap) => gap.sort());
}

const thousandth = (max: number) => fc.integer({ min: 0, max: max * 1000 }).map((each) => each / 1000);
const step: fc.Arbitrary<Step> = fc.record({
  idle: fc.oneof(thousandth(1_200), thousandth(30)),
  busy: fc.oneof(fc.constant(0), thousandth(300)),
  readsLast: fc.boolean(),
  takes: thousandth(6),
  arms: fc.array(
    fc.record(
      {
        wait: fc.constantFrom(100, 990, 1_000, 1_010),
        isComputed: fc.boolean(),
        next: fc.constantFrom(20, 200),
      },
      { requiredKeys: ['wait', 'isComputed'] },
    ),
    { maxLength: 3 },
  ),
});

test('in a replay each timer fires between the same inputs as in the recorded run, however busy that was', () =>
  assertMeets({ 'late timers': 400 }, 1_000, (met) =>
    fc.property(fc.array(step, { minLength: 2, maxLength: 25 }), (steps) => {
      const { lines, log } = record(steps);
      met['late timers'] += lines.filter((line) => 'in' in line && line.in === 'timer').length;
      assert.deepEqual(orderOf(play(lines, steps)), orderOf(log));
    }),
  ));

test('in a file that begins in the middle, a late timer that was armed before it is known by when it was due', () => {
  const at = (t: number) => ({ t, of: 'restart' as const });
  const lines: RecordedLine[] = [
    { ...at(1_000), in: 'snapshotEnd', busy: [] },
    { ...at(1_500), in: 'start' },
    { ...at(2_000), in: 'start' },
    { ...at(2_010), in: 'timer', name: 'of the file before', due: 1_990 },
  ];
  const arms = (wait: number) => [{ wait, isComputed: false }];
  const played = (...waits: number[]) =>
    play(
      lines,
      waits.map((wait) => ({ idle: 0, busy: 0, readsLast: false, takes: 0, arms: arms(wait) })),
    );
  const [restored, late, other] = ['input 0', 'input 0.0', 'input 1.0'];
  // The first of the three inputs restores the state.
  assert.deepEqual(played(985, 480, 100), [restored, 'input 1', other, 'input 2', late, 'input 2.0']);
  assert.deepEqual(played(960, 490, 100), [restored, 'input 1', late, other, 'input 2', 'input 2.0']);
});
