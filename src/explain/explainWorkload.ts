import { timeInSeconds } from '@weeder/kube-runtime/base';
import { objectText } from '@weeder/kube-runtime/objects';
import { workloadStates } from '@weeder/live-page';
import { printable } from '../base/printable.ts';
import { keptPods, podsToReplace } from '../restart/content/affectedPods.ts';
import { type Assessment, assess } from '../restart/content/assess.ts';
import type { CurrentSource } from '../restart/content/currentSources.ts';
import { whyNotRecreated } from '../restart/jobs/whyNotRecreated.ts';
import { mayRestart, pauseError } from '../restart/pace/mayRestart.ts';
import { ownPods } from '../restart/pods/ownPods.ts';
import { awaitsRollout, initialProgress, isUnderWay } from '../restart/pods/progress.ts';
import { obstacleOf, rolloutOf } from '../restart/pods/rollout.ts';
import { allowReferencesFrom } from '../restart/references/annotations.ts';
import { sourceKey, type WorkloadRef } from '../restart/references/refs.ts';
import type { Use } from '../restart/references/uses.ts';
import { describeChanges, describeSource } from '../restart/references/wording.ts';
import { workloadAnnotations } from '../restart/references/workloadSummary.ts';
import type { WorkloadsView, WorkloadView } from './inspectWorkloads.ts';

const otherKey = 'if weeder uses another Secret, set hashKey in the config, or POD_NAMESPACE';

/** Says, in a line or none, if the state of workloads cannot be compared, because their hash key is not available. */
export function explainHashKey({ workloads, keyProblem, keySecret }: WorkloadsView): readonly string[] {
  if (keyProblem !== undefined) return [`no hash key: ${keyProblem.message}`];
  if (!workloads.some(({ state }) => state === 'otherKey')) return [];
  return [`some states were not made with the key in the Secret ${keySecret}: ${otherKey}`];
}

/** What restart control sees of a workload and would do, in words. */
export interface ExplainedWorkload {
  readonly ref: WorkloadRef;
  readonly state: string;
  /** What it uses, its last restart, and its pods. */
  readonly details: readonly string[];
}

/** Describes one workload, as lines of text. */
export function explainWorkload({ ref, state, details }: ExplainedWorkload): string {
  return [`${objectText(ref)}: ${state}`, ...details.map((line) => `  ${line}`)].map(printable).join('\n');
}

/** `now`: epoch milliseconds. */
export function explainedWorkload(view: WorkloadView, now: number): ExplainedWorkload {
  const { namespace } = view.summary.ref;
  const { errors, notAllowed, notFollowed } = view.uses;
  const details = [
    ...usesOf(view),
    ...notAllowed.map((ref) => {
      const error = view.sources.get(ref)?.allowReferencesError;
      return `← ${describeSource(ref, namespace)}: does not allow it (${error === undefined ? allowReferencesFrom : `${error.annotation}: ${error.reason}`})`;
    }),
    ...notFollowed.map((ref) => `← ${describeSource(ref, namespace)}: not watched, sourceKinds excludes its kind`),
    ...[...ownErrors(view.summary), ...errors].map((error) => `annotation that cannot be read: ${error}`),
    ...restartsOf(view),
    ...podsOf(view),
  ];
  return { ref: view.summary.ref, state: stateOf(view, now), details };
}

function ownErrors({ optInError, pausedUntil }: WorkloadView['summary']): string[] {
  const pause = pausedUntil === 'unreadable' ? [`${workloadAnnotations.pausedUntil} ${pauseError}`] : [];
  return [...(optInError === undefined ? [] : [optInError]), ...pause];
}

function stateOf(view: WorkloadView, now: number): string {
  const { summary, settings, state, current } = view;
  if (settings === undefined) return workloadStates.releasing.words;
  if (summary.isEnding) return 'Being deleted';
  if (current.type === 'refused') return `Its sources cannot be read: ${current.reason}`;
  const assessment = assess(current.sources, typeof state === 'object' ? state : undefined, false);
  if (assessment.type === 'blocked') return `${blocked(assessment.reason)}${afterwards(view)}`;
  if (state === 'otherKey') return 'It is unknown whether it has changed: its state was made with another hash key';
  switch (assessment.type) {
    case 'new':
      return `${workloadStates.adopting.words}: the tags of its sources are recorded, and nothing restarts`;
    case 'changed':
      return `Changed: ${describeChanges(
        assessment.sources.map(({ source: { ref: source }, keys }) => ({ source, keys })),
        summary.ref,
      )}  → ${verdict(view, assessment, now)}`;
    case 'rolling':
      return `${rolling(view)}${assessment.hasNewerChange ? '; a newer change waits for its end' : ''}`;
    default:
      return workloadStates.current.words;
  }
}

/** What happens to pods that wait for what is missing, apart from what the kubelet does. */
function afterwards({ summary, settings }: WorkloadView): string {
  const isHelped = settings?.lateSources === 'evict' && summary.kind.restart === 'rollout';
  return isHelped ? '; its pods that wait for that in a volume are evicted when it exists (lateSources)' : '';
}

function blocked(reason: string): string {
  return `${workloadStates.blocked.words}: ${reason}`;
}

