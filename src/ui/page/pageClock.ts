import type { ReplayClock } from '../protocol.ts';

/** Weeder's time, not the browser's; in a replay the recording's, which may stand still or run fast. */
interface PageClock {
  now(): number;
  /** Weeder's clock shows this now, and runs so many times as fast as real time. */
  set(now: number, speed?: number): void;
  follow(replay: ReplayClock): void;
  /** No connection to weeder: the page is as of this time, until it is set again. */
  stop(at: number): void;
}

export function createPageClock(): PageClock {
  let shown = Date.now();
  let setAt = performance.now();
  let speed = 1;
  /** The value of `speed` while weeder is connected. */
  let usual = 1;
  let end = Number.POSITIVE_INFINITY;

  function show(now: number, its: number): void {
    [shown, setAt, speed] = [now, performance.now(), its];
  }

  return {
    now: () => Math.min(end, shown + (performance.now() - setAt) * speed),
    set(now, its = usual) {
      usual = its;
      end = Number.POSITIVE_INFINITY;
      show(now, its);
    },
    follow(replay) {
      end = replay.endsAt;
      show(replay.now, replay.isPlaying ? replay.speed : 0);
    },
    stop: (at) => show(at, 0),
  };
}
