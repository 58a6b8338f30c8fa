import type { RecordedLine } from '../../recording/file/lines.ts';

/**
 * In a replay every timer is punctual. In the recorded run timers waited for the event loop, which was blocked for 30
 * ms by reading a long list, and for 440 ms in the worst case measured. The shortest time on which a decision of the
 * weeder depends is the 2 s of an unreported back-off, so decisions that differ by less than this are the same.
 * Milliseconds.
 */
export const tolerance = 250;

/**
 * Returns the recorded random values of a controller, which determine its jitter: for each actor in their order, and
 * in recordings of earlier builds, which do not name the actor, in the order of all. In a file that begins in the
 * middle, a replay needs more or fewer values than the recorded run, so each value is used only at its own time.
 * Without a value the result is 0.5.
 */
export function recordedRandom(
  lines: readonly RecordedLine[],
  isContinued: boolean,
  of: string,
): (actor: string, now: number) => number {
  const randoms = lines.flatMap((line) => (line.of === of && 'in' in line && line.in === 'random' ? line : []));
  const byActor = Map.groupBy(randoms, (line) => line.for);
  const isNear = (t: number, now: number) => !isContinued || Math.abs(t - now) <= tolerance;
  return (actor, now) => {
    const values = byActor.get(actor) ?? byActor.get(undefined) ?? [];
    while (isContinued && (values[0]?.t ?? now) < now - tolerance) values.shift();
    const [next] = values;
    if (next === undefined || !isNear(next.t, now)) return 0.5;
    values.shift();
    return next.value;
  };
}

/**
 * Returns a function that finds a recorded hash. The hash for the pod template of a workload includes the time of the
 * restart, so one request has several hashes: the function returns the latest one until `now`.
 */
export function recordedHashes(
  lines: readonly RecordedLine[],
  of: string,
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
