import type { ReplayClock } from '../../src/ui/protocol.ts';

/** Weeder's time, not the browser's; in a replay the recording's, which may stand still or run fast. */
export interface PageClock {
  now(): number;
  /** Weeder's clock shows this now. */
  set(now: number): void;
  follow(replay: ReplayClock): void;
}

export function createPageClock(): PageClock {
  let shown = Date.now();
  let setAt = performance.now();
  let speed = 1;
  let end = Number.POSITIVE_INFINITY;
  return {
    now: () => Math.min(end, shown + (performance.now() - setAt) * speed),
    set(now) {
      [shown, setAt, speed, end] = [now, performance.now(), 1, Number.POSITIVE_INFINITY];
    },
    follow(replay) {
      [shown, setAt, end] = [replay.now, performance.now(), replay.endsAt];
      speed = replay.isPlaying ? replay.speed : 0;
    },
  };
}
