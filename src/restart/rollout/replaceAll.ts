import { objectText } from '@weeder/kube-runtime/objects';
import type { RolloutEvent, RolloutObserved } from '../../../machines/restart/rollout.ts';
import { changesOf } from '../patches/finding.ts';
import type { RestartEffects, RolloutEffect } from '../patches/restartEffects.ts';
import type { WorkloadEntry } from '../patches/workloadEntry.ts';
import { restorePatch, writeWorkload } from '../patches/workloadPatch.ts';
import { podsWithCachedContent } from '../pods/ownPods.ts';
import { readPods } from '../pods/podSummary.ts';
import type { BlockCause } from '../references/events.ts';
import type { WorkloadSummary } from '../references/workloadSummary.ts';
import type { RestartApi } from '../requests/restartApi.ts';
import { stallTimeOf } from './stall.ts';

/** A node drops its copy of an immutable source shortly after the last pod that used it was deleted. Milliseconds. */
const nodeCleanup = 2_000;
/** Pods of other owners are not watched. */
const recheckInterval = 30_000;

function recreatedSources(entry: WorkloadEntry) {
  return changesOf(entry)
    .filter(({ isRecreated }) => isRecreated === true)
    .map(({ source }) => source.ref);
}

/**
 * Whether all of its pods have to terminate before new ones start: the pods of a Job do so anyway, and a CronJob has
 * none.
 */
export function isReplaced(entry: WorkloadEntry): boolean {
  return entry.observed.summary.kind.restart === 'rollout' && recreatedSources(entry).length > 0;
}

/**
 * Returns why a restart would not help, or is not allowed: an immutable source was recreated, and a node keeps the old
 * content as long as any pod on it refers to the source. Undefined: nothing prevents the restart.
 */
export async function whyNotReplaced(
  { api }: RestartEffects,
  entry: WorkloadEntry,
  signal: AbortSignal,
): Promise<RolloutEvent | undefined> {
  const { summary, settings } = entry.observed;
  const sources = recreatedSources(entry);
  if (sources.length === 0) return undefined;
  const blocked = (why: string, blockedFor?: number): RolloutEvent => {
    const names = sources.map(objectText).join(', ');
    const reason = `${names} is immutable and was recreated: nodes keep the old content as long as a pod refers to it`;
    return {
      type: 'verified.blocked',
      cause: 'immutable' satisfies BlockCause,
      reason: `${reason}; ${why}`,
      ...(blockedFor === undefined ? {} : { blockedFor }),
    };
  };
  if (settings?.immutableRecreated !== 'replace') return blocked('give new content a new name');
  if (summary.losesVolumes)
    return blocked('its pods cannot be terminated together, because its volumes would be deleted with them');
  const using = await api.podsUsing(summary.ref.namespace, sources, signal);
  if (using.type === 'refused') return { ...using, type: 'effect.failed' };
  const listed = await podsOf(api, summary, signal);
  const own = new Set(podsWithCachedContent(summary, readPods(listed)).map(({ uid }) => uid));
  const others = readPods(using.type === 'ok' ? using.value : [])
    .filter(({ uid, isOver }) => !isOver && !own.has(uid))
    .map(({ name }) => name);
  if (others.length === 0) return undefined;
  const some = others.toSorted().slice(0, 3).join(', ');
  const more = others.length > 3 ? ` and ${others.length - 3} more` : '';
  return blocked(`pods that are not its own refer to it too: ${some}${more}`, recheckInterval);
}

/**
 * Returns the pods that its selector selects; none if they cannot be listed, and then all pods count as those of other
 * owners.
 */
async function podsOf(api: RestartApi, { ref, selector }: WorkloadSummary, signal: AbortSignal) {
  if (selector === undefined) return [];
  const listed = await api.listPods(ref.namespace, selector, signal);
  return listed.type === 'ok' ? listed.value : [];
}

/** Whether weeder has scaled it to zero: in any case, it gets its pods back. */
export function isEmptied({ emptied, isEnding }: WorkloadSummary): boolean {
  return emptied !== undefined && !emptied.isUndone && !isEnding;
}

/** Waits until the last pod is deleted and its node has dropped what it used. `stillFor` counts from then. */
export async function checkTermination(
  { api }: RestartEffects,
  entry: WorkloadEntry,
  stillFor: (text: string) => number,
  signal: AbortSignal,
): Promise<RolloutObserved | undefined> {
  const { summary } = entry.observed;
  const { ref, selector } = summary;
  const listed = await api.listPods(ref.namespace, selector ?? { matchLabels: {} }, signal);
  if (listed.type !== 'ok') return undefined;
  const remaining = podsWithCachedContent(summary, readPods(listed.value))
    .map(({ name }) => name)
    .toSorted();
  const quiet = stillFor(remaining.join(', '));
  if (remaining.length === 0) return quiet >= nodeCleanup ? { type: 'rollout.emptied' } : undefined;
  if (quiet < stallTimeOf(entry.observed)) return undefined;
  return { type: 'rollout.stalled', reason: `these pods do not terminate: ${remaining.slice(0, 3).join(', ')}` };
}

/** Restores the pods of a workload. */
export function restoreWorkload(effects: RestartEffects): RolloutEffect {
  return async (entry, _input, signal) => {
    if (entry.observed.summary.emptied === undefined) return { type: 'restore.done' };
    return writeWorkload(effects, entry, 'restore.done', restorePatch(entry.observed.summary), signal);
  };
}
