/** The kinds of moments, in the order of the legend. `#timeline?only=deletion` shows one of them alone. */
export const momentKinds = [
  'outage',
  'window',
  'recovery',
  'deletion',
  'restart',
  'retry',
  'correction',
  'drift',
  'problem',
  'deviation',
  'other',
] as const;
export type MomentKind = (typeof momentKinds)[number];

const kindsByType: ReadonlyMap<string, MomentKind> = new Map([
  ['service.notReady', 'outage'],
  ['service.ready', 'recovery'],
  ['window.opened', 'window'],
  ['window.closed', 'window'],
  ['pod.deleted', 'deletion'],
  ['pod.evicted', 'deletion'],
  ['workload.restarted', 'restart'],
  ['creation.retried', 'retry'],
  ['resource.corrected', 'correction'],
  ['resource.applied', 'correction'],
  ['resource.drifted', 'drift'],
  ['resource.missing', 'drift'],
  ['workload.blocked', 'problem'],
  ['workload.stalled', 'problem'],
  ['workload.reverted', 'problem'],
  ['workload.refused', 'problem'],
  ['resource.correctionBackOff', 'problem'],
  ['resource.ownershipConflict', 'problem'],
  ['resource.refused', 'problem'],
  ['resource.failed', 'problem'],
  ['application.invalid', 'problem'],
  ['application.refused', 'problem'],
  ['deletion.refused', 'problem'],
  ['deletion.failed', 'problem'],
  ['creation.refused', 'problem'],
  ['creation.failed', 'problem'],
  ['decision.differs', 'deviation'],
]);

/** `what`: the type of an event. */
export function kindOf(what: string): MomentKind {
  return kindsByType.get(what) ?? 'other';
}
