import type { DeliveredPod, Entry, History } from '../recording/history.ts';
import {
  type Attempt,
  attemptsOf,
  type DeletionRequest,
  deliveredAt,
  isForgotten,
  isFull,
  refusals,
  requestsAt,
  requestsOf,
  timersRan,
} from './oracleAttempts.ts';
import { overtakings } from './oracleOrder.ts';
import { heldAt } from './oracleOutages.ts';
import { afterRestart } from './oracleRestarts.ts';
import { type DueWindow, lastOf } from './oracleWindows.ts';

/** When the next deletion may be requested, and by when it must have been. Milliseconds since the story began. */
export interface Due {
  readonly may: number;
  readonly must: number;
}

const atOnce: Due = { may: 0, must: 0 };
const never: Due = { may: Number.POSITIVE_INFINITY, must: Number.POSITIVE_INFINITY };

/** One pod over the whole history. */
export interface Case {
  readonly history: History;
  readonly entries: readonly Entry[];
  readonly uid: string;
  readonly requests: readonly DeletionRequest[];
  readonly attempts: readonly Attempt[];
  /** At each place: when it is due if nothing else happens. */
  readonly dues: readonly Due[];
}

/**
 * The errors in a history: each requested deletion that should not have been, and each missing one, by one pass
 * over everything that happened. If the design leaves a time open
 * there is an interval: a retry comes after half to all of its back-off; a pod waits as long as others are in flight
 * that fill the queue; when the wall clock was set meanwhile, an unreported back-off counts after 2 s by either clock.
 */
export function errorsOf(cases: readonly Case[]): string[] {
  const errors = cases.flatMap((each) =>
    each.entries.flatMap((_, index) => [...objectionsTo(each, index), ...omissionsAfter(each, index)]),
  );
  return [...errors, ...overtakings(cases)];
}

/** Every pod that was ever delivered to weeder. */
export function casesOf(history: History, windows: readonly DueWindow[]): Case[] {
  const { entries } = history;
  const uids = new Set(entries.flatMap((entry) => (entry.what === 'delivered' ? entry.pod.uid : [])));
  return [...uids].map((uid): Case => {
    const requests = windows.flatMap((window) => requestsOf(entries, window, uid));
    const podCase = { history, entries, uid, requests, attempts: attemptsOf(entries, uid), dues: [] };
    return { ...podCase, dues: entries.map(({ t }, index) => dueAfter(podCase, index, t)) };
  });
}

/** Why the deletion that is requested here should not have been. */
function objectionsTo(podCase: Case, index: number): string[] {
  const { entries, uid, requests } = podCase;
  const entry = entries[index];
  if (entry?.what !== 'requested' || entry.uid !== uid) return [];
  const at = `${uid}, requested at ${entry.t}:`;
  const delivered = deliveredAt(entries, index, uid);
  if (delivered === undefined) return [`${at} it does not exist`];
  const { may } = dueAfter(podCase, index - 1, entry.t);
  // Two streams may deliver one change in either order: a window that selected the pod just before may still request
  // its deletion.
  const modes = [index - 2, index - 1]
    .flatMap((at) => requestsAt(requests, at, entry.t))
    .filter((request) => doesPermit(request, delivered))
    .map(({ window: { service } }) => `${service.deletion} ${service.gracePeriodSeconds}`);
  return [
    ...(isFull(podCase.history, index - 1) ? [`${at} exceeds the maximum in flight`] : []),
    ...(delivered.version === entry.version ? [] : [`${at} not in its newest state`]),
    ...(may <= entry.t
      ? []
      : [`${at} ${Number.isFinite(may) ? `too early, before ${may}` : 'no window may select it'}`]),
    ...(modes.length === 0 || entry.how === 'dry run' || modes.includes(entry.how) ? [] : [`${at} by ${entry.how}`]),
  ];
}

/** What should have been requested between this entry and the next. */
function omissionsAfter(podCase: Case, index: number): string[] {
  const { entries, uid, history, dues } = podCase;
  const now = entries[index]?.t ?? 0;
  const until = entries[index + 1]?.t ?? now;
  if (until === now || entries[index + 1]?.what === 'awake' || isFull(history, index)) return [];
  const { must } = dues[index] ?? never;
  return must < until ? [`${uid}, not requested at ${Math.max(must, now)}`] : [];
}

/** When the pod is due by what happened up to this entry, at the time `now`, if nothing else happens. */
function dueAfter(podCase: Omit<Case, 'dues'>, index: number, now: number): Due {
  const { entries, uid, requests } = podCase;
  const delivered = deliveredAt(entries, index, uid);
  if (delivered === undefined) return never;
  const selecting = requestsAt(requests, index, now).filter((request) => doesPermit(request, delivered));
  const held = heldAt(podCase.history, index, delivered);
  if (selecting.length === 0 || held === 'surely') return never;
  const settled = settledAt(entries, selecting, delivered, index);
  const retry = retryOf(podCase, index, now, delivered);
  const ends = Math.max(...selecting.map(({ endsAt }) => endsAt));
  const began = Math.min(...selecting.map(({ from }) => entries[from]?.t ?? 0));
  const due = {
    may: Math.max(settled.may, retry.may, began),
    must: Math.max(settled.must, retry.must, pausedUntil(podCase, index), now),
  };
  const { may, must } = afterRestart(entries, index, delivered, due);
  return { may: may <= ends ? may : never.may, must: must < ends && held === 'no' ? must : never.must };
}

