import { type Drawing, type DrawnState, statesIn } from './drawing.ts';
import type { Picture } from './picture.ts';
import { pictureOf } from './statePicture.ts';
import { isWithin, type Way, waysOf } from './ways.ts';

/** A machine with more states is drawn as an overview of its outer states, and a picture of each of them. */
const maxStates = 9;

/** So many outer states that are reached only from any state have a picture of their own. */
const minAside = 3;

/** The pictures of a machine, the one of the whole machine first. */
export function picturesOf(drawing: Drawing): Picture[] {
  const { root } = drawing;
  const ways = waysOf(drawing);
  if (statesIn(root).length - 1 <= maxStates) return [pictureOf(root, { drawing, ways, closed: [] })];
  const closed = compoundsIn(root);
  const aside = asideIn(root, ways);
  return [
    ...(aside.length < minAside ? [pictureOf(root, { drawing, ways, closed })] : withAside(drawing, ways, aside)),
    ...closed.map((part) => pictureOf(part, { drawing, ways, closed: [] })),
  ];
}

/** Two overviews: one without the states that are reached from any state, and one of these states. */
function withAside(drawing: Drawing, ways: readonly Way[], aside: readonly DrawnState[]): Picture[] {
  const { root, transitions } = drawing;
  const closed = compoundsIn(root);
  const isAside = (id: string) => aside.some((state) => isWithin(id, state));
  const main = { ...root, children: root.children.filter(({ id }) => !isAside(id)) };
  const others = { ...root, name: `${root.name}, in any state`, description: '', initial: undefined, children: aside };
  const bare = { ...others, entry: [], exit: [], invokes: [], spawns: [] };
  return [
    pictureOf(main, {
      drawing,
      ways: ways.filter(({ from, to, isArrow }) => !isArrow || !(isAside(from) || isAside(to))),
      closed,
    }),
    pictureOf(bare, {
      drawing: { ...drawing, transitions: transitions.filter(({ from }) => isAside(from)) },
      ways: ways.filter(({ from, to, isArrow }) => isAside(from) || (isArrow && isAside(to))),
      closed,
    }),
  ];
}

/** The outer states to which only arrows lead that begin in any state. */
function asideIn(root: DrawnState, ways: readonly Way[]): DrawnState[] {
  const reached = new Set(root.children.filter(({ id }) => id === root.initial));
  const outer = (id: string) => root.children.find((state) => isWithin(id, state));
  for (const state of reached) {
    for (const { from, to, isArrow } of ways) {
      const target = outer(to);
      if (isArrow && target !== undefined && isWithin(from, state)) reached.add(target);
    }
  }
  return root.children.filter((state) => root.kind === 'compound' && !reached.has(state));
}

/** The picture of a machine by its outer states. */
export function overviewOf(drawing: Drawing): Picture {
  return pictureOf(drawing.root, { drawing, ways: waysOf(drawing), closed: compoundsIn(drawing.root) });
}

function compoundsIn({ children }: DrawnState): DrawnState[] {
  return children.filter((child) => child.children.length > 0);
}