/** What restart control would do about the change. */
function verdict(view: WorkloadView, { sources }: Extract<Assessment, { type: 'changed' }>, now: number): string {
  const { summary, settings, uses, state, pods } = view;
  const against =
    summary.kind.restart === 'recreation' && settings !== undefined ? whyNotRecreated(summary, settings) : undefined;
  if (against !== undefined) return blocked(against);
  const restarts = typeof state === 'object' ? state.restarts : [];
  const permission =
    settings === undefined
      ? undefined
      : mayRestart({ ...summary, ...settings, now, restarts, annotationErrors: uses.errors });
  if (permission?.type === 'pending') return `${workloadStates.waiting.words}: ${permission.reason}`;
  if (permission?.type === 'blocked') return blocked(permission.reason);
  if (isUnderWay(summary, initialProgress(summary, now))) return `${workloadStates.waiting.words}: ${awaitsRollout}`;
  if (sources.some(({ isRecreated }) => isRecreated === true))
    return settings?.immutableRecreated === 'replace'
      ? 'all of its pods would be terminated before new ones start, because an immutable source was recreated'
      : blocked('an immutable source was recreated');
  if (summary.selector === undefined) return 'the next run has the new content';
  if (typeof pods === 'string') return 'would be restarted if a pod is older than the change';
  return podsToReplace(summary, pods, sources).length > keptPods(summary)
    ? 'would be restarted'
    : 'needs no restart: its pods were created after the change';
}

function rolling({ summary, state, pods }: WorkloadView): string {
  const target = typeof state === 'object' ? state.target : undefined;
  const since = target === undefined ? '' : ` since ${timeInSeconds(target.since)}, attempt ${target.attempt}`;
  const progress = rolloutOf(summary, typeof pods === 'string' ? [] : ownPods(summary, pods));
  const obstacle = obstacleOf(summary);
  const rollsOut = `${workloadStates.rolling.words}${since}`;
  const waits = `${workloadStates.suspended.words}${since}`;
  switch (progress.type) {
    case 'progressing':
      return `${rollsOut}, ${progress.done} of ${progress.of} pods are new${obstacle === undefined ? '' : `; ${obstacle}`}`;
    case 'waitingForDeletion':
      return `${waits}: to delete these pods (OnDelete): ${progress.pods.join(', ')}`;
    case 'paused':
      return `${waits}: to resume the Deployment`;
    default:
      return rollsOut;
  }
}

/** One line for each source: `← ConfigMap settings#a,b (env)`. */
function usesOf({ summary, uses, sources, current }: WorkloadView): string[] {
  return [...Map.groupBy(uses.uses, ({ source }) => sourceKey(source))].map(([key, sourceUses]) => {
    const ref = sourceUses[0]?.source;
    if (ref === undefined) return '';
    const optOut = sources.optOut(ref);
    const error = sources.get(ref)?.optOutError;
    const source = current.type === 'ok' ? current.sources.get(key) : undefined;
    const notes = [
      ...new Set(sourceUses.map(({ how }) => how)),
      ...(source?.digest.isAbsent ? ['absent'] : []),
      ...(source?.digest.isImmutable ? ['immutable'] : []),
      ...(error !== undefined ? [`left out, its opt-out cannot be read: ${error}`] : []),
      ...(error === undefined && optOut === 'all' ? ['left out by its annotation'] : []),
      ...(typeof optOut === 'object' ? [`without ${[...optOut].join(', ')}`] : []),
    ];
    return `← ${describeSource(ref, summary.ref.namespace)}${keysOf(sourceUses)} (${notes.join(', ')})`;
  });
}

function keysOf(uses: readonly Use[]): string {
  const keys = uses.flatMap(({ key }) => key ?? []);
  return keys.length < uses.length ? '' : `#${[...new Set(keys)].sort().join(',')}`;
}

function restartsOf({ state }: WorkloadView): string[] {
  if (typeof state !== 'object') return [];
  const last = state.restarts.at(-1);
  if (last === undefined) return [];
  return [`last restart ${timeInSeconds(last)}${state.lastCause === undefined ? '' : ` for ${state.lastCause}`}`];
}

/** Lists the pods that were created before the last write of a source, and what follows from that. */
function podsOf(view: WorkloadView): string[] {
  const { summary, current, pods, state } = view;
  if (typeof pods === 'string') return [`its pods cannot be read: ${pods}`];
  if (current.type === 'refused') return [];
  const older = (source: CurrentSource) =>
    source.lastWrite === undefined ? [] : podsToReplace(summary, pods, [{ source, lastWrite: source.lastWrite }]);
  return [...current.sources.values()].flatMap((source) => {
    const names = older(source).map(({ name }) => name);
    if (names.length === 0) return [];
    const of = `pods that may be older than ${describeSource(source.ref, summary.ref.namespace)}: ${names.sort().join(', ')}`;
    // Whether the last write of the source changed what they use was not observed.
    const isAdopted = typeof state === 'object';
    const isChanged = isAdopted && state.rolledOut.get(sourceKey(source.ref))?.tag !== source.tag.tag;
    if (isChanged) return [of];
    return [
      isAdopted ? `${of} (its last write changed nothing they use, or was before the adoption)` : `unknown: ${of}`,
    ];
  });
}
