import { formatDuration, messageOf } from '@weeder/kube-runtime/base';
import { objectText } from '@weeder/kube-runtime/objects';
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
export function sentenceOf(event: WeederEvent): string {
  switch (event.type) {
    case 'service.ready':
      return `${event.namespace}/${event.service} is ready, no window`;
    case 'service.notReady':
      return `${event.namespace}/${event.service} is notReady`;
    case 'window.opened':
      return `${windowOf(event)} opens for ${formatDuration(event.duration)}`;
    case 'window.closed':
      return `${windowOf(event)} closes, ${event.deleted} deleted, ${event.retried === undefined ? '' : `${event.retried} retried, `}${event.skipped} skipped, ${event.failed.length} failed`;
    case 'window.withheld':
      return `no window of ${event.namespace}/${event.service}, ${event.because}`;
    case 'pod.logRead':
      return `${podOf(event.pod)} log read (${event.lines.join(', ')}) in ${windowOf(event)}`;
    case 'pod.deleted':
      return `${podOf(event.pod)} ${deeds[event.how]} (${event.pod.cause}) in ${windowOf(event)}`;
    case 'pod.skipped':
      return `${podOf(event.pod)} skipped (${event.reason}) in ${windowOf(event)}`;
    case 'pod.recovered':
      return `${podOf(event.pod)} recovered in ${windowOf(event)}`;
    case 'pod.removed':
      return `${podOf(event.pod)} removed in ${windowOf(event)}`;
    case 'deletion.pending':
      return `${podOf(event.pod)} pending (${event.reason}) in ${windowOf(event)}`;
    case 'deletion.expired':
      return `${podOf(event.pod)} expired (${event.reason}) in ${windowOf(event)}`;
    case 'deletion.refused':
      return `${podOf(event.pod)} refused, next try in ${formatDuration(event.retryIn)}`;
    case 'deletion.blocked':
      return `${podOf(event.pod)} blocked in ${windowOf(event)}`;
    case 'deletion.failed':
      return `${podOf(event.pod)} failed in ${windowOf(event)}, ${event.reason}`;
    case 'creation.retried':
      return `${objectText(event.owner)} retried (${event.webhook}) in ${windowOf(event)}`;
    case 'creation.unneeded':
      return `${objectText(event.owner)} not retried in ${windowOf(event)}`;
    case 'creation.refused':
      return `${objectText(event.owner)} refused, next try in ${formatDuration(event.retryIn)}`;
    case 'creation.failed':
      return `${objectText(event.owner)} failed in ${windowOf(event)}, ${event.reason}`;
    case 'creations.dropped':
      return `${event.namespace} has more objects without pods than weeder follows`;
    case 'declaration.problem':
      return `problem, ${objectText(event.workload)}, ${event.problem}`;
    case 'actor.failed':
      return `failed, ${event.actor}, ${messageOf(event.error)}`;
  }
}

/** The first place at which what happened differs from what the file expects, by file and line. */
export function firstDifference(replay: Replay, seen: readonly TimelineLine[]): string | undefined {
  const { expected, whereLine, whereEnd } = replay;
  for (let index = 0; index < Math.max(expected.length, seen.length); index += 1) {
    const expectation = written(expected[index]);
    const actual = written(seen[index]);
    if (expectation !== actual)
      return `${whereLine[index] ?? whereLine.at(-1) ?? whereEnd}: expected ${expectation}, saw ${actual}`;
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

function windowOf({ namespace, service, window }: WindowRef): string {
  return `window ${window} of ${namespace}/${service}`;
}
