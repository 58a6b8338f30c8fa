import type { Drawing, DrawnState, DrawnTransition } from './drawing.ts';

/** What is to be seen, before anybody knows where: boxes in boxes, and arrows between them. */
export interface Picture {
  readonly title: string;
  readonly root: PictureBox;
  readonly arrows: readonly PictureArrow[];
}

export interface PictureBox {
  readonly id: string;
  readonly kind: 'plain' | 'final' | 'region';
  readonly lines: readonly Line[];
  /** The id of the child that a dot with an arrow leads to. */
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
  readonly text: string;
  readonly kind: 'name' | 'description' | 'event' | 'guard' | 'action';
  /** The state that it leads to, where it is written in the box in place of an arrow. */
  readonly leadsTo?: string;
}

const descriptionWidth = 44;
const labelWidth = 30;

/** Where more arrows than these lead to a pause, nobody can follow them: it is written in the boxes instead. */
const mostToPause = 6;

/** The picture of a machine. */
export function pictureOf({ root, transitions }: Drawing): Picture {
  const arrows = arrowsOf(transitions);
  const pauses = new Set(
    arrows
      .map(({ to }) => to)
      .filter((id) => isPause(id, transitions) && arrows.filter(({ to }) => to === id).length > mostToPause),
  );
  return {
    title: `${root.name}: ${root.description}`,
    root: boxOf(root, { transitions, exits: arrows.filter(({ to }) => pauses.has(to)) }, false),
    arrows: arrows.filter(({ to }) => !pauses.has(to)),
  };
}

/** Nothing but time leads out of it. */
function isPause(id: string, transitions: readonly DrawnTransition[]): boolean {
  const ways = transitions.filter(({ from }) => from === id);
  return ways.length > 0 && ways.every(({ when }) => when.startsWith('after '));
}

/** A box with its name and what it is about; more lines may follow. */
export function headed(name: string, description: string): Line[] {
  const about = wrapped(description, descriptionWidth).map((text) => ({ text, kind: 'description' }) as const);
  return [{ text: name, kind: 'name' }, ...about];
}

/** What is written in the boxes: what happens in them, and the ways out that are no arrows. */
interface Within {
  readonly transitions: readonly DrawnTransition[];
  readonly exits: readonly PictureArrow[];
}

function boxOf(state: DrawnState, its: Within, isRegion: boolean): PictureBox {
  const within = its.transitions.filter(({ from, to }) => from === state.id && to === undefined);
  const exits = its.exits.filter(({ from }) => from === state.id);
  const plain = isRegion ? 'region' : 'plain';
  return {
    id: state.id,
    kind: state.kind === 'final' ? 'final' : plain,
    initial: state.initial,
    children: state.children.map((child) => boxOf(child, its, state.kind === 'parallel')),
    lines: [
      ...headed(state.name, state.description),
      ...state.entry.map((action) => ({ text: `entry / ${action}`, kind: 'action' }) as const),
      ...state.invokes.map((actor) => ({ text: `invoke ${actor}`, kind: 'action' }) as const),
      ...state.exit.map((action) => ({ text: `exit / ${action}`, kind: 'action' }) as const),
      ...within.flatMap(linesOf),
      ...exits.flatMap(exitLines),
    ],
  };
}

/** `→ backingOff`, and what leads there. */
function exitLines({ to, lines }: PictureArrow): Line[] {
  return [...lines, { text: `→ ${to}`, kind: 'name' } as const].map((line) => ({ ...line, leadsTo: to }));
}

/** One arrow from a state to another, with everything that leads along it: or the picture drowns in lines. */
function arrowsOf(transitions: readonly DrawnTransition[]): PictureArrow[] {
  const arrows = new Map<string, PictureArrow>();
  for (const transition of transitions) {
    const { from, to } = transition;
    if (to === undefined) continue;
    const key = `${from} ${to}`;
    arrows.set(key, { from, to, lines: [...(arrows.get(key)?.lines ?? []), ...linesOf(transition)] });
  }
  return [...arrows.values()];
}

/** When, whether, and what is done. */
function linesOf({ when, guard, actions }: DrawnTransition): Line[] {
  const done = actions.length === 0 ? '' : `/ ${actions.join(', ')}`;
  return [
    { text: when, kind: 'event' },
    ...(guard === undefined ? [] : [{ text: `[${guard}]`, kind: 'guard' } as const]),
    ...wrapped(done, labelWidth).map((text) => ({ text, kind: 'action' }) as const),
  ];
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').filter((each) => each !== '')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
