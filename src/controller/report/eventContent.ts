import type { Reasons } from '../../reasons/reasonsOn.ts';

/** An Event with one of the reasons, without its object. */
export type EventContent<R extends Reasons> = {
  readonly [Reason in keyof R]: {
    readonly reason: Reason;
    readonly type: R[Reason]['types'][number];
    readonly action: R[Reason]['actions'][number];
    readonly note: string;
  };
}[keyof R];

export function normal<Reason extends string, Action extends string>(reason: Reason, action: Action, note: string) {
  return { type: 'Normal', reason, action, note } as const;
}

export function warning<Reason extends string, Action extends string>(reason: Reason, action: Action, note: string) {
  return { type: 'Warning', reason, action, note } as const;
}

export function warningIf<Reason extends string, Action extends string>(
  isWarning: boolean,
  ...content: readonly [reason: Reason, action: Action, note: string]
) {
  const [reason, action, note] = content;
  return { type: isWarning ? 'Warning' : 'Normal', reason, action, note } as const;
}
