import type { MomentKind } from '../../protocol/momentKinds.ts';

/** The kinds in words, for the legend. */
export const kindNames: Readonly<Record<MomentKind, string>> = {
  outage: 'outage',
  window: 'window',
  recovery: 'recovery',
  deletion: 'deletion',
  restart: 'restart',
  retry: 'creation retried',
  correction: 'applied or corrected',
  drift: 'drift',
  problem: 'refused, blocked or failed',
  deviation: 'differs from the recording',
  other: 'other, only in the table',
};

/** The kinds that have a mark at one time. An outage and a window have a bar, other events only a row of the table. */
export type MarkKind = Exclude<MomentKind, 'outage' | 'window' | 'other'>;

/** The shapes of the marks, around (0, 0), so that they do not differ by colour alone. */
export const shapes: Readonly<Record<MarkKind, string>> = {
  recovery: 'M0 5l-5 -9h10z',
  deletion: 'M-4.5 -4.5h9v9h-9z',
  restart: 'M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z',
  retry: 'M-1.5 -5.5h3v4h4v3h-4v4h-3v-4h-4v-3h4z',
  correction: 'M0 -6l6 6l-6 6l-6 -6z',
  drift: 'M0 -6l6 10h-12z',
  problem: 'M-5 -3l2 -2l3 3l3 -3l2 2l-3 3l3 3l-2 2l-3 -3l-3 3l-2 -2l3 -3z',
  deviation: 'M-6 -4h7l1 -3h2l-1 3h3v2h-4l-1 3h5v2h-6l-1 3h-2l1 -3h-4v-2h5l1 -3h-6z',
};

/** Whether this kind has a mark. */
export function hasMark(kind: MomentKind): kind is MarkKind {
  return kind in shapes;
}
