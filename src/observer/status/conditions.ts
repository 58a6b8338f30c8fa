import { timeInSeconds } from '@weeder/kube-runtime/base';
import type { ResourceState } from '../../../machines/observer/resource.ts';
import { identityText } from '../objects/identity.ts';
import { listed, summaryOf } from '../objects/wording.ts';
import type { ReportedError } from '../spec/application.ts';
import type { ApplicationView, ConditionContent, DesiredCondition, ResourceView } from './condition.ts';
import { applying, readiness } from './readiness.ts';

/** Returns all conditions; Reconciling and Stalled only while they are true. */
export function conditionsOf(view: ApplicationView): readonly DesiredCondition[] {
  const findings = {
    applied: applied(view),
    inSync: inSync(view),
    degraded: degraded(view),
    invalid: errorsCondition(view.errors),
  };
  return [
    ...readiness(view, findings),
    { type: 'Applied', ...findings.applied },
    { type: 'InSync', ...findings.inSync },
    { type: 'Degraded', ...findings.degraded },
    { type: 'Invalid', ...findings.invalid },
  ];
}

function content(status: ConditionContent['status'], reason: string, message: string): ConditionContent {
  return { status, reason, message };
}

function applied({ phase, mode, pausedUntil, errors, accountError, resources }: ApplicationView): ConditionContent {
  if (phase === 'deleting')
    return content('False', 'Deleting', withTerminating('The application is being deleted.', resources));
  if (phase === 'invalid')
    return content('False', 'Invalid', 'Nothing is applied before the errors in the spec are fixed.');
  if (phase === 'paused') return content('False', 'Paused', pauseSentence(pausedUntil));
  if (mode === 'detect') return content('False', 'DetectOnly', 'Nothing is ever applied in mode detect.');
  if (phase === 'applying' && accountError !== '') return content('False', 'ServiceAccountNotFound', accountError);
  if (phase === 'applying') return applying;
  const missing = resources.filter(({ isApplied, state }) => !isApplied && state !== 'leaving');
  const failing = missing.filter(({ reason, refusal }) => reason !== '' || refusal !== '');
  if (failing.length > 0) return content('False', 'Failed', summaryOf('Not applied', failing.map(withReason)));
  if (missing.length > 0) return applying;
  if (errors.length > 0) return content('False', 'Invalid', 'Manifests without errors are applied.');
  return content('True', 'AllApplied', withTerminating('All manifests are applied as they are now.', resources));
}

const outOfSync: ReadonlySet<ResourceState> = new Set(['drifted', 'missing']);

function inSync({ phase, pausedUntil, notes, resources }: ApplicationView): ConditionContent {
  if (phase === 'deleting') return content('Unknown', 'Deleting', 'The application is being deleted.');
  if (phase === 'invalid')
    return content('Unknown', 'Invalid', 'Nothing is observed before the errors in the spec are fixed.');
  if (phase === 'paused') return content('Unknown', 'Paused', pauseSentence(pausedUntil));
  const out = resources.filter(({ state, paths }) => outOfSync.has(state) || paths.length > 0);
  if (out.length > 0) {
    const reason = out.every(({ state }) => state === 'missing') ? 'Missing' : 'DriftDetected';
    const pending = out.find((each) => outOfSync.has(each.state) && each.pending !== '')?.pending;
    const waits = pending === undefined ? [] : [`Corrections wait: ${pending}.`];
    return content('False', reason, withNotes(summaryOf('Not as applied', out.map(withPaths)), [...waits, ...notes]));
  }
  const unknown = resources.filter(
    ({ state, isAsLastApplied }) => state !== 'inSync' && state !== 'leaving' && !isAsLastApplied,
  );
  if (unknown.length > 0 || phase !== 'observing') {
    const which = unknown.map(({ identity }) => identityText(identity));
    return content('Unknown', 'NotObserved', summaryOf('Not compared yet', which));
  }
  return content('True', 'AsApplied', withNotes('Every observed field is as it was applied.', notes));
}

/** From the most to the least lasting. */
const degradedReasons = [
  ['unverified', 'Unverified'],
  ['claimed', 'OwnershipConflict'],
  ['refused', 'Refused'],
  ['typeMissing', 'NoKindMatch'],
  ['backingOff', 'Retrying'],
] as const;

/** A resource may be in another state, and have such a failure too. */
const alsoIn: Readonly<Partial<Record<ResourceState, (resource: ResourceView) => string>>> = {
  refused: ({ refusal }) => refusal,
  typeMissing: ({ unserved }) => unserved,
};

