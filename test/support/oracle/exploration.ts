import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  initialTransition,
  transition,
} from 'xstate';

/** Every state node of a machine except the root. */
export function statesOf(machine: AnyStateMachine): AnyStateNode[] {
  const below = (node: AnyStateNode): AnyStateNode[] =>
    Object.values(node.states).flatMap((child) => [child, ...below(child)]);
  return below(machine.root);
}

/** The events that the machine's own state nodes name, with wildcards expanded. */
export function eventTypesOf(machine: AnyStateMachine): string[] {
  const types = [machine.root, ...statesOf(machine)].flatMap((node) => [...node.transitions.keys()]);
  return [...new Set(types)].map((type) => type.replace('*', 'someChild'));
}

/** XState itself sends these events, and only to states that expect them. */
export function isInternal(type: string): boolean {
  return type.startsWith('xstate.');
}

/**
 * The snapshots that bare `{ type }` events lead to, one for each combination of active states, with the result of each
 * event. Nothing is executed.
 */
export function exploreBare(machine: AnyStateMachine, input?: unknown): Map<string, AnyMachineSnapshot> {
  const [first] = initialTransition(machine, input);
  const snapshots = new Map([[keyOf(first), first]]);
  for (const snapshot of snapshots.values()) {
    for (const event of bareEvents(machine, snapshot)) {
      const [next] = transition(machine, snapshot, event);
      if (!snapshots.has(keyOf(next))) snapshots.set(keyOf(next), next);
    }
  }
  return snapshots;
}

/** The bare events that are possible in this state. */
export function bareEvents(machine: AnyStateMachine, snapshot: AnyMachineSnapshot): { readonly type: string }[] {
  return eventTypesOf(machine)
    .map((type) => ({ type }))
    .filter((event) => !isInternal(event.type) || snapshot.can(event));
}

/** The ids of the active states, such as `endpoint.ready.windowOpen`. */
export function activeStates(snapshot: AnyMachineSnapshot): string[] {
  return snapshot._nodes.map((node) => node.id);
}

/** The ids of the children that the machine spawned: invoked children are managed by XState. */
export function spawnedChildren(snapshot: AnyMachineSnapshot): string[] {
  const invoked = new Set(snapshot._nodes.flatMap((node: AnyStateNode) => node.invoke.map((each) => each.id)));
  return Object.keys(snapshot.children).filter((id) => !invoked.has(id));
}

function keyOf(snapshot: AnyMachineSnapshot): string {
  const children = spawnedChildren(snapshot).length > 0 ? ' with children' : '';
  return `${snapshot.status} ${JSON.stringify(snapshot.value)}${children}`;
}
