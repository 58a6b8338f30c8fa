import type { Drawing, DrawnState, DrawnTransition } from './drawing.ts';

/**
 * A machine as a Mermaid `stateDiagram-v2`: states, nesting, parallel regions, and an arrow between two states with the
 * events and guards of its transitions. Actions are left out, because they would make the diagram unreadable. The
 * transitions of the machine itself begin at a state of their own, because Mermaid has no box for the machine.
 */
export function mermaid(drawing: Drawing): string {
  const { root, transitions } = drawing;
  const isAnywhere = transitions.some(({ from, to }) => from === root.id && to !== undefined);
  const anywhere = isAnywhere ? [`  state "in any state" as ${plain(root.id)}`] : [];
  return [
    'stateDiagram-v2',
    '  direction LR',
    ...anywhere,
    ...inside(root, '  '),
    ...arrows(transitions, '  '),
    '',
  ].join('\n');
}

/** The substates of a state, with the mark of the initial one. */
function inside(state: DrawnState, indent: string): string[] {
  const children = state.children.map((child) => block(child, indent));
  if (state.kind === 'parallel')
    return children.flatMap((lines, index) => (index === 0 ? lines : [`${indent}--`, ...lines]));
  return [...(state.initial === undefined ? [] : [`${indent}[*] --> ${plain(state.initial)}`]), ...children.flat()];
}

function block(state: DrawnState, indent: string): string[] {
  const id = plain(state.id);
  const children = [...state.invokes.map((name) => `invokes ${name}`), ...state.spawns.map((name) => `spawns ${name}`)];
  const named = (label: string) => `${indent}state "${label}" as ${id}`;
  if (state.kind === 'final') return [named(state.name), `${indent}${id} --> [*]`];
  if (state.children.length === 0) return [named(state.name), ...children.map((line) => `${indent}${id} : ${line}`)];
  // Mermaid accepts only a label for a state with substates.
  return [`${named([state.name, ...children].join(', '))} {`, ...inside(state, `${indent}  `), `${indent}}`];
}

/** One arrow for each pair of states, because Mermaid draws several arrows over each other. */
function arrows(transitions: readonly DrawnTransition[], indent: string): string[] {
  const labels = new Map<string, string[]>();
  for (const transition of transitions) {
    if (transition.to === undefined) continue;
    const arrow = `${plain(transition.from)} --> ${plain(transition.to)}`;
    labels.set(arrow, [...(labels.get(arrow) ?? []), labelOf(transition)]);
  }
  return [...labels].map(([arrow, texts]) => `${indent}${arrow} : ${texts.join('<br>')}`);
}

function labelOf({ when, guard }: DrawnTransition): string {
  return `${when}${guard === undefined ? '' : ` [${guard}]`}`;
}

/** Ids in Mermaid cannot contain dots. */
function plain(id: string): string {
  return id.replaceAll('.', '_');
}
