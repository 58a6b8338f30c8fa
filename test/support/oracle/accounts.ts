import type { WeederEvent, WindowRef } from '../../../src/weeder/deletions/weederEvents.ts';
import type { CrashLoopingPod } from '../../../src/weeder/pods/crashLooping.ts';
import type { Entry, History } from '../recording/history.ts';
import { falseOutcomes } from './accountsOutcomes.ts';
import { type Case, doesPermit } from './oracle.ts';
import { attemptsOf, deliveredAt, requestsAt, requestsOf } from './oracleAttempts.ts';
import type { DueWindow } from './oracleWindows.ts';

/**
 * An event, when (milliseconds, and the place in the history), and by which weeder process of the story, from 1.
 */
export type ReportedEvent = WeederEvent & { readonly t: number; readonly place: number; readonly life: number };

/**
 * Finds errors in what the windows report: each window opens when the rules say, closes once, and its summary counts
 * what was reported of it; and each deletion is reported once, for a window that had selected the pod.
 */
export function falseReports(
  history: History,
  windows: readonly DueWindow[],
  cases: readonly Case[],
  events: readonly ReportedEvent[],
): string[] {
  const failures = events.flatMap((event) =>
    event.type === 'actor.failed' ? [`${event.actor} failed: ${event.error}`] : [],
  );
  const opened = events.filter((event) => event.type === 'window.opened');
  const due = windows.toSorted((a, b) => a.from - b.from);
  const named = namedInOrder(history.entries, due, opened);
  const times = opened.map((event) => `${event.namespace}/${event.service} at ${event.t} for ${event.duration}`);
  const dueTimes = due.map(({ key, opensAt, duration }) => `${key} at ${opensAt} for ${duration}`);
  return [
    ...failures,
    ...times.filter((each) => !dueTimes.includes(each)).map((each) => `a window opened unexpectedly: ${each}`),
    ...dueTimes.filter((each) => !times.includes(each)).map((each) => `a window did not open: ${each}`),
    ...[...new Set(named.map(({ name }) => name))].flatMap((name) => falseCount(events, name)),
    ...unreported(history, events, named),
    ...falseOutcomes(cases, events, named),
  ];
}

/** Each window opens and closes once under its name, and counts what was reported of it. */
function falseCount(events: readonly ReportedEvent[], name: string): string[] {
  const opened = events.filter((event) => event.type === 'window.opened' && nameOf(event) === name).length;
  const closed = events.flatMap((event) => (event.type === 'window.closed' && nameOf(event) === name ? [event] : []));
  const reported = events.filter((event) => namesOf(event).includes(name));
  const counts = [
    ['deleted', closed.reduce((sum, { deleted }) => sum + deleted, 0), countOf(reported, 'pod.deleted')],
    ['skipped', closed.reduce((sum, { skipped }) => sum + skipped, 0), countOf(reported, 'pod.skipped')],
  ] as const;
  const failed = [...new Set(closed.flatMap((event) => event.failed))].toSorted();
  const reportedFailed = [
    ...new Set(reported.flatMap((event) => (event.type === 'deletion.failed' ? podNameOf(event) : []))),
  ];
  const isSame = failed.join() === reportedFailed.toSorted().join();
  return [
    ...(closed.length === opened ? [] : [`${name} opened ${opened} times, closed ${closed.length} times`]),
    ...counts.flatMap(([what, count, is]) =>
      count === is ? [] : [`${name} counts ${count} ${what}, which were ${is}`],
    ),
    ...(isSame ? [] : [`${name} has the failed deletions ${failed.join()}, and reported ${reportedFailed.join()}`]),
  ];
}

function countOf(events: readonly ReportedEvent[], type: ReportedEvent['type']): number {
  return events.filter((event) => event.type === type).length;
}

function podNameOf({ pod }: { readonly pod: CrashLoopingPod }): string {
  return `${pod.namespace}/${pod.name}`;
}

/** Deletions that were accepted and not reported, or not in the name of one window that had selected them. */
function unreported({ entries }: History, events: readonly ReportedEvent[], due: readonly Named[]): string[] {
  const uids = new Set(entries.flatMap((entry) => (entry.what === 'requested' ? entry.uid : [])));
  return [...uids].flatMap((uid) => {
    const accepted = attemptsOf(entries, uid)
      .filter(({ answer }) => answer?.type === 'delete.accepted')
      .sort((a, b) => a.answeredAt - b.answeredAt);
    const reported = events.filter((event) => event.type === 'pod.deleted' && event.pod.uid === uid);
    if (reported.length !== accepted.length)
      return [`${uid} was deleted ${accepted.length} times, reported ${reported.length} times`];
    return accepted.flatMap(({ at }, index) => {
      const names = namesOf(reported[index]);
      const pod = deliveredAt(entries, at, uid);
      const now = entries[at]?.t ?? 0;
      // The window may have been replaced in the same moment.
      const selecting = due.filter(({ window }) =>
        [at - 2, at - 1, at]
          .flatMap((place) => requestsAt(requestsOf(entries, window, uid), place, now))
          .some((request) => pod !== undefined && doesPermit(request, pod) && request.endsAt >= now),
      );
      const isCounted = names.length === 1 && selecting.some(({ name }) => names.includes(name));
      return isCounted || selecting.length === 0 ? [] : [`${uid} is not counted by a window that selected it`];
    });
  });
}

/** A window and the name that weeder gives it. */
export interface Named {
  readonly name: string;
  readonly window: DueWindow;
}

/** The windows by the names that weeder gives them. */
function namedInOrder(entries: readonly Entry[], due: readonly DueWindow[], opened: readonly ReportedEvent[]): Named[] {
  const lifeOf = ({ from }: DueWindow) => entries.slice(0, from + 1).filter(({ what }) => what === 'listing').length;
  return due.flatMap((window, index) => {
    const isSame = (each: DueWindow) => each.key === window.key && lifeOf(each) === lifeOf(window);
    const events = opened.filter(
      (event) =>
        'window' in event && event.life === lifeOf(window) && `${event.namespace}/${event.service}` === window.key,
    );
    const event = events[due.slice(0, index).filter(isSame).length];
    return event !== undefined && 'window' in event ? [{ name: nameOf(event), window }] : [];
  });
}

export function namesOf(event: ReportedEvent | undefined): string[] {
  if (event === undefined || !('pod' in event)) return [];
  return [nameOf(event)];
}

export function nameOf({ namespace, service, window, life }: WindowRef & { readonly life: number }): string {
  return `${namespace}/${service}#${window} of weeder ${life}`;
}
