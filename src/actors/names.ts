import { type AnyEventObject, type InspectionEvent, isMachineSnapshot, type StateValue } from 'xstate';
import { numberOf, objectOf, textOf } from '../base/json.ts';

/** What of a context or an event leaves the process: what names or counts something, by these keys and no others. */
const names = ['namespace', 'service', 'name', 'uid', 'window', 'selector', 'actorId'] as const;

type Names = Readonly<Record<string, string | number>>;

/** No pods, no configs, no credentials, no errors: texts and numbers under the keys that name something. */
export function namesOf(value: unknown): Names {
  const known = objectOf(value);
  return Object.fromEntries(
    names.flatMap((name) => {
      const its = textOf(known[name]) ?? numberOf(known[name]);
      return its === undefined ? [] : [[name, its]];
    }),
  );
}

/** An event with its type, and the names in it. */
export function trimmedEvent(event: AnyEventObject): AnyEventObject {
  return { ...namesOf(event), type: event.type };
}

/** A snapshot as the inspector is told of it. */
interface TrimmedSnapshot {
  readonly status: Snapshot['status'];
  readonly value?: StateValue;
  readonly context?: Names;
}

type Snapshot = Extract<InspectionEvent, { type: '@xstate.snapshot' }>['snapshot'];

export function trimmedSnapshot(snapshot: Snapshot): TrimmedSnapshot {
  const { status } = snapshot;
  if (!isMachineSnapshot(snapshot)) return { status };
  const value: StateValue = snapshot.value;
  return { status, value, context: namesOf(snapshot.context) };
}
