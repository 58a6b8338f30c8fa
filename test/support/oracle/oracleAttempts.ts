import { matchesSelector } from '@weeder/kube-runtime/objects';
import type { DeliveredPod, Entry, History } from '../recording/history.ts';
import { type DueWindow, lastOf } from './oracleWindows.ts';

/** One podSelector of one window selects a crash-looping pod for deletion: from this place to that. */
export interface DeletionRequest {
  readonly window: DueWindow;
  readonly from: number;
  readonly to: number;
  /** Milliseconds since the story began. */
  readonly endsAt: number;
  /** Whether the config of the window permits a deletion of the pod, as it is at this place. */
  isPermitted(index: number): boolean;
  /** Since when, by its own clock, weeder has seen the phase in which the pod is at this place. */
  seenAt(index: number): number;
}

/** One requested deletion; places in the history. */
export interface Attempt {
  readonly at: number;
  readonly answeredAt: number;
  readonly version: string;
  readonly answer: Extract<Entry, { what: 'answered' }>['answer'] | undefined;
}

export function attemptsOf(entries: readonly Entry[], uid: string): Attempt[] {
  return entries.flatMap((entry, at) => {
    if (entry.what !== 'requested' || entry.uid !== uid) return [];
    const answeredAt = entries.findIndex((each) => each.what === 'answered' && each.attempt === entry.attempt);
    const answered = entries[answeredAt];
    const answer = answered?.what === 'answered' ? answered.answer : undefined;
    return [{ at, answeredAt: answeredAt === -1 ? entries.length : answeredAt, version: entry.version, answer }];
  });
}

/** Whether this weeder has the maximum number of deletions in flight. */
export function isFull({ entries, concurrentDeletions }: History, index: number): boolean {
  const life = lastOf(entries, index, ({ what }) => what === 'running');
  const now = entries.slice(life + 1, index + 1);
  const requested = now.flatMap((entry) => (entry.what === 'requested' ? entry.attempt : []));
  const answered = new Set(now.flatMap((entry) => (entry.what === 'answered' ? entry.attempt : [])));
  return requested.filter((attempt) => !answered.has(attempt)).length >= concurrentDeletions;
}

/** The newest state of the pod that the streams have delivered to this weeder; undefined: it is deleted. */
export function deliveredAt(entries: readonly Entry[], index: number, uid: string): DeliveredPod | undefined {
  const last = lastOf(entries, index, (entry) => {
    if (entry.what === 'listing') return true;
    return (entry.what === 'delivered' && entry.pod.uid === uid) || (entry.what === 'lost' && entry.uid === uid);
  });
  const entry = entries[last];
  return entry?.what === 'delivered' ? entry.pod : undefined;
}

export function requestsAt(requests: readonly DeletionRequest[], index: number, now: number): DeletionRequest[] {
  return requests.filter(({ from, to, endsAt }) => from <= index && index < to && now <= endsAt);
}

export function requestsOf(entries: readonly Entry[], window: DueWindow, uid: string): DeletionRequest[] {
  const { service, key } = window;
  const [home = ''] = key.split('/');
  const delivered = entries.map((_, index) => deliveredAt(entries, index, uid));
  const scope = service.dependantNamespaces;
  return service.podSelectors.flatMap((selector) => {
    const isSelected = (index: number) => {
      const pod = delivered[index];
      if (pod === undefined || pod.state === 'healthy' || !matchesSelector(selector, { role: pod.role })) return false;
      return scope === 'all' || (scope === 'same' ? pod.namespace === home : scope.includes(pod.namespace));
    };
    const isPermitted = (index: number) => {
      const { protection = 'none' } = delivered[index] ?? {};
      return protection === 'none' || (protection === 'bare' && service.barePods === 'delete');
    };
    const seenAt = (index: number) => {
      const isSamePhase = (at: number) =>
        isSelected(at) &&
        delivered[at]?.state === delivered[index]?.state &&
        delivered[at]?.restarts === delivered[index]?.restarts;
      const before = lastOf(entries, index, (_, at) => !isSamePhase(at));
      return entries[before + 1]?.t ?? 0;
    };
    return entries.flatMap((_, from): DeletionRequest[] => {
      const isSelectedInWindow = (index: number) => index >= window.from && index < window.to && isSelected(index);
      if (!isSelectedInWindow(from) || isSelectedInWindow(from - 1)) return [];
      const end = entries.findIndex((__, index) => index > from && !isSelectedInWindow(index));
      const to = end === -1 ? entries.length : end;
      return [{ window, from, to, endsAt: window.opensAt + window.duration, seenAt, isPermitted }];
    });
  });
}

/**
 * Whether no window requested the deletion of the pod at some moment between these two places, so that what was before no longer counts.
 * `perhaps`: when its labels changed, if one window lost it before another got it; and if the last window has
 * ended, in the very moment in which it does, or while its timer is late.
 */
export function isForgotten(
  entries: readonly Entry[],
  requests: readonly DeletionRequest[],
  from: number,
  to: number,
): 'surely' | 'perhaps' | 'no' {
  let certainty: 'perhaps' | 'no' = 'no';
  for (let index = from; index <= to; index += 1) {
    const now = entries[index]?.t ?? 0;
    const until = index === to || entries[index + 1]?.what === 'awake' ? now : (entries[index + 1]?.t ?? now);
    const ran = timersRan(entries, index);
    const active = requests.filter(
      (each) => each.from <= index && index < each.to && ran <= each.endsAt && each.isPermitted(index),
    );
    const ends = Math.max(...active.map(({ endsAt }) => endsAt));
    if (active.length === 0 || (until > now && ends <= until)) return 'surely';
    const isChanging = index > from && entries[index]?.what === 'delivered';
    if (ends <= now || (isChanging && !active.some((request) => request.from < index))) certainty = 'perhaps';
  }
  return certainty;
}

/** Every timer that was due before this time has run. */
export function timersRan(entries: readonly Entry[], index: number): number {
  const since = lastOf(entries, index, ({ t, what }, at) => what !== 'awake' && t !== entries[at - 1]?.t);
  return entries[since]?.t ?? 0;
}

/** How many tries were refused one after another, this one included; `isCautious`: as few as they may have been. */
export function refusals(
  entries: readonly Entry[],
  requests: readonly DeletionRequest[],
  attempts: readonly Attempt[],
  last: Attempt,
  isCautious: boolean,
): number {
  const before = attempts.findLast(({ at }) => at < last.at);
  const isRefused = before?.answer?.type === 'delete.failed' || before?.answer?.type === 'delete.conflicted';
  if (before === undefined || !isRefused || before.answeredAt > last.at) return 1;
  const life = lastOf(entries, last.at, ({ what }) => what === 'running');
  const forgotten = isForgotten(entries, requests, before.answeredAt, last.at - 1);
  if (before.at < life || forgotten === 'surely' || (isCautious && forgotten === 'perhaps')) return 1;
  return 1 + refusals(entries, requests, attempts, before, isCautious);
}
