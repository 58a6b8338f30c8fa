import type { RecordedLine } from '../../recording/lines.ts';
import { tolerance } from './compare.ts';

/** Whose lines they are. */
type ControllerName = 'restart' | 'observer';

/**
 * What a controller made jitter of, in its order. In a file that begins in the middle a replay asks more often, or less,
 * and each chance is for its own time alone: without one it is the middle.
 */
export function recordedRandom(
  lines: readonly RecordedLine[],
  isContinued: boolean,
  whose: ControllerName = 'restart',
): (now: number) => number {
  const randoms = lines.flatMap((line) => {
    const entry = entryOf(line, whose);
    return entry !== undefined && 'in' in entry && entry.in === 'random' ? [{ t: line.t, value: entry.value }] : [];
  });
  const isNear = (t: number, now: number) => !isContinued || Math.abs(t - now) <= tolerance;
  return (now) => {
    while (isContinued && (randoms[0]?.t ?? now) < now - tolerance) randoms.shift();
    const [next] = randoms;
    if (next === undefined || !isNear(next.t, now)) return 0.5;
    randoms.shift();
    return next.value;
  };
}

function entryOf(line: RecordedLine, whose: ControllerName) {
  if (whose === 'restart') return 'restart' in line ? line.restart : undefined;
  return 'observer' in line ? line.observer : undefined;
}
