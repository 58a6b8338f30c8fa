import type { Kind, State } from './automaton.ts';

/** Several states at once, after the same characters. */
export interface Place {
  readonly at: readonly number[];
  readonly previous: Kind;
}

/** Returns the states that read a character. */
export function readersOf(start: State): readonly State[] {
  const states = new Set([start]);
  for (const state of states) for (const { to } of state.edges) states.add(to);
  return [...states].filter(({ kinds }) => kinds !== undefined);
}

/**
 * Returns the states that are reached without a character, and in how many ways; two stand for more. `surely`: without
 * the ways that an assertion may forbid.
 */
export function reached(start: State, previous: Kind, next: Kind, surely = false): ReadonlyMap<State, number> {
  const ways = new Map<State, number>();
  const open = [start];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const count = ways.get(state) ?? 0;
    if (count === 2) continue;
    ways.set(state, count + 1);
    if (state.kinds !== undefined) continue;
    for (const { to, when, isSure = true } of state.edges)
      if ((isSure || !surely) && when?.(previous, next) !== false) open.push(to);
  }
  return ways;
}

/** Returns by each node those to which at least one step leads. */
export function reachability(
  nodes: readonly number[],
  follow: (node: number) => readonly number[],
): ReadonlyMap<number, ReadonlySet<number>> {
  const next = new Map(nodes.map((node) => [node, new Set(follow(node))]));
  return new Map(
    nodes.map((node) => {
      const all = new Set(next.get(node));
      for (const each of all) for (const further of next.get(each) ?? []) all.add(further);
      return [node, all];
    }),
  );
}

/** Returns the characters of the shortest way, of at least one, from one of the places to one where `isEnd`. */
export function shortest(
  starts: readonly Place[],
  kinds: readonly Kind[],
  follow: (place: Place, next: Kind) => readonly (readonly number[])[],
  isEnd: (place: Place) => boolean,
): readonly Kind[] | undefined {
  const seen = new Set<string>();
  const ways = starts.map((place) => ({ place, path: [] as readonly Kind[] }));
  for (const { place, path } of ways) {
    for (const next of kinds) {
      for (const at of follow(place, next)) {
        const key = `${at} ${next}`;
        if (seen.has(key)) continue;
        seen.add(key);
        const way = { place: { at, previous: next }, path: [...path, next] };
        if (isEnd(way.place)) return way.path;
        ways.push(way);
      }
    }
  }
  return undefined;
}
