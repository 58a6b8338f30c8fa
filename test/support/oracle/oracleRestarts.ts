import type { DeliveredPod, Entry } from '../recording/history.ts';
import type { Due } from './oracle.ts';
import { lastOf } from './oracleWindows.ts';

const freshPodStart = 5_000;
const latestRestart = 15_000;

/**
 * A pod whose container the kubelet restarts sooner than a replacement could run is not deleted before that restart is
 * overdue. Earlier decisions remain valid; if the wall clock was set meanwhile, either time may count.
 */
export function afterRestart(entries: readonly Entry[], index: number, delivered: DeliveredPod, due: Due): Due {
  if (delivered.state !== 'ended') return due;
  const isUpdate = (entry: Entry) =>
    entry.what === 'delivered' && entry.pod.uid === delivered.uid && entry.pod.version === delivered.version;
  const life = lastOf(entries, index, ({ what }) => what === 'listing');
  // A version that is delivered again changes no decision.
  const since = entries.findIndex((entry, at) => at > life && isUpdate(entry));
  const offsets = new Set(entries.slice(Math.max(0, since), index + 1).map(({ t, wall }) => wall - t));
  if (offsets.size > 1) return { may: due.may, must: Number.POSITIVE_INFINITY };
  const [offset = 0] = offsets;
  const until = delivered.finishedAt + Math.min(300_000, 10_000 * 2 ** Math.max(0, delivered.restarts - 1)) - offset;
  const reportedAt = entries[since]?.t ?? 0;
  // A node's clock that is ahead: how far is only known by when the pod was seen first, which is not in the history.
  if (delivered.finishedAt - offset > reportedAt) return { may: due.may, must: Number.POSITIVE_INFINITY };
  const shift = (t: number) => (t >= until - freshPodStart && t < until + latestRestart ? until + latestRestart : t);
  return { may: shift(Math.max(due.may, reportedAt)), must: shift(due.must) };
}
