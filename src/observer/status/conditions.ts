import { type Identity, identityText } from '../model/identity.ts';
import { listed, sentenceOf } from '../model/wording.ts';
import type { ShownFault } from '../spec/application.ts';
import type { ResourceState } from '../spec/inventory.ts';

export type ConditionType = 'Applied' | 'InSync' | 'Degraded' | 'Invalid';

/** What is to be said by one condition. */
export interface ConditionSaid {
  readonly type: ConditionType;
  readonly status: 'True' | 'False' | 'Unknown';
  /** One word in CamelCase, for programs. */
  readonly reason: string;
  /** For people. */
  readonly message: string;
}

/** A resource as the conditions see it. */
export interface ResourceView {
  readonly identity: Identity;
  readonly state: ResourceState;
  /** As the manifest says it now. */
  readonly isApplied: boolean;
  /** Why it is refused, tried again or claimed, or what its deletion waits for; empty otherwise. */
  readonly reason: string;
  /** What its end waits for, once it is deleted; empty otherwise. */
  readonly ending: string;
  /** Why its manifest of now is refused, while what was applied before is kept; empty otherwise. */
  readonly refusal: string;
  /** That is compared, and as it was. */
  readonly isAsBefore: boolean;
  /** Of the drifts. */
  readonly paths: readonly string[];
  /** Who keeps changing it back, while the next correction waits. */
  readonly rival: string | undefined;
}

/** An application as its conditions see it. */
export interface ApplicationView {
  readonly phase: 'invalid' | 'paused' | 'applying' | 'observing' | 'deleting';
  readonly mode: 'correct' | 'detect';
  /** Epoch milliseconds; only while it is paused. */
  readonly pausedUntil: number | undefined;
  /** Of the spec as a whole, of manifests, of the observer schema. */
  readonly faults: readonly ShownFault[];
  /** Why nothing is applied, where the account is missing in whose place it would be; '': it is not. */
  readonly accountFault: string;
  /** Sentences that belong to being in sync: replicas that an autoscaler has, values that admission changes. */
  readonly notes: readonly string[];
  readonly resources: readonly ResourceView[];
}

/** The four conditions, always all of them and in this order. */
export function conditionsOf(view: ApplicationView): readonly ConditionSaid[] {
  return [
    { type: 'Applied', ...applied(view) },
    { type: 'InSync', ...inSync(view) },
    { type: 'Degraded', ...degraded(view) },
    { type: 'Invalid', ...faultsCondition(view.faults) },
  ];
}

type Said = Omit<ConditionSaid, 'type'>;

function said(status: Said['status'], reason: string, message: string): Said {
  return { status, reason, message };
}

function applied({ phase, mode, pausedUntil, faults, accountFault, resources }: ApplicationView): Said {
  if (phase === 'deleting') return said('False', 'Deleting', withEnds('The application is being deleted.', resources));
  if (phase === 'invalid') return said('False', 'Invalid', 'Nothing is applied before the spec is without faults.');
  if (phase === 'paused') return said('False', 'Paused', pauseSentence(pausedUntil));
  if (mode === 'detect') return said('False', 'DetectOnly', 'Nothing is ever applied in mode detect.');
  if (phase === 'applying' && accountFault !== '') return said('False', 'ServiceAccountNotFound', accountFault);
  const missing = resources.filter(({ isApplied, state }) => !isApplied && state !== 'leaving');
  const failing = missing.filter(({ reason, refusal }) => reason !== '' || refusal !== '');
  if (failing.length > 0) return said('False', 'Failed', sentenceOf('Not applied', failing.map(withReason)));
  if (missing.length > 0 || phase === 'applying') return said('Unknown', 'Applying', 'Resources are being applied.');
  if (faults.length > 0) return said('False', 'Invalid', 'All but what has faults is applied.');
  return said('True', 'AllApplied', withEnds('All manifests are applied as they are now.', resources));
}

const outOfSync: ReadonlySet<ResourceState> = new Set(['drifted', 'missing']);

function inSync({ phase, pausedUntil, notes, resources }: ApplicationView): Said {
  if (phase === 'deleting') return said('Unknown', 'Deleting', 'The application is being deleted.');
  if (phase === 'invalid') return said('Unknown', 'Invalid', 'Nothing is observed before the spec is without faults.');
  if (phase === 'paused') return said('Unknown', 'Paused', pauseSentence(pausedUntil));
  const out = resources.filter(({ state, paths }) => outOfSync.has(state) || paths.length > 0);
  if (out.length > 0) {
    const reason = out.every(({ state }) => state === 'missing') ? 'Missing' : 'DriftDetected';
    return said('False', reason, withNotes(sentenceOf('Not as applied', out.map(withPaths)), notes));
  }
  const unknown = resources.filter(({ state, isAsBefore }) => state !== 'inSync' && state !== 'leaving' && !isAsBefore);
  if (unknown.length > 0 || phase !== 'observing') {
    const which = unknown.map(({ identity }) => identityText(identity));
    return said('Unknown', 'NotObserved', sentenceOf('Not compared yet', which));
  }
  return said('True', 'AsApplied', withNotes('Every observed field is as it was applied.', notes));
}

