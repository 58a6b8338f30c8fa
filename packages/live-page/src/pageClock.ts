import type { ReplayClock } from '../protocol/protocol.ts';

/** The clock of weeder, not of the browser. In a replay it is the recording's, which may be paused or run fast. */
interface PageClock {
  now(): number;
  /** Sets the current time, and the speed as a multiple of real time. */
  set(now: number, speed?: number): void;
  follow(replay: ReplayClock): void;
  /** Stops the clock at this time, because the connection is lost, until the clock is set again. */
  stop(at: number): void;
}

export function createPageClock(): PageClock {
  let shown = Date.now();
  let setAt = performance.now();
  let speed = 1;
  /** The value of `speed` while weeder is connected. */
  let usual = 1;
  let end = Number.POSITIVE_INFINITY;

  function show(now: number, newSpeed: number): void {
    [shown, setAt, speed] = [now, performance.now(), newSpeed];
  }

  return {
    now: () => Math.min(end, shown + (performance.now() - setAt) * speed),
    set(now, newSpeed = usual) {
      usual = newSpeed;
      end = Number.POSITIVE_INFINITY;
      show(now, newSpeed);
    },
    follow(replay) {
      end = replay.endsAt;
      show(replay.now, replay.isPlaying ? replay.speed : 0);
    },
    stop: (at) => show(at, 0),
  };
}
