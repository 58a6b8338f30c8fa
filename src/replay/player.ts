import type { InspectionEvent } from 'xstate';
import { type VirtualClock, virtualClock } from '../base/virtualClock.ts';
import type { ReportObserver } from '../observer/model/events.ts';
import type { ObserverCore } from '../observer/observerCore.ts';
import type { RecordedEvent } from '../recording/events.ts';
import type { ReportRestart } from '../restart/model/events.ts';
import type { RestartControl } from '../restart/restartControl.ts';
import type { ReportWeeder } from '../weeder/deletions/weederEvents.ts';
import type { Weeder } from '../weeder/weeder.ts';
import { createObserverPlayer } from './observer/observerPlayer.ts';
import type { RecordingFile } from './recorded/recordingFile.ts';
import { createRestartPlayer } from './restart/restartPlayer.ts';
import { createWeederPlayer } from './weeder/weederPlayer.ts';

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
  /** Plays the next line. Returns false after the last. */
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
    const line = lines[played];
    if (line === undefined) return false;
    played += 1;
    await moveTo(clock, line.t);
    if (line.wall !== undefined) clock.jumpWallClock(startedAt + line.t + line.wall - clock.now());
    if ('in' in line) await players[line.of].take(line);
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

async function moveTo(clock: VirtualClock, t: number): Promise<void> {
  const ms = t - clock.monotonic();
  if (ms > 0) await clock.pass(ms);
}
