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
