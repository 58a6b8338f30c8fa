import type { DrawnState, DrawnTransition } from './drawing.ts';
import { flowed, headed } from './flowed.ts';
import type { Line, Part, PictureBox } from './picture.ts';
import type { Way } from './ways.ts';

/** In characters. The head of a box with children is wide, because its content is. */
const widths = { box: 36, head: 90, label: 26 };

/** What the boxes of a picture show, apart from their states. */
interface BoxContent {
  readonly transitions: readonly DrawnTransition[];
  readonly ways: readonly Way[];
  /** Whether the content of a state is in another picture. */
  isClosed(id: string): boolean;
  /** What is in the box of a state, apart from its states. */
  placesIn(id: string): readonly PictureBox[];
}

/** The box of a state, with all that is in it. */
export function boxOf(state: DrawnState, content: BoxContent, isRegion = false): PictureBox {
  const { id, name, description, kind, initial } = state;
  if (content.isClosed(id)) {
    const below: Line = { parts: [{ text: 'Its states are drawn below.', kind: 'action' }] };
    return { id, kind: 'plain', lines: [...headed(name, description, widths.box), below], children: [] };
  }
  const children = state.children.map((child) => boxOf(child, content, kind === 'parallel'));
  return {
    id,
    kind: kind === 'final' ? 'final' : isRegion ? 'region' : 'plain',
    initial,
    lines: linesOf(state, content),
    children: [...content.placesIn(id), ...children],
  };
}

/** A box that is not a state. */
export function place(id: string, text: string): PictureBox {
  return { id, kind: 'place', lines: [{ parts: [{ text, kind: 'description' }] }], children: [] };
}

/** The text at an arrow. */
export function labelOf(transitions: readonly DrawnTransition[]): Line[] {
  return transitions.flatMap((each) => flowed(partsOf(each), widths.label));
}

function linesOf(state: DrawnState, { transitions, ways }: BoxContent): Line[] {
  const { id, name, description, entry, exit, invokes, children } = state;
  const width = children.length > 0 ? widths.head : widths.box;
  const internal = transitions.filter(({ from, to }) => from === id && to === undefined);
  const words = ways.filter(({ from, isArrow }) => from === id && !isArrow);
  return [
    ...headed(name, description, width),
    ...flowed(actionsOn('entry', entry), width),
    ...invokes.flatMap((actor) => flowed([{ text: `invoke ${actor}`, kind: 'action' }], width)),
    ...flowed(actionsOn('exit', exit), width),
    ...internal.flatMap((each) => flowed(partsOf(each), width)),
    ...words.flatMap((way) => wordsFor(way, width)),
  ];
}

function actionsOn(when: 'entry' | 'exit', actions: readonly string[]): Part[] {
  return actions.length === 0 ? [] : [{ text: `${when} / ${actions.join(', ')}`, kind: 'action' }];
}

/** The lines that replace an arrow: each transition ends with `→ backingOff`. */
function wordsFor({ from, to, transitions }: Way, width: number): Line[] {
  const target = { text: `→ ${nameFrom(from, to)}`, kind: 'name' } as const;
  const lines = transitions.flatMap((each) => flowed([...partsOf(each), target], width));
  return lines.map((line) => ({ ...line, way: `${from}:${to}` }));
}

/** The name of a state for a reader of another one: its path, or only its last part beside and in the other one. */
function nameFrom(from: string, to: string): string {
  const around = parentOf(to);
  const name = to.slice(to.lastIndexOf('.') + 1);
  return around === from || parentOf(from) === around ? name : to;
}

/** The path of the state around it; empty for an outermost one. */
function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('.')));
}

/** The event, the guard and the actions of a transition. */
function partsOf({ when, guard, actions }: DrawnTransition): Part[] {
  return [
    { text: when, kind: 'event' },
    ...(guard === undefined ? [] : [{ text: `[${guard}]`, kind: 'guard' } as const]),
    ...(actions.length === 0 ? [] : [{ text: `/ ${actions.join(', ')}`, kind: 'action' } as const]),
  ];
}
