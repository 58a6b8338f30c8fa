import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  type EventObject,
  type InspectionEvent,
  StateNode,
} from 'xstate';
import { statesOf } from './exploration.ts';

/** A transition of a machine; the target in words, as a person would look for it in the diagram. */
export interface NamedTransition {
  readonly key: string;
  readonly name: string;
}

type Definition = InspectedTransitions[number];
type InspectedTransitions = Extract<InspectionEvent, { type: '@xstate.microstep' }>['_transitions'];

/** Counts which transitions running actors take; give `inspect` to their runtime. */
export function transitionCoverage() {
  const taken = new Set<string>();
  return {
    inspect(event: InspectionEvent) {
      if (event.type !== '@xstate.microstep') return;
      for (const definition of event._transitions) {
        if (definition.source instanceof StateNode) taken.add(keyOf(definition.source, definition));
      }
    },
    taken,
    /** The transitions of this machine that were never taken. */
    missing: (machine: AnyStateMachine) => transitionsOf(machine).filter(({ key }) => !taken.has(key)),
  };
}

/** Every transition of a machine: by event, by time, by a child's end, and `always`. */
export function transitionsOf(machine: AnyStateMachine): NamedTransition[] {
  return [machine.root, ...statesOf(machine)].flatMap((node) =>
    [...[...node.transitions.values()].flat(), ...(node.always ?? [])].map((definition) => ({
      key: keyOf(node, definition),
      name: nameOf(node, definition),
    })),
  );
}

/** The names of the transitions that a machine would take with an event; nothing is executed. */
export function transitionsWith(machine: AnyStateMachine, snapshot: AnyMachineSnapshot, event: EventObject): string[] {
  return machine
    .getTransitionData(snapshot, event)
    .flatMap((definition) => (definition.source instanceof StateNode ? nameOf(definition.source, definition) : []));
}

/** The same in every copy of a machine: its place among its siblings. */
function keyOf(node: AnyStateNode, definition: Definition): string {
  const siblings = definition.eventType === '' ? node.always : node.transitions.get(definition.eventType);
  return `${node.id} ${definition.eventType} ${siblings?.indexOf(definition) ?? -1}`;
}

function nameOf(node: AnyStateNode, { eventType, target, guard }: Definition): string {
  const to = target === undefined ? '(stays)' : target.map((each) => each.id).join(', ');
  const when = typeof guard === 'string' ? ` [${guard}]` : '';
  return `${node.id} -- ${eventType === '' ? 'always' : eventType}${when} -> ${to}`;
}
