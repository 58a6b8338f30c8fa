import type { ControllerName, RecordedLine } from '../../recording/lines.ts';
import { tolerance } from './compare.ts';

/**
 * Returns the recorded random values of a controller, which determine its jitter, in their order. In a file that begins
 * in the middle, a replay needs more or fewer values than the recorded run, so each value is used only at its own time.
 * Without a value the result is 0.5.
 */
export function recordedRandom(
  lines: readonly RecordedLine[],
  isContinued: boolean,
  of: ControllerName,
): (now: number) => number {
  const randoms = lines.flatMap((line) =>
    line.of === of && 'in' in line && line.in === 'random' ? [{ t: line.t, value: line.value }] : [],
  );
  const isNear = (t: number, now: number) => !isContinued || Math.abs(t - now) <= tolerance;
  return (now) => {
    while (isContinued && (randoms[0]?.t ?? now) < now - tolerance) randoms.shift();
    const [next] = randoms;
    if (next === undefined || !isNear(next.t, now)) return 0.5;
    randoms.shift();
    return next.value;
  };
}

/**
 * Returns a function that finds a recorded hash. The hash for the pod template of a workload includes the time of the
 * restart, so one request has several hashes: the function returns the latest one until `now`.
 */
export function recordedHashes(
  lines: readonly RecordedLine[],
  of: ControllerName,
): (request: string, now: number) => string | undefined {
  const hashes = new Map<string, { readonly t: number; readonly hash: string }[]>();
  for (const line of lines) {
    if (line.of !== of || !('in' in line) || line.in !== 'hash') continue;
    const { t, request, hash } = line;
    hashes.set(request, [...(hashes.get(request) ?? []), { t, hash }]);
  }
  // A replay is a little early, because its timers are punctual.
  return (request, now) => hashes.get(request)?.findLast(({ t }) => t <= now + tolerance)?.hash;
}
