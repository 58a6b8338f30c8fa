import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';

/**
 * A machine as a Mermaid `stateDiagram-v2`: states, nesting, parallel regions, marks, and an arrow between two states
 * with the events and guards that lead from one to the other. Drawn from the state nodes, because XState's own definition loses `always`.
 */
export function mermaid(machine: AnyStateMachine): string {
  return ['stateDiagram-v2', '  direction LR', ...inside(machine.root, '  '), ...arrows(machine, '  '), ''].join('\n');
}

/** The states within a state: its initial mark, and each child with its own. */
function inside(node: AnyStateNode, indent: string): string[] {
  const children = Object.values(node.states).map((child) => block(child, indent));
  if (node.type === 'parallel')
    return children.flatMap((lines, index) => (index === 0 ? lines : [`${indent}--`, ...lines]));
  const initial = node.initial?.target[0];
  return [...(initial === undefined ? [] : [`${indent}[*] --> ${idOf(initial)}`]), ...children.flat()];
}

function block(node: AnyStateNode, indent: string): string[] {
  const id = idOf(node);
  if (node.type === 'final') return [`${indent}state "${node.key}" as ${id}`, `${indent}${id} --> [*]`];
  const invoked = node.invoke.map(
    ({ src }) => `${indent}${id} : invokes ${typeof src === 'string' ? src : 'an actor'}`,
  );
  if (Object.keys(node.states).length === 0) return [`${indent}state "${node.key}" as ${id}`, ...invoked];
  return [`${indent}state "${node.key}" as ${id} {`, ...inside(node, `${indent}  `), `${indent}}`, ...invoked];
}

/** One arrow for each pair of states: Mermaid draws several of them over each other. */
function arrows(machine: AnyStateMachine, indent: string): string[] {
  const labels = new Map<string, string[]>();
  for (const transition of transitionsOf(machine.root)) {
    const arrow = `${idOf(transition.source)} --> ${targetOf(transition)}`;
    labels.set(arrow, [...(labels.get(arrow) ?? []), labelOf(transition)]);
  }
  return [...labels].map(([arrow, texts]) => `${indent}${arrow} : ${texts.join('<br>')}`);
}

function transitionsOf(node: AnyStateNode): AnyTransitionDefinition[] {
  const own = [...node.transitions.values()].flat().concat(node.always ?? []);
  const drawn = node.parent === undefined ? [] : own.filter((transition) => transition.target !== undefined);
  return [...drawn, ...Object.values(node.states).flatMap(transitionsOf)];
}

function targetOf({ target, source }: AnyTransitionDefinition): string {
  const [first] = target ?? [];
  return idOf(first ?? source);
}

function labelOf({ eventType, guard }: AnyTransitionDefinition): string {
  return `${eventName(eventType)}${guard === undefined ? '' : ` [${nameOf(guard)}]`}`;
}

/** `xstate.after.watchDuration.dependants.watching` is `after watchDuration` to a reader. */
function eventName(eventType: string): string {
  if (eventType === '') return 'always';
  const [, kind, what] = /^xstate\.(after|done\.actor|error\.actor|done\.state)\.([^.]+)/.exec(eventType) ?? [];
  if (kind === undefined || what === undefined) return eventType;
  if (kind === 'after') return `after ${what}`;
  return kind.startsWith('done') ? `${what} done` : `${what} failed`;
}

function nameOf(named: unknown): string {
  if (typeof named === 'string') return named;
  if (typeof named === 'object' && named !== null && 'type' in named) return String(named.type);
  return 'unnamed';
}

/** Mermaid's ids have no dots. */
function idOf(node: AnyStateNode): string {
  return node.path.join('_');
}
