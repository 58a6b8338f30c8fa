import type { InspectionEvent } from 'xstate';
import { settled, type VirtualClock, virtualClock } from '../base/virtualClock.ts';
import type { ReportObserver } from '../observer/model/events.ts';
import type { ObserverCore } from '../observer/observerCore.ts';
import { createObserverPlayer } from '../observer/replay/observerPlayer.ts';
import type { RecordedEvent } from '../recording/events.ts';
import type { Input } from '../recording/file/entry.ts';
import type { ReportRestart } from '../restart/model/events.ts';
import { createRestartPlayer } from '../restart/replay/restartPlayer.ts';
import type { RestartControl } from '../restart/restartControl.ts';
import type { ReportWeeder } from '../weeder/deletions/weederEvents.ts';
import { createWeederPlayer } from '../weeder/replay/weederPlayer.ts';
import type { Weeder } from '../weeder/weeder.ts';
import type { RecordingFile } from './recorded/recordingFile.ts';

/** Runs the real controllers in simulated time with the recorded inputs, line by line. */
export interface Player {
  /** Its `monotonic()` is the time since the start of the recording. */
  readonly clock: VirtualClock;
  weeder(): Weeder;
  /** Undefined: no input of restart control has been recorded so far. */
  restarts(): RestartControl | undefined;
  /** Undefined: no input of the application observer has been recorded so far. */
  observer(): ObserverCore | undefined;
  /** The time of the next line in milliseconds since the start; undefined after the last. */
  nextAt(): number | undefined;
  /** Plays the next line, with all others of its time. Returns false after the last. */
  next(): Promise<boolean>;
  /** Plays all lines up to `t`, and advances the clock to it. Milliseconds since the start. */
  playTo(t: number): Promise<void>;
}

interface PlayerOptions {
  /** Called with each event and each request, except those that are excluded in a file that begins in the middle. */
  readonly record?: (event: RecordedEvent) => void;
  /** Called with every event of the weeder. */
  readonly onWeederEvent?: ReportWeeder;
  /** Called with every event of restart control. */
  readonly onRestartEvent?: ReportRestart;
  /** Called with every event of the application observer. */
  readonly onObserverEvent?: ReportObserver;
  readonly inspect?: (event: InspectionEvent) => void;
}

export function createPlayer({ header, config, lines }: RecordingFile, options: PlayerOptions): Player {
  const { record = () => {}, onWeederEvent, onRestartEvent, onObserverEvent, inspect } = options;
  const startedAt = Date.parse(header.startedAt);
  const clock = virtualClock(startedAt);
  clock.suspend(lines[0]?.t ?? 0);
  let played = 0;
  const stage = { header, lines, clock, record, ...(inspect === undefined ? {} : { inspect }) };
  const players = {
    weeder: createWeederPlayer(stage, config, onWeederEvent),
    restart: createRestartPlayer(stage, onRestartEvent),
    observer: createObserverPlayer(stage, onObserverEvent),
  };

  async function next(): Promise<boolean> {
    const t = nextAt();
    if (t === undefined) return false;
    await moveTo(clock, t);
    const taken: Promise<void>[] = [];
    for (let line = lines[played]; line?.t === t; line = lines[played]) {
      played += 1;
      if (line.wall !== undefined) clock.jumpWallClock(startedAt + line.t + line.wall - clock.now());
      if (!('in' in line)) continue;
      taken.push(players[line.of].take(line));
      // What streams deliver at the same time is taken before anything else runs.
      if (!('stream' in line)) await pauseAfter(line, taken);
    }
    await Promise.all(taken);
    return true;
  }

  const nextAt = () => lines[played]?.t;
  return {
    clock,
    weeder: players.weeder.weeder,
    restarts: players.restart.control,
    observer: players.observer.core,
    nextAt,
    next,
    async playTo(t) {
      while ((nextAt() ?? Number.POSITIVE_INFINITY) <= t) await next();
      await moveTo(clock, t);
    },
  };
}

/** A value is needed only once an effect has ended, even if no time has passed since the input. */
async function pauseAfter(input: Input, taken: readonly Promise<void>[]): Promise<void> {
  await Promise.all(taken);
  if (input.in === 'random') await settled();
}

/** A recording has its times to the microsecond, so a timer that was first may be due that much later. Milliseconds. */
const rounding = 0.001;

async function moveTo(clock: VirtualClock, t: number): Promise<void> {
  const ms = t - clock.monotonic();
  if (ms > 0) await clock.pass(ms);
  for (let due = clock.nextDue; due !== undefined && due <= t + rounding; due = clock.nextDue)
    await clock.pass(Math.max(0, due - clock.monotonic()));
}
