import type { WeederFact, WindowRef } from '../weeder/deletions/facts.ts';

/** What became of the newest window of a service. Times are epoch milliseconds. */
export interface Tally {
  readonly number: number;
  readonly openedAt: number;
  readonly closesAt: number;
  isOpen: boolean;
  deleted: number;
  kept: number;
  givenUp: number;
}

/** The newest window of each service, told from the facts. */
export interface Tallies {
  note(fact: WeederFact, now: number): void;
  of(key: string): Tally | undefined;
  clear(): void;
}

/** Of so many services: those whose windows opened longest ago are forgotten first. */
const most = 20_000;

export function createTallies(): Tallies {
  const tallies = new Map<string, Tally>();

  function tallyOf({ namespace, service, window }: WindowRef): Tally | undefined {
    const tally = tallies.get(`${namespace}/${service}`);
    return tally?.number === window ? tally : undefined;
  }

  function count(fact: WindowRef & { readonly also?: readonly WindowRef[] }, what: 'deleted' | 'kept' | 'givenUp') {
    for (const ref of [fact, ...(fact.also ?? [])]) {
      const tally = tallyOf(ref);
      if (tally !== undefined) tally[what] += 1;
    }
  }

  function open({ namespace, service, window }: WindowRef, now: number, duration: number): void {
    const key = `${namespace}/${service}`;
    tallies.delete(key);
    const times = { openedAt: now, closesAt: now + duration };
    tallies.set(key, { number: window, ...times, isOpen: true, deleted: 0, kept: 0, givenUp: 0 });
    if (tallies.size <= most) return;
    for (const oldest of tallies.keys()) {
      tallies.delete(oldest);
      return;
    }
  }

  return {
    note(fact, now) {
      if (fact.type === 'window.opened') open(fact, now, fact.duration);
      else if (fact.type === 'pod.deleted') count(fact, 'deleted');
      else if (fact.type === 'pod.kept') count(fact, 'kept');
      else if (fact.type === 'deletion.givenUp') count(fact, 'givenUp');
      else if (fact.type === 'window.closed') {
        const tally = tallyOf(fact);
        if (tally === undefined) return;
        const { deleted, kept, givenUp } = fact;
        Object.assign(tally, { isOpen: false, deleted, kept, givenUp: givenUp.length });
      }
    },
    of: (key) => tallies.get(key),
    clear: () => tallies.clear(),
  };
}