/** From the most to the least lasting. */
const troubles = [
  ['unverified', 'Unverified'],
  ['claimed', 'OwnershipConflict'],
  ['refused', 'Refused'],
  ['typeMissing', 'NoKindMatch'],
  ['backingOff', 'Retrying'],
] as const;

function degraded({ phase, mode, accountFault, resources }: ApplicationView): Said {
  const held = resources.filter(({ state, reason }) => reason !== '' && (phase === 'deleting' || state === 'leaving'));
  if (held.length > 0) return said('True', 'DeletionBlocked', sentenceOf('Not deleted', held.map(withReason)));
  if (phase === 'applying' && mode === 'correct' && accountFault !== '')
    return said('True', 'ServiceAccountNotFound', accountFault);
  for (const [state, reason] of troubles) {
    const those = resources.filter((each) => each.state === state || (state === 'refused' && each.refusal !== ''));
    if (those.length > 0) return said('True', reason, sentenceOf(headings[reason], those.map(withReason)));
  }
  const fought = resources.filter(({ rival }) => rival !== undefined);
  if (fought.length > 0)
    return said('True', 'CorrectionBackOff', sentenceOf('Changed back again and again', fought.map(byWhom)));
  const isUnderWay = phase === 'applying' || (phase === 'observing' && !resources.every(isSettled));
  return said(
    'False',
    'AsExpected',
    mode === 'correct' && isUnderWay ? 'Nothing has failed so far.' : 'Nothing fails.',
  );
}

/** Nothing of it is yet to be applied. */
function isSettled({ isApplied, state }: ResourceView): boolean {
  return isApplied || state === 'leaving';
}

const headings = {
  Unverified: 'The account may not see',
  OwnershipConflict: 'Belongs to another application',
  Refused: 'The API server does not take',
  NoKindMatch: 'The cluster does not know the kind of',
  Retrying: 'Tried again',
} as const;

function withReason({ identity, reason, refusal }: ResourceView): string {
  const why = refusal === '' ? reason : refusal;
  return why === '' ? identityText(identity) : `${identityText(identity)} (${why.replace(/\.$/, '')})`;
}

function withPaths({ identity, state, paths }: ResourceView): string {
  if (state === 'missing' || paths.length === 0) return `${identityText(identity)} (${state})`;
  return `${identityText(identity)} (${listed(paths)})`;
}

function byWhom({ identity, rival, paths }: ResourceView): string {
  return `${identityText(identity)} (${listed(paths)}) by ${rival}`;
}

function pauseSentence(until: number | undefined): string {
  return until === undefined ? 'Paused.' : `Paused until ${new Date(until).toISOString()}.`;
}

/** What is deleted, and not gone yet: that takes its time, and nothing is wrong. */
function withEnds(sentence: string, resources: readonly ResourceView[]): string {
  const those = resources.filter(({ ending }) => ending !== '');
  if (those.length === 0) return sentence;
  const each = those.map(({ identity, ending }) => `${identityText(identity)} (${ending})`);
  return `${sentence} ${sentenceOf('Deleted, and not gone yet', each)}`;
}

function withNotes(sentence: string, notes: readonly string[]): string {
  return [sentence, ...notes].join(' ');
}

const faultReasons = { spec: 'SpecInvalid', manifest: 'ManifestInvalid', schema: 'SchemaInvalid' } as const;

/** The condition Invalid: named after the fault that concerns most. */
function faultsCondition(faults: readonly ShownFault[]): Omit<ConditionSaid, 'type'> {
  if (faults.length === 0) return { status: 'False', reason: 'Valid', message: 'The spec has no faults.' };
  const worst = (['spec', 'manifest', 'schema'] as const).find((each) => faults.some(({ of }) => of === each));
  const texts = faults.map(({ place, message }) => `${place}: ${message}`);
  const heading = faults.length === 1 ? 'One fault' : `${faults.length} faults`;
  return { status: 'True', reason: faultReasons[worst ?? 'spec'], message: sentenceOf(heading, texts) };
}
