/** The state of an application whose resources are observed, in one word: that of the worst resource, which comes first. */
const applicationStates = [
  'blocked',
  'unverified',
  'claimed',
  'refused',
  'typeMissing',
  'backingOff',
  /** Another client changes it back repeatedly. */
  'contested',
  'invalid',
  'drifted',
  /** Everything that is not as applied is missing. */
  'missing',
  'pending',
  'observing',
] as const;
export type ApplicationState = (typeof applicationStates)[number];

/** By the reason of `Ready`, which is that of the worst resource. */
const byReason: ReadonlyMap<string, ApplicationState> = new Map([
  ['DeletionBlocked', 'blocked'],
  ['DeletionDelayed', 'blocked'],
  ['Pruning', 'pending'],
  ['Unverified', 'unverified'],
  ['OwnershipConflict', 'claimed'],
  ['Refused', 'refused'],
  ['NoKindMatch', 'typeMissing'],
  ['Retrying', 'backingOff'],
  ['ServiceAccountNotFound', 'backingOff'],
  ['CorrectionBackOff', 'contested'],
  ['SpecInvalid', 'invalid'],
  ['ManifestInvalid', 'invalid'],
  ['SchemaInvalid', 'invalid'],
  ['Missing', 'missing'],
  ['DriftDetected', 'drifted'],
  ['AsApplied', 'observing'],
]);

/** Returns the word for a reason of `Ready`. */
export function applicationStateOf(reason: string | undefined): ApplicationState {
  return byReason.get(reason ?? '') ?? 'pending';
}

/** Returns the worst of these. */
export function worstState(states: readonly ApplicationState[]): ApplicationState {
  return applicationStates.find((each) => states.includes(each)) ?? 'pending';
}
