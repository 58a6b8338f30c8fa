import type { RecordedLine } from '../../recording/lines.ts';
import { tolerance } from '../recorded/compare.ts';

/**
 * Returns a function that finds the recorded hash for the pod template of a workload. The hash includes the time of the
 * restart, so the same tags have several hashes: the function returns the latest one until `now`.
 */
export function recordedHashes(lines: readonly RecordedLine[]): (request: string, now: number) => string | undefined {
  const hashes = new Map<string, { readonly t: number; readonly hash: string }[]>();
  for (const { t, ...line } of lines) {
    if (!('restart' in line) || !('in' in line.restart) || line.restart.in !== 'hash') continue;
    const { request, hash } = line.restart;
    hashes.set(request, [...(hashes.get(request) ?? []), { t, hash }]);
  }
  // A replay is a little early, because its timers are punctual.
  return (request, now) => hashes.get(request)?.findLast(({ t }) => t <= now + tolerance)?.hash;
}
