import type { Kind } from './automaton.ts';
import { before, type Graph, graphOf } from './graph.ts';
import { type Place, shortest } from './paths.ts';

/** A text with which the time grows faster than its length: `start`, and then `repeated` again and again. */
export interface Attack {
  readonly start: string;
  readonly repeated: string;
}

/**
 * Returns a text on which the expression tries more than in proportion to the length, also by beginning again at each
 * character. Undefined: there is none, so that the steps of every match are in proportion to the length.
 *
 * There is one if a word leads from a state to itself, to a second state, and from there to itself, or in two ways to
 * itself (Weber and Seidl, "On the degree of ambiguity of finite automata"). What is before the match counts as such a
 * state, unless the expression is sticky.
 */
export function superLinear(source: string, flags: string): Attack | undefined {
  const graph = graphOf(source, flags);
  const word = (path: readonly Kind[]) => path.map((kind) => graph.characters[kind]).join('');
  const firsts = flags.includes('y') ? graph.loops : [before, ...graph.loops];
  const pairs = firsts.flatMap((first) => graph.loops.map((second) => [first, second] as const));
  for (const [first, second] of pairs.filter((pair) => graph.leadsTo(...pair) && pumped(graph, ...pair))) {
    for (const last of graph.kinds) {
      const repeated = pumped(graph, first, second, last);
      const start = repeated && startOf(graph, first, last);
      if (start) return { start: word(start), repeated: word(repeated) };
    }
  }
  return undefined;
}

/**
 * The characters by which `first` leads to itself and to `second`, and `second` to itself; if they are the same state, in
 * two ways. `last`: the last one, which is also the one before; without it they may differ.
 */
function pumped(graph: Graph, first: number, second: number, last?: Kind): readonly Kind[] | undefined {
  const { kinds, reads, stepsOf, leadsTo } = graph;
  const isSame = first === second;
  const starts = kinds.filter((kind) => (last ?? kind) === kind && reads(first, kind) && reads(second, kind));
  function follow({ at: [one = 0, two = 0, three = 0, split], previous }: Place, next: Kind): number[][] {
    const towards = (from: number, to: number) => stepsOf(from, previous, next).filter((each) => leadsTo(each.to, to));
    const [ones, twos, threes] = [towards(one, first), towards(two, second), towards(three, second)];
    return ones.flatMap((a) =>
      twos.flatMap((b) => {
        const isSplit = split === 1 || a.to !== b.to || a.isAmbiguous;
        return (isSame ? [b] : threes).map((c) => [a.to, b.to, c.to, isSame && isSplit ? 1 : 0]);
      }),
    );
  }
  const isEnd = ({ at: [one, two, three, split], previous }: Place) =>
    one === first && two === second && three === second && (last ?? previous) === previous && (!isSame || split === 1);
  return shortest(
    starts.map((previous) => ({ at: [first, first, second, 0], previous })),
    kinds,
    follow,
    isEnd,
  );
}

/** The characters before the first repetition. */
function startOf({ kinds, stepsOf }: Graph, state: number, last: Kind): readonly Kind[] | undefined {
  if (state === before) return [];
  return shortest(
    [{ at: [before], previous: -1 }],
    kinds,
    ({ at: [from = 0], previous }, next) => stepsOf(from, previous, next).map(({ to }) => [to]),
    ({ at: [to], previous }) => to === state && previous === last,
  );
}
