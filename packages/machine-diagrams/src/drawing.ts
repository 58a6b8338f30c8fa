import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';

/** A state of a machine, as it is drawn. */
export interface DrawnState {
  /** `ready.windowOpen`; the machine itself has its own id. Unique within the machine. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly kind: 'atomic' | 'compound' | 'parallel' | 'final';
  /** The id of the initial child. */
  readonly initial: string | undefined;
  readonly entry: readonly string[];
  readonly exit: readonly string[];
  /** The names of the actors that the state invokes. */
  readonly invokes: readonly string[];
  /**
   * The names of the actors that its actions spawn: `spawnReflectors` spawns `reflector`. The machine itself has those
   * that no name of an action tells.
   */
  readonly spawns: readonly string[];
  readonly children: readonly DrawnState[];
}

/** A transition. An internal transition has no `to`. */
export interface DrawnTransition {
  readonly from: string;
  readonly to: string | undefined;
  /** `endpoint.ready`, `after watchDuration`, `always`, `readySince failed`. */
  readonly when: string;
  readonly guard: string | undefined;
  readonly actions: readonly string[];
  readonly description: string | undefined;
  /** The transition exits and re-enters its target. */
  readonly isReentering: boolean;
}

/** The parts of a machine that a picture shows. */
export interface Drawing {
  readonly root: DrawnState;
  readonly transitions: readonly DrawnTransition[];
  /** The names of the actors that its actions spawn. */
  readonly spawns: readonly string[];
}

/**
 * Reads a machine for drawing. It reads the state nodes, because the definition of XState has no `always` transitions.
 */
export function drawingOf(machine: AnyStateMachine): Drawing {
  const nodes = allNodes(machine.root);
  const invoked = new Set(nodes.flatMap(invokesOf));
  const spawns = Object.keys(machine.implementations.actors).filter((name) => !invoked.has(name));
  const root = stateOf(machine.root, spawns);
  const stateSpawns = new Set(statesIn(root).flatMap((state) => state.spawns));
  return {
    root: { ...root, spawns: [...root.spawns, ...spawns.filter((actor) => !stateSpawns.has(actor))] },
    transitions: nodes.flatMap((node) => transitionsOf(node).map(transitionOf)),
    spawns,
  };
}

/** The id of a state: its path; for the machine itself, the machine's id. */
export function idOf(node: AnyStateNode): string {
  return node.parent === undefined ? node.key : node.path.join('.');
}

function allNodes(node: AnyStateNode): AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap(allNodes)];
}

/** A state, and all states in it. */
export function statesIn(state: DrawnState): DrawnState[] {
  return [state, ...state.children.flatMap(statesIn)];
}

function stateOf(node: AnyStateNode, spawns: readonly string[]): DrawnState {
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
    spawns: spawns.filter((actor) => actionsIn(node).some((action) => isSpawnOf(actor, action))),
    children: Object.values(node.states).map((child) => stateOf(child, spawns)),
  };
}

/** The actions of a state, and of the transitions from it. */
function actionsIn(node: AnyStateNode): string[] {
  return namesOf([...node.entry, ...node.exit, ...transitionsOf(node).flatMap(({ actions }) => actions)]);
}

function isSpawnOf(actor: string, action: string): boolean {
  return action.toLowerCase().startsWith(`spawn${actor.toLowerCase()}`);
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

/** Formats `xstate.after.watchDuration.dependants.watching` as `after watchDuration`. */
export function eventName(eventType: string): string {
  if (eventType === '') return 'always';
  const [, kind, what] = /^xstate\.(after|done\.actor|error\.actor|done\.state)\.([^.]+)/.exec(eventType) ?? [];
  if (kind === undefined || what === undefined) return eventType;
  if (kind === 'after') return `after ${what}`;
  const who = what === '*' ? 'a child' : what;
  return kind.startsWith('done') ? `${who} is done` : `${who} failed`;
}

/** The named actions. XState uses unnamed ones for the timers of `after`. */
function namesOf(actions: readonly unknown[]): string[] {
  return actions.map(nameOf).filter((name) => name !== 'unnamed');
}

function nameOf(named: unknown): string {
  if (typeof named === 'string') return named;
  if (typeof named === 'object' && named !== null && 'type' in named) return String(named.type);
  return 'unnamed';
}
