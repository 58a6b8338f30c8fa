import { type Assessment, changesIn, expectedBy } from '../content/assess.ts';
import { hasStartedWithin, historySince, timesOfOtherContent, withCurrentContents } from '../content/contentHistory.ts';
import { type CurrentSource, readCurrentSources } from '../content/currentSources.ts';
import type { WorkloadState } from '../content/state.ts';
import type { HashKey } from '../digest/digest.ts';
import type { Finding } from '../patches/finding.ts';
import type { RestartEffects } from '../patches/restartEffects.ts';
import type { WorkloadEntry } from '../patches/workloadEntry.ts';
import { readPods } from '../pods/podSummary.ts';
import type { Refusal } from '../references/answer.ts';
import { type SourceRef, sourceKey } from '../references/refs.ts';
import type { RestartApi } from '../requests/restartApi.ts';

type Sources = ReadonlyMap<string, CurrentSource>;

type UncertainStartsAnswer =
  | { readonly type: 'ok'; readonly assessment: Assessment }
  | ({ readonly type: 'refused' } & Refusal);

/**
 * Whether pods may have started while sources that have their recorded content again had other content: by another
 * client's rollout, a scaling, an eviction, or a restarted container. If none has, the content in between no longer
 * matters. Nothing is checked during a rollout of weeder. A CronJob has no pods of its own.
 */
export async function findUncertainStarts(
  api: Pick<RestartApi, 'listPods'>,
  entry: WorkloadEntry,
  current: Sources,
  compared: Assessment,
  state: WorkloadState | undefined,
  signal: AbortSignal,
): Promise<UncertainStartsAnswer> {
  const { contentHistory } = entry;
  const { summary } = entry.observed;
  const others = timesOfOtherContent(contentHistory, unchangedOf(current, compared, state));
  if (others.length === 0 || summary.selector === undefined) return { type: 'ok', assessment: compared };
  const listed = await api.listPods(summary.ref.namespace, summary.selector, signal);
  if (listed.type === 'refused') return listed;
  const pods = listed.type === 'ok' ? readPods(listed.value) : [];
  const unconfirmed = others.filter(({ source, periods }) => hasStartedWithin(summary, pods, source.uses, periods));
  const isOver = (key: string) => others.some((each) => each.key === key && !unconfirmed.includes(each));
  entry.contentHistory = historySince(
    entry.contentHistory,
    new Map([...contentHistory].filter(([key]) => isOver(key))),
  );
  if (unconfirmed.length === 0) return { type: 'ok', assessment: compared };
  return { type: 'ok', assessment: { type: 'unconfirmed', sources: unconfirmed.map(({ source }) => source) } };
}

/**
 * Returns the sources that have their recorded content. A stalled restart that is followed by another one replaces all
 * pods.
 */
function unchangedOf(current: Sources, compared: Assessment, state: WorkloadState | undefined): Sources {
  if (compared.type === 'current') return current;
  if (compared.type !== 'changed' || state?.target !== undefined) return new Map();
  const changed = changesIn(compared).map(({ source }) => source);
  return new Map([...current].filter(([, source]) => !changed.includes(source)));
}

/** Records the current content of all of a workload's sources. Under another key nothing can be compared. */
export function recordContents(
  entry: WorkloadEntry,
  key: HashKey,
  current: ReadonlyMap<string, CurrentSource>,
  state: WorkloadState | undefined,
): void {
  const isSameKey = entry.finding?.key.id === key.id;
  const contents = isSameKey ? [...entry.contentHistory].filter(([source]) => current.has(source)) : [];
  entry.contentHistory = withCurrentContents(new Map(contents), current, state && expectedBy(state));
}

/** Records the current content of a source between assessments: pods that start during a rollout have that too. */
export async function recordContent(
  { digests, sources }: Pick<RestartEffects, 'digests' | 'sources'>,
  entry: WorkloadEntry,
  ref: SourceRef,
): Promise<void> {
  const { finding } = entry;
  const { uses } = entry.observed;
  if (finding === undefined) return;
  const sourceUses = uses.filter(({ source }) => sourceKey(source) === sourceKey(ref));
  const current = await readCurrentSources(sourceUses, finding.key, digests, sources);
  if (current.type === 'ok' && entry.finding?.key.id === finding.key.id)
    entry.contentHistory = withCurrentContents(entry.contentHistory, current.sources);
}

/** The earlier pods are replaced, or proven to be newer: what they may have started with no longer matters. */
export function trimContentHistory(entry: WorkloadEntry, { contentHistory }: Finding): void {
  entry.contentHistory = historySince(entry.contentHistory, contentHistory);
}
