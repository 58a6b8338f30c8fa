import type { Entry } from '../recording/history.ts';
import { type Named, namesOf, type ReportedEvent } from './accounts.ts';
import { type Case, doesPermit } from './oracle.ts';
import { type DeletionRequest, deliveredAt, requestsAt, timersRan } from './oracleAttempts.ts';

/**
 * Finds errors in the reports about pods that were not deleted: skipped is reported to each window that skips the
 * pod, failed to each window that still selected the pod for deletion at its end, and neither to any other.
 */
export function falseOutcomes(
  cases: readonly Case[],
  events: readonly ReportedEvent[],
  named: readonly Named[],
): string[] {
  return cases.flatMap((podCase) => {
    const about = events.filter((event) => 'pod' in event && event.pod.uid === podCase.uid);
    return named.flatMap(({ name, window }) => {
      const delivered = about.filter((event) => namesOf(event).includes(name));
      const requests = podCase.requests.filter((request) => request.window === window);
      const missing = [
        ...(hasToSkip(podCase, requests) && !delivered.some(({ type }) => type === 'pod.skipped')
          ? ['pod.skipped']
          : []),
        ...(hasToFail(podCase, requests) && !delivered.some(({ type }) => type === 'deletion.failed')
          ? ['deletion.failed']
          : []),
      ];
      return [
        ...delivered
          .filter((event) => !canBeReported(podCase, requests, event))
          .map(({ type, t }) => `${name} reports ${type} at ${t}`),
        ...missing.map((type) => `${name} does not report ${type}`),
      ].map((error) => `${podCase.uid}: ${error}`);
    });
  });
}

function canBeReported(podCase: Case, requests: readonly DeletionRequest[], { type, place }: ReportedEvent): boolean {
  if (type === 'pod.skipped') return [place, place - 1].some((index) => isSkippedAt(podCase, requests, index));
  if (type === 'deletion.failed') return isFailed(podCase, requests, place);
  return type !== 'deletion.blocked' || requests.some(isBlocked);
}

/**
 * Whether those of these selections that concern the pod would not have it deleted. One window may be notified before
 * another that deletes such pods learns of it.
 */
function isSkippedAt({ entries, uid }: Case, requests: readonly DeletionRequest[], index: number): boolean {
  const delivered = deliveredAt(entries, index, uid);
  const ran = timersRan(entries, index);
  const selecting = requests.filter(({ from, to, endsAt }) => from <= index && index < to && ran <= endsAt);
  return (
    delivered !== undefined && selecting.length > 0 && !selecting.some((request) => doesPermit(request, delivered))
  );
}

/** The pod remains skipped by this window while time passes, whatever other windows do. */
function hasToSkip(podCase: Case, requests: readonly DeletionRequest[]): boolean {
  const { entries, uid } = podCase;
  return entries.some(({ t }, index) => {
    const delivered = deliveredAt(entries, index, uid);
    if (delivered === undefined || (entries[index + 1]?.t ?? t) === t || entries[index + 1]?.what === 'awake')
      return false;
    return requestsAt(requests, index, t + 1).length > 0 && isSkippedAt(podCase, requests, index);
  });
}

/** The window has not released the pod before its own end: it neither skipped the pod, nor saw it leave. */
function isFailed({ entries }: Case, requests: readonly DeletionRequest[], place: number): boolean {
  const newest = requests.filter(({ from }) => from <= place).toSorted((a, b) => b.to - a.to)[0];
  if (newest === undefined) return false;
  const releasedAt = entries[newest.to]?.t ?? 0;
  return newest.to > place || releasedAt >= newest.endsAt || (newest.to === newest.window.to && !isBlocked(newest));
}

/** The last attempt was refused, and the window ends before another. */
function hasToFail({ entries, uid, requests, attempts }: Case, own: readonly DeletionRequest[]): boolean {
  return own.some((request) => {
    const isOver = ({ t }: Entry, index: number) => t > request.endsAt && index > request.from;
    const over = entries.findIndex(isOver);
    if (over === -1 || request.to < over || entries[over]?.what === 'awake') return false;
    const delivered = deliveredAt(entries, over - 1, uid);
    const last = attempts.findLast(({ at }) => at < over);
    const isLater = ({ to }: DeletionRequest) => (entries[to]?.t ?? Number.POSITIVE_INFINITY) >= request.endsAt;
    const others = requests.filter((each) => each.window !== request.window && each.from < over && isLater(each));
    if (delivered === undefined || last === undefined || last.at < request.from || others.length > 0) return false;
    const isRefused = last.answer?.type === 'delete.failed' || last.answer?.type === 'delete.conflicted';
    const isBeforeEnd = (entries[last.at]?.t ?? 0) < request.endsAt;
    return isRefused && isBeforeEnd && last.answeredAt < over && doesPermit(request, delivered);
  });
}

function isBlocked({ to, window }: DeletionRequest): boolean {
  return to === window.to && window.isBlocked;
}
