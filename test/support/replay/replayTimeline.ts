import { formatDuration } from '../../../src/base/duration.ts';
import { messageOf } from '../../../src/base/errors.ts';
import type { WeederEvent, WindowRef } from '../../../src/weeder/deletions/weederEvents.ts';
import type { CrashLoopingPod } from '../../../src/weeder/pods/crashLooping.ts';
import type { Replay } from './replayFile.ts';

/** One line of what happened; `at` in milliseconds since the start. */
export interface TimelineLine {
  readonly at: number;
  readonly sentence: string;
}

const deeds = { delete: 'deleted', evict: 'evicted', dryRun: 'would be deleted' } as const;

/** An event as text, as in a replay file. */
export function sentenceOf(fact: WeederEvent): string {
  switch (fact.type) {
    case 'service.ready':
      return `${fact.namespace}/${fact.service} is ready, no window`;
    case 'service.notReady':
      return `${fact.namespace}/${fact.service} is notReady`;
    case 'window.opened':
      return `${windowOf(fact)} opens for ${formatDuration(fact.duration)}`;
    case 'window.closed':
      return `${windowOf(fact)} closes, ${fact.deleted} deleted, ${fact.skipped} skipped, ${fact.failed.length} failed`;
    case 'pod.deleted':
      return `${podOf(fact.pod)} ${deeds[fact.how]} (${fact.pod.cause}) in ${windowsOf(fact)}`;
    case 'pod.skipped':
      return `${podOf(fact.pod)} skipped (${fact.reason}) in ${windowOf(fact)}`;
    case 'pod.recovered':
      return `${podOf(fact.pod)} recovered in ${windowsOf(fact)}`;
    case 'pod.gone':
      return `${podOf(fact.pod)} gone in ${windowsOf(fact)}`;
    case 'deletion.pending':
      return `${podOf(fact.pod)} pending (${fact.reason}) in ${windowsOf(fact)}`;
    case 'deletion.expired':
      return `${podOf(fact.pod)} expired (${fact.reason}) in ${windowsOf(fact)}`;
    case 'deletion.refused':
      return `${podOf(fact.pod)} refused, next try in ${formatDuration(fact.retryIn)}`;
    case 'deletion.blocked':
      return `${podOf(fact.pod)} blocked in ${windowsOf(fact)}`;
    case 'deletion.failed':
      return `${podOf(fact.pod)} failed in ${windowsOf(fact)}, ${fact.reason}`;
    case 'actor.failed':
      return `failed, ${fact.actor}, ${messageOf(fact.error)}`;
  }
}

/** The first place at which what happened differs from what the file expects, by file and line. */
export function firstDifference(replay: Replay, seen: readonly TimelineLine[]): string | undefined {
  const { expected, whereLine, whereEnd } = replay;
  for (let index = 0; index < Math.max(expected.length, seen.length); index += 1) {
    const expectation = written(expected[index]);
    const found = written(seen[index]);
    if (expectation !== found)
      return `${whereLine[index] ?? whereLine.at(-1) ?? whereEnd}: expected ${expectation}, saw ${found}`;
  }
  return undefined;
}

/** A line as in a file. */
export function lineOf({ at, sentence }: TimelineLine): string {
  return `${formatDuration(at)} ${sentence}`;
}

function written(line: TimelineLine | undefined): string {
  return line === undefined ? 'nothing more' : `"${lineOf(line)}"`;
}

function podOf({ namespace, name }: CrashLoopingPod): string {
  return `${namespace}/${name}`;
}

function windowsOf(fact: WindowRef & { readonly also: readonly WindowRef[] }): string {
  return [fact, ...fact.also].map(windowOf).join(' and ');
}

function windowOf({ namespace, service, window }: WindowRef): string {
  return `window ${window} of ${namespace}/${service}`;
}
