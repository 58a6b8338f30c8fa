import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';

/** A state as a reader wants to see it. */
export interface DrawnState {
  /** `ready.windowOpen`; the machine itself has its own id. Unique within the machine. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly kind: 'atomic' | 'compound' | 'parallel' | 'final';
  /** The id of the child that is entered first. */
  readonly initial: string | undefined;
  readonly entry: readonly string[];
  readonly exit: readonly string[];
  /** The names of the actors that live as long as the state. */
  readonly invokes: readonly string[];
  readonly children: readonly DrawnState[];
}

/** What leads from a state to another, or happens in it (`to` is undefined then). */
export interface DrawnTransition {
  readonly from: string;
  readonly to: string | undefined;
  /** In words: `endpoint.ready`, `after watchDuration`, `always`, `readySince failed`. */
  readonly when: string;
  readonly guard: string | undefined;
  readonly actions: readonly string[];
  readonly description: string | undefined;
  /** The target is re-entered even from inside it. */
  readonly isReentering: boolean;
}

/** Everything of a machine that a picture shows. */
export interface Drawing {
  readonly root: DrawnState;
  readonly transitions: readonly DrawnTransition[];
  /** The actors that it starts in the course of an action, by name. */
  readonly spawns: readonly string[];
}

/**
 * Reads a machine for drawing: from its state nodes, because XState's own definition loses every `always`.
 */
export function drawingOf(machine: AnyStateMachine): Drawing {
  const nodes = allNodes(machine.root);
  const invoked = new Set(nodes.flatMap(invokesOf));
  return {
    root: stateOf(machine.root),
    transitions: nodes.flatMap((node) => transitionsOf(node).map(transitionOf)),
    spawns: Object.keys(machine.implementations.actors).filter((name) => !invoked.has(name)),
  };
}

/** The id of a state: its path, or for the machine itself its own id. */
export function idOf(node: AnyStateNode): string {
  return node.parent === undefined ? node.key : node.path.join('.');
}

function allNodes(node: AnyStateNode): AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap(allNodes)];
}

function stateOf(node: AnyStateNode): DrawnState {
  const [initial] = node.type === 'compound' ? (node.initial?.target ?? []) : [];
  return {
    id: idOf(node),
    name: node.key,
    description: node.description ?? '',
    kind: node.type === 'history' ? 'atomic' : node.type,
    initial: initial === undefined ? undefined : idOf(initial),
    entry: namesOf(node.entry),
    exit: namesOf(node.exit),
    invokes: invokesOf(node),
    children: Object.values(node.states).map(stateOf),
  };
}

function invokesOf(node: AnyStateNode): string[] {
  return node.invoke.map(({ src }) => (typeof src === 'string' ? src : 'an actor'));
}

function transitionsOf(node: AnyStateNode): AnyTransitionDefinition[] {
  return [...(node.always ?? []), ...[...node.transitions.values()].flat()];
}

function transitionOf(transition: AnyTransitionDefinition): DrawnTransition {
  const { source, target, eventType, guard, actions, description, reenter } = transition;
  const [to] = target ?? [];
  return {
    from: idOf(source),
    to: to === undefined ? undefined : idOf(to),
    when: eventName(eventType),
    guard: guard === undefined ? undefined : nameOf(guard),
    actions: namesOf(actions),
    description,
    isReentering: reenter,
  };
}

/** `xstate.after.watchDuration.dependants.watching` is `after watchDuration` to a reader. */
export function eventName(eventType: string): string {
  if (eventType === '') return 'always';
  const [, kind, what] = /^xstate\.(after|done\.actor|error\.actor|done\.state)\.([^.]+)/.exec(eventType) ?? [];
  if (kind === undefined || what === undefined) return eventType;
  if (kind === 'after') return `after ${what}`;
  const who = what === '*' ? 'a child' : what;
  return kind.startsWith('done') ? `${who} is done` : `${who} failed`;
}

/** The named ones: the others are XState's own, which start and stop the timers of `after`. */
function namesOf(actions: readonly unknown[]): string[] {
  return actions.map(nameOf).filter((name) => name !== 'unnamed');
}

function nameOf(named: unknown): string {
  if (typeof named === 'string') return named;
  if (typeof named === 'object' && named !== null && 'type' in named) return String(named.type);
  return 'unnamed';
}
