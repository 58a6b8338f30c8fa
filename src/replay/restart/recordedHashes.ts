import type { RecordedLine } from '../../recording/lines.ts';
import { tolerance } from '../recorded/compare.ts';

/**
 * What stood for the tags of a workload in its pod template, by question. A restart is in it with its time, so that the
 * same tags have another one each time: it is the newest of them by then that counts.
 */
export function recordedHashes(lines: readonly RecordedLine[]): (request: string, now: number) => string | undefined {
  const hashes = new Map<string, { readonly t: number; readonly hash: string }[]>();
  for (const { t, ...line } of lines) {
    if (!('restart' in line) || !('in' in line.restart) || line.restart.in !== 'hash') continue;
    const { request, hash } = line.restart;
    hashes.set(request, [...(hashes.get(request) ?? []), { t, hash }]);
  }
  // A replay is a little early, as its timers are punctual.
  return (request, now) => hashes.get(request)?.findLast(({ t }) => t <= now + tolerance)?.hash;
}
