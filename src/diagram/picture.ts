import type { Drawing, DrawnState, DrawnTransition } from './drawing.ts';

/** The content of a picture without positions: nested boxes, and arrows between them. */
export interface Picture {
  readonly title: string;
  readonly root: PictureBox;
  readonly arrows: readonly PictureArrow[];
}

export interface PictureBox {
  readonly id: string;
  readonly kind: 'plain' | 'final' | 'region';
  readonly lines: readonly Line[];
  /** The id of the initial child, to which an arrow leads from a dot. */
  readonly initial: string | undefined;
  readonly children: readonly PictureBox[];
}

export interface PictureArrow {
  readonly from: string;
  readonly to: string;
  readonly lines: readonly Line[];
}

/** One line of text. */
export interface Line {
  readonly parts: readonly Part[];
  /** The target, if the line is in the box and replaces an arrow. */
  readonly leadsTo?: string;
}

/** Words of one kind in a line. */
export interface Part {
  readonly text: string;
  readonly kind: 'name' | 'description' | 'event' | 'guard' | 'action';
}

/** In characters. The head of a box with children is wide, because its content is. */
const widths = { box: 40, head: 90, label: 28 };

/** If more arrows lead to a state, they would be unreadable: lines in the boxes replace them. */
const maxArrows = 4;

/** The text of a line. */
export function textOf({ parts }: Line): string {
  return parts.map(({ text }) => text).join(' ');
}

/** A box, and all boxes in it. */
export function allBoxes(box: PictureBox): PictureBox[] {
  return [box, ...box.children.flatMap(allBoxes)];
}

/** The picture of a machine. */
export function pictureOf({ root, transitions }: Drawing): Picture {
  const arrows = arrowsOf(transitions);
  const open = openOf(root);
  const isLine = ({ from, to }: Way) => open.has(from) || arrows.filter((each) => each.to === to).length > maxArrows;
  return {
    title: `${root.name}: ${root.description}`,
    root: boxOf(root, { transitions, exits: arrows.filter(isLine) }, false),
    arrows: arrows
      .filter((arrow) => !isLine(arrow))
      .map(({ from, to, transitions: its }) => ({
        from,
        to,
        lines: its.flatMap((each) => flowed(partsOf(each), widths.label)),
      })),
  };
}

/** The states with children. Their transitions are lines, because the arrows would go around all that is in them. */
function openOf({ id, children }: DrawnState): Set<string> {
  return new Set(children.length === 0 ? [] : [id, ...children.flatMap((child) => [...openOf(child)])]);
}

/** The first lines of a box: its name and its description. `width`: characters. */
export function headed(name: string, description: string, width: number): Line[] {
  return [{ parts: [{ text: name, kind: 'name' }] }, ...flowed([{ text: description, kind: 'description' }], width)];
}

/** All transitions from one state to another. */
interface Way {
  readonly from: string;
  readonly to: string;
  readonly transitions: readonly DrawnTransition[];
}

/** The transitions that are lines in the boxes: internal ones, and those that replace arrows. */
interface Within {
  readonly transitions: readonly DrawnTransition[];
  readonly exits: readonly Way[];
}

function boxOf(state: DrawnState, its: Within, isRegion: boolean): PictureBox {
  const within = its.transitions.filter(({ from, to }) => from === state.id && to === undefined);
  const exits = its.exits.filter(({ from }) => from === state.id);
  const plain = isRegion ? 'region' : 'plain';
  const isOpen = state.children.length > 0;
  const width = isOpen ? widths.head : widths.box;
  return {
    id: state.id,
    kind: state.kind === 'final' ? 'final' : plain,
    initial: state.initial,
    children: state.children.map((child) => boxOf(child, its, state.kind === 'parallel')),
    lines: [
      ...headed(state.name, state.description, width),
      ...flowed(actionsOn('entry', state.entry), width),
      ...state.invokes.flatMap((actor) => flowed([{ text: `invoke ${actor}`, kind: 'action' }], width)),
      ...flowed(actionsOn('exit', state.exit), width),
      ...within.flatMap((each) => flowed(partsOf(each), width)),
      ...exits.flatMap((way) => exitLines(way, width)),
    ],
  };
}

function actionsOn(when: 'entry' | 'exit', actions: readonly string[]): Part[] {
  return actions.length === 0 ? [] : [{ text: `${when} / ${actions.join(', ')}`, kind: 'action' }];
}

/** The lines that replace an arrow: each transition ends with `→ backingOff`. */
function exitLines({ to, transitions }: Way, width: number): Line[] {
  const target = { text: `→ ${to}`, kind: 'name' } as const;
  const lines = transitions.flatMap((each) => flowed([...partsOf(each), target], width));
  return lines.map((line) => ({ ...line, leadsTo: to }));
}

/** One for each pair of states. */
function arrowsOf(transitions: readonly DrawnTransition[]): Way[] {
  const ways = new Map<string, Way>();
  for (const transition of transitions) {
    const { from, to } = transition;
    if (to === undefined) continue;
    const key = `${from} ${to}`;
    ways.set(key, { from, to, transitions: [...(ways.get(key)?.transitions ?? []), transition] });
  }
  return [...ways.values()];
}

/** The event, the guard and the actions of a transition. */
function partsOf({ when, guard, actions }: DrawnTransition): Part[] {
  return [
    { text: when, kind: 'event' },
    ...(guard === undefined ? [] : [{ text: `[${guard}]`, kind: 'guard' } as const]),
    ...(actions.length === 0 ? [] : [{ text: `/ ${actions.join(', ')}`, kind: 'action' } as const]),
  ];
}

/** As few lines as have room for the parts. Only descriptions and lists of actions are broken. */
function flowed(parts: readonly Part[], width: number): Line[] {
  const lines: Part[][] = [];
  for (const part of parts.flatMap(wordsOf)) {
    const line = lines.at(-1);
    if (line !== undefined && textOf({ parts: line }).length + part.text.length < width) line.push(part);
    else lines.push([part]);
  }
  return lines.map((line) => ({ parts: line.reduce(joined, []) }));
}

function wordsOf({ text, kind }: Part): Part[] {
  const isBroken = kind === 'description' || kind === 'action';
  return isBroken ? text.split(' ').map((word) => ({ text: word, kind })) : [{ text, kind }];
}

/** Adds a part to a line; words of one kind become one part. */
function joined(line: readonly Part[], { text, kind }: Part): readonly Part[] {
  const last = line.at(-1);
  return last?.kind === kind
    ? [...line.slice(0, -1), { text: `${last.text} ${text}`, kind }]
    : [...line, { text, kind }];
}
