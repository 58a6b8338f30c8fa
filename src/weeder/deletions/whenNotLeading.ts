import type { WeederFact } from './facts.ts';

/**
 * What a replica tells of a window once it leads no more: the window goes on at the replica that leads now, which starts
 * with what it finds. So nothing was given up, and how it ended is not this one's to tell. Undefined: nothing at all.
 */
export function whenNotLeading(fact: WeederFact): WeederFact | undefined {
  switch (fact.type) {
    case 'deletion.givenUp':
    case 'deletion.skipped':
    case 'deletion.refused':
      return undefined;
    case 'window.closed':
      return { ...fact, givenUp: [], isLeft: true };
    default:
      return fact;
  }
}
