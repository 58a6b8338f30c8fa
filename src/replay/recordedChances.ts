import type { RecordedLine } from '../recording/lines.ts';
import { tolerance } from './compare.ts';

/**
 * What restart control made jitter of, in its order. In a file that begins in the middle a replay asks more often, or
 * less, and each chance is for its own time alone: without one it is the middle.
 */
export function recordedChances(lines: readonly RecordedLine[], isContinued: boolean): (now: number) => number {
  const chances = lines.flatMap(({ t, ...line }) =>
    'restart' in line && 'in' in line.restart && line.restart.in === 'random' ? [{ t, value: line.restart.value }] : [],
  );
  const isNear = (t: number, now: number) => !isContinued || Math.abs(t - now) <= tolerance;
  return (now) => {
    while (isContinued && (chances[0]?.t ?? now) < now - tolerance) chances.shift();
    const [next] = chances;
    if (next === undefined || !isNear(next.t, now)) return 0.5;
    chances.shift();
    return next.value;
  };
}
