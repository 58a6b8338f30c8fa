import { automatonOf, type Kind, type State } from './automaton.ts';
import { reachability, reached, readersOf } from './paths.ts';

/** Stands for the text before the match: the engine tries each place of the text as its begin. */
export const before = -1;

interface Step {
  /** The number of the state that reads the character, or `before`. */
  readonly to: number;
  /** Two ways lead there, and the engine tries both. */
  readonly isAmbiguous: boolean;
}

/** The states of an expression that read a character, by their numbers, and the steps between them. */
export interface Graph {
  readonly characters: readonly string[];
  readonly kinds: readonly Kind[];
  /** The states that lead to themselves. */
  readonly loops: readonly number[];
  readonly reads: (state: number, kind: Kind) => boolean;
  readonly leadsTo: (from: number, to: number) => boolean;
  /** The states that may read the next character after `from` has read the previous one. */
  readonly stepsOf: (from: number, previous: Kind, next: Kind) => readonly Step[];
}

/** It has no states after which every match succeeds: the engine tries nothing again there. */
export function graphOf(source: string, flags: string): Graph {
  const { start, accept, characters } = automatonOf(source, flags);
  const kinds = characters.map((_, kind) => kind);
  const readers = readersOf(start);
  const numbers = new Map(readers.map((state, number) => [state, number]));
  const reads = (state: number, kind: Kind) => state === before || readers[state]?.kinds?.[kind] === true;
  const after = (state: number) => (state === before ? start : (readers[state]?.edges[0]?.to ?? accept));
  const settled = new Set([...numbers.values()].filter((state) => alwaysAccepts(after(state), state)));

  function alwaysAccepts(to: State, state: number): boolean {
    const previous = kinds.filter((kind) => reads(state, kind));
    return previous.every((kind) => [-1, ...kinds].every((next) => reached(to, kind, next, true).has(accept)));
  }

  const known = new Map<number, readonly Step[]>();
  function stepsOf(from: number, previous: Kind, next: Kind): readonly Step[] {
    const key = ((from + 1) * (kinds.length + 1) + previous + 1) * kinds.length + next;
    const steps = known.get(key) ?? computedSteps(from, previous, next);
    known.set(key, steps);
    return steps;
  }

  function computedSteps(from: number, previous: Kind, next: Kind): readonly Step[] {
    const steps = [...reached(after(from), previous, next)].flatMap(([state, count]): Step[] => {
      const to = numbers.get(state);
      const isStep = to !== undefined && reads(to, next) && !settled.has(to);
      return isStep ? [{ to, isAmbiguous: count > 1 }] : [];
    });
    return from === before ? [...steps, { to: before, isAmbiguous: false }] : steps;
  }

  const reach = reachability([before, ...numbers.values()], (from) =>
    kinds.flatMap((previous) =>
      reads(from, previous) ? kinds.flatMap((next) => stepsOf(from, previous, next).map(({ to }) => to)) : [],
    ),
  );
  const leadsTo = (from: number, to: number) => reach.get(from)?.has(to) === true;
  const loops = [...numbers.values()].filter((each) => leadsTo(each, each));
  return { characters, kinds, loops, reads, leadsTo, stepsOf };
}