/** A retry that comes after the end of a window, whose timer is late, is a pause before the next window's own try. */
function pausedUntil({ entries, requests }: Omit<Case, 'dues'>, index: number): number {
  const late = requests.filter(({ to, endsAt }) => {
    return to <= index && (entries[to]?.t ?? 0) > endsAt && timersRan(entries, to) <= endsAt;
  });
  return Math.max(0, ...late.map(({ to }) => (entries[to]?.t ?? 0) + 10_000));
}

/** When the result of the last try permits a new decision. */
function retryOf(podCase: Omit<Case, 'dues'>, index: number, now: number, delivered: DeliveredPod): Due {
  const { entries, requests, attempts } = podCase;
  const life = lastOf(entries, index, ({ what }) => what === 'running');
  const last = attempts.findLast(({ at }) => at <= index && at > life);
  if (last === undefined) return atOnce;
  const { answer, answeredAt } = last;
  if (answer === undefined || answeredAt > index) return never;
  const forgotten = isForgotten(entries, requests, answeredAt, index);
  if (forgotten === 'surely') return atOnce;
  const hasJoined = requests.some(
    ({ from, to, isPermitted }) => from > answeredAt && from <= index && to > index && isPermitted(index),
  );
  if (answer.type === 'delete.rejected') {
    // A window that joined requests once more; whether it still does after it has released the pod does not matter.
    const wasJoined = requests.some(
      ({ from, isPermitted }) =>
        from <= index && (from > answeredAt || (!isPermitted(answeredAt) && isPermitted(index))),
    );
    const since = entries
      .keys()
      .drop(answeredAt)
      .take(index - answeredAt + 1)
      .toArray();
    // A window that waited for the pod follows the one whose deletion was rejected, when that one ends, or skips the pod
    // from then on.
    const hasFollowed = requests.some(
      ({ from, to, endsAt, isPermitted }) =>
        from <= answeredAt &&
        to > answeredAt &&
        (to <= index || endsAt <= now || (isPermitted(answeredAt) && !since.every(isPermitted))),
    );
    const isRepeated = wasJoined || hasFollowed || forgotten === 'perhaps';
    return { may: isRepeated ? 0 : never.may, must: hasJoined ? 0 : never.must };
  }
  const due = pauseAfter(podCase, last, hasJoined, delivered);
  // A window whose deletion was rejected does not request it again, also after another window has tried.
  const isRejected = ({ at, answer: earlier }: Attempt) =>
    at > life && at < last.at && earlier?.type === 'delete.rejected';
  if (attempts.some(isRejected)) return { may: 0, must: never.must };
  return forgotten === 'perhaps' ? { may: 0, must: due.must } : due;
}

function pauseAfter(
  { entries, requests, attempts }: Omit<Case, 'dues'>,
  last: Attempt,
  hasJoined: boolean,
  delivered: DeliveredPod,
): Due {
  const { answer, answeredAt } = last;
  const since = entries[answeredAt]?.t ?? 0;
  const ceiling = (isCautious: boolean) =>
    Math.min(10_000, 100 * 2 ** refusals(entries, requests, attempts, last, isCautious));
  if (answer?.type === 'delete.failed') {
    const options = answer.retryAfter ?? 0;
    return { may: since + Math.max(options, ceiling(true) / 2), must: since + Math.max(options, ceiling(false)) };
  }
  if (answer?.type !== 'delete.conflicted') return never;
  // The newest state decides again: at once if there is one, else after a pause.
  if (delivered.version !== last.version) return atOnce;
  return { may: hasJoined ? 0 : since + ceiling(true) / 2, must: since + ceiling(false) };
}

/** When an unreported back-off counts as one: after 2 s by the node's clock, or since weeder first saw it by its own. */
function settledAt(
  entries: readonly Entry[],
  selecting: readonly DeletionRequest[],
  delivered: DeliveredPod,
  index: number,
): Due {
  if (delivered.state === 'backOff') return atOnce;
  const seen = selecting.map((request) => request.seenAt(index) + 2000);
  const life = lastOf(entries, index, ({ what }) => what === 'listing');
  const isUpdate = (entry: Entry) => entry.what === 'delivered' && entry.pod.version === delivered.version;
  const since = entries.findIndex((entry, at) => at > life && isUpdate(entry));
  const offsets = entries.slice(since, index + 1).map(({ t, wall }) => ({ t, offset: wall - t }));
  // Time that had passed when the clock was set counts.
  const byNode = offsets.map(({ t, offset }) => Math.max(t, delivered.finishedAt + 2000 - offset));
  const wasSet = new Set(offsets.map(({ offset }) => offset)).size > 1;
  const may = Math.min(...seen, ...byNode);
  return { may, must: wasSet ? Math.max(...seen) : Math.min(Math.max(...seen), ...byNode) };
}

/** A window that skips bare pods requests none. */
export function doesPermit({ window: { service } }: DeletionRequest, { protection }: DeliveredPod): boolean {
  return protection === 'none' || (protection === 'bare' && service.barePods === 'delete');
}
