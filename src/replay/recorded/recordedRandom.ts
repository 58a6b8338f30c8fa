import type { RecordedLine } from '../../recording/lines.ts';
import { tolerance } from './compare.ts';

/** The controller that lines belong to. */
type ControllerName = 'restart' | 'observer';

/**
 * Returns the recorded random values of a controller, which determine its jitter, in their order. In a file that begins
 * in the middle, a replay needs more or fewer values than the recorded run, so each value is used only at its own time.
 * Without a value the result is 0.5.
 */
export function recordedRandom(
  lines: readonly RecordedLine[],
  isContinued: boolean,
  controller: ControllerName = 'restart',
): (now: number) => number {
  const randoms = lines.flatMap((line) => {
    const entry = entryOf(line, controller);
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

function entryOf(line: RecordedLine, controller: ControllerName) {
  if (controller === 'restart') return 'restart' in line ? line.restart : undefined;
  return 'observer' in line ? line.observer : undefined;
}
