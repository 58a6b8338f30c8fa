import type { EventDraft } from '@weeder/kube-runtime/events';

type EventType = EventDraft['type'];

/** What is documented of each Event of a controller, by its reason. */
export type Reasons = Readonly<
  Record<
    string,
    {
      readonly about: string;
      readonly types: readonly EventType[];
      readonly actions: readonly string[];
      readonly meaning: string;
    }
  >
>;

/** Returns functions that describe a reason of Events about this kind of object, by the types of these Events. */
export function reasonsOn<About extends string>(about: About) {
  const of =
    <Type extends EventType>(...types: Type[]) =>
    <Action extends string>(...actions: Action[]) => ({
      means: (meaning: string) => ({ about, types, actions, meaning }),
    });
  return { normal: of('Normal'), warning: of('Warning'), either: of('Normal', 'Warning') };
}

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
