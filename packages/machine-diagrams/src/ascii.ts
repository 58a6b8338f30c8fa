import type { Drawing, DrawnState, DrawnTransition } from './drawing.ts';

/** A machine as a tree of lines for a terminal: each state with its description, actions and transitions. */
export function ascii(drawing: Drawing): string {
  return `${blockOf(drawing.root, drawing, '', '').join('\n')}\n`;
}

function blockOf(state: DrawnState, drawing: Drawing, first: string, rest: string): string[] {
  const own = drawing.transitions.filter(({ from }) => from === state.id);
  const events = [
    state.description,
    ...state.entry.map((action) => `entry / ${action}`),
    ...state.invokes.map((actor) => `invoke ${actor}`),
    ...state.exit.map((action) => `exit / ${action}`),
    ...own.map(lineOf),
  ].filter((event) => event !== '');
  const bar = state.children.length > 0 ? '│ ' : '  ';
  const children = state.children.flatMap((child, index) => {
    const isLast = index === state.children.length - 1;
    const mark = child.id === state.initial ? '● ' : '';
    return blockOf(child, drawing, `${rest}${isLast ? '└─' : '├─'} ${mark}`, `${rest}${isLast ? '  ' : '│ '} `);
  });
  return [`${first}${state.name}${suffixOf(state)}`, ...events.map((event) => `${rest}${bar}  ${event}`), ...children];
}

function suffixOf({ kind }: DrawnState): string {
  if (kind === 'final') return ' (final)';
  return kind === 'parallel' ? ' (parallel)' : '';
}

function lineOf({ when, guard, actions, to }: DrawnTransition): string {
  const parts = [
    when,
    ...(guard === undefined ? [] : [`[${guard}]`]),
    ...(actions.length === 0 ? [] : [`/ ${actions.join(', ')}`]),
    ...(to === undefined ? [] : [`→ ${to}`]),
  ];
  return parts.join(' ');
}
