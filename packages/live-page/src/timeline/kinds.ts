/** The kinds of events, in the order of the legend, which has a name for each. */
export const kinds = [
  ['outage', 'outage'],
  ['window', 'window'],
  ['recovery', 'recovery'],
  ['deletion', 'deletion'],
  ['restart', 'restart'],
  ['correction', 'applied or corrected'],
  ['drift', 'drift'],
  ['problem', 'refused, blocked or failed'],
  ['other', 'other, only in the table'],
] as const;
export type Kind = (typeof kinds)[number][0];

/** The kinds that have a mark at one time. An outage and a window have a bar, other events only a row of the table. */
export type MarkKind = Exclude<Kind, 'outage' | 'window' | 'other'>;

/** The shapes of the marks, around (0, 0), so that they do not differ by colour alone. */
export const shapes: Readonly<Record<MarkKind, string>> = {
  recovery: 'M0 5l-5 -9h10z',
  deletion: 'M-4.5 -4.5h9v9h-9z',
  restart: 'M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z',
  correction: 'M0 -6l6 6l-6 6l-6 -6z',
  drift: 'M0 -6l6 10h-12z',
  problem: 'M-5 -3l2 -2l3 3l3 -3l2 2l-3 3l3 3l-2 2l-3 -3l-3 3l-2 -2l3 -3z',
};

const kindsByType: ReadonlyMap<string, Kind> = new Map([
  ['service.notReady', 'outage'],
  ['service.ready', 'recovery'],
  ['window.opened', 'window'],
  ['window.closed', 'window'],
  ['pod.deleted', 'deletion'],
  ['workload.restarted', 'restart'],
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
]);

/** `what`: the type of an event. */
export function kindOf(what: string): Kind {
  return kindsByType.get(what) ?? 'other';
}

/** Whether this kind has a mark. */
export function hasMark(kind: Kind): kind is MarkKind {
  return kind in shapes;
}
