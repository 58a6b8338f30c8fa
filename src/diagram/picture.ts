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
  readonly text: string;
  readonly kind: 'name' | 'description' | 'event' | 'guard' | 'action';
  /** The target, if the line stands in the box and replaces an arrow. */
  readonly leadsTo?: string;
}

const descriptionWidth = 44;
const labelWidth = 30;

/** If more arrows lead to a state, they would be unreadable: lines in the boxes replace them. */
const mostArrows = 6;

/** The picture of a machine. */
export function pictureOf({ root, transitions }: Drawing): Picture {
  const arrows = arrowsOf(transitions);
  const isLine = ({ from, to }: PictureArrow) =>
    from === root.id || to.startsWith(`${from}.`) || arrows.filter((each) => each.to === to).length > mostArrows;
  return {
    title: `${root.name}: ${root.description}`,
    root: boxOf(root, { transitions, exits: arrows.filter(isLine) }, false),
    arrows: arrows.filter((arrow) => !isLine(arrow)),
  };
}

/** The first lines of a box: its name and its description. */
export function headed(name: string, description: string): Line[] {
  const about = wrapped(description, descriptionWidth).map((text) => ({ text, kind: 'description' }) as const);
  return [{ text: name, kind: 'name' }, ...about];
}

/** The transitions that are lines in the boxes: internal ones, and those that replace arrows. */
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
      ...actionsOn('entry', state.entry),
      ...state.invokes.map((actor) => ({ text: `invoke ${actor}`, kind: 'action' }) as const),
      ...actionsOn('exit', state.exit),
      ...within.flatMap(linesOf),
      ...exits.flatMap(exitLines),
    ],
  };
}

function actionsOn(when: 'entry' | 'exit', actions: readonly string[]): Line[] {
  const text = actions.length === 0 ? '' : `${when} / ${actions.join(', ')}`;
  return wrapped(text, descriptionWidth).map((each) => ({ text: each, kind: 'action' }));
}

/** The lines that replace an arrow; the last is `→ backingOff`, or the only one `effect.failed → backingOff`. */
function exitLines({ to, lines }: PictureArrow): Line[] {
  const [only, ...others] = lines;
  const whole: readonly Line[] =
    only !== undefined && others.length === 0
      ? [{ ...only, text: `${only.text} → ${to}` }]
      : [...lines, { text: `→ ${to}`, kind: 'name' }];
  return whole.map((line) => ({ ...line, leadsTo: to }));
}

/** One arrow for each pair of states, with the labels of all transitions between them. */
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

/** The event, the guard and the actions of a transition. */
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