function degraded({ phase, mode, accountError, resources }: ApplicationView): ConditionContent {
  const blocked = resources.filter(
    ({ state, reason }) => reason !== '' && (phase === 'deleting' || state === 'leaving'),
  );
  if (blocked.length > 0) return content('True', 'DeletionBlocked', summaryOf('Not deleted', blocked.map(withReason)));
  if (phase === 'applying' && mode === 'correct' && accountError !== '')
    return content('True', 'ServiceAccountNotFound', accountError);
  const delayed = resources.filter(({ isDelayed }) => isDelayed);
  if (delayed.length > 0)
    return content('True', 'DeletionDelayed', summaryOf('Still terminating', delayed.map(withTermination)));
  for (const [state, reason] of degradedReasons) {
    // Its definition may be in the same application.
    if (state === 'typeMissing' && phase === 'applying') continue;
    const those = resources.filter((each) => each.state === state || (alsoIn[state]?.(each) ?? '') !== '');
    if (those.length > 0) return content('True', reason, summaryOf(headings[reason], those.map(withReason)));
  }
  const backingOff = resources.filter(({ conflictingManager }) => conflictingManager !== undefined);
  if (backingOff.length > 0)
    return content('True', 'CorrectionBackOff', summaryOf('Changed back repeatedly', backingOff.map(byWhom)));
  const isUnderWay = phase === 'applying' || (phase === 'observing' && !resources.every(isSettled));
  return content(
    'False',
    'AsExpected',
    mode === 'correct' && isUnderWay ? 'Nothing has failed so far.' : 'Nothing fails.',
  );
}

/** Returns true if nothing of the resource is still to be applied. */
function isSettled({ isApplied, state }: ResourceView): boolean {
  return isApplied || state === 'leaving';
}

const headings = {
  Unverified: 'The account may not see',
  OwnershipConflict: 'Belongs to another application',
  Refused: 'The API server refuses',
  NoKindMatch: 'The cluster does not know the kind of',
  Retrying: 'Retrying',
} as const;

function withReason({ identity, reason, refusal, unserved, wait }: ResourceView): string {
  const why = refusal || reason || unserved;
  return why === '' ? identityText(identity) : `${identityText(identity)} (${why.replace(/\.$/, '')}${inTime(wait)})`;
}

/** The cause may have ended since then. */
function inTime(wait: ResourceView['wait']): string {
  if (wait === undefined) return '';
  return `; as of ${timeInSeconds(wait.from)}, checked again at ${timeInSeconds(wait.until)}`;
}

function withPaths({ identity, state, paths }: ResourceView): string {
  if (state === 'missing' || paths.length === 0) return `${identityText(identity)} (${state})`;
  return `${identityText(identity)} (${listed(paths)})`;
}

function byWhom({ identity, conflictingManager, paths, wait }: ResourceView): string {
  const next = wait === undefined ? '' : `, next correction at ${timeInSeconds(wait.until)}`;
  return `${identityText(identity)} (${listed(paths)}) by ${conflictingManager}${next}`;
}

function pauseSentence(until: number | undefined): string {
  return until === undefined ? 'Paused.' : `Paused until ${new Date(until).toISOString()}.`;
}

/** Adds the resources that are terminating, which is not a failure. */
function withTerminating(sentence: string, resources: readonly ResourceView[]): string {
  const beingDeleted = resources.filter(({ terminating }) => terminating !== '');
  if (beingDeleted.length === 0) return sentence;
  return `${sentence} ${summaryOf('Waiting for the deletion of', beingDeleted.map(withTermination))}`;
}

function withTermination({ identity, terminating }: ResourceView): string {
  return `${identityText(identity)} (${terminating})`;
}

function withNotes(sentence: string, notes: readonly string[]): string {
  return [sentence, ...notes].join(' ');
}

const errorReasons = { spec: 'SpecInvalid', manifest: 'ManifestInvalid', schema: 'SchemaInvalid' } as const;

/** The condition Invalid, with the reason of the error that concerns most of the application. */
function errorsCondition(errors: readonly ReportedError[]): ConditionContent {
  if (errors.length === 0) return { status: 'False', reason: 'Valid', message: 'The spec has no errors.' };
  const worst = (['spec', 'manifest', 'schema'] as const).find((each) => errors.some(({ of }) => of === each));
  const texts = errors.map(({ place, message }) => `${place}: ${message}`);
  const heading = errors.length === 1 ? 'One error' : `${errors.length} errors`;
  return { status: 'True', reason: errorReasons[worst ?? 'spec'], message: summaryOf(heading, texts) };
}
