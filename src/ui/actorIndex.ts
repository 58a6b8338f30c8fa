import type { ActorOrder, ActorPage } from '@weeder/live-page';
import { activeStates } from '../actors/actorStates.ts';
import { hasWords, searchWords } from '../actors/searchWords.ts';
import { descend, type Found, foundRoot, machineOf, viewOf } from './actorTree.ts';
import type { PageSource } from './pageSource.ts';
import type { Pause } from './pageWork.ts';

/** The filter, the order and the range of the actors in a request. */
export interface ActorQuery {
  /** A part of an id or of a state, case-insensitive. */
  readonly search: string;
  /** The name of a machine; empty: any machine. */
  readonly machine: string;
  readonly order: ActorOrder;
  readonly offset: number;
  readonly limit: number;
}

/** Finds actors. It reads all actors with pauses, once for all concurrent requests. */
interface ActorIndex {
  find(query: ActorQuery, pause: Pause): Promise<ActorPage>;
  /** The source has changed, and its actors are different ones. */
  forget(): void;
}

interface Entry {
  readonly found: Found;
  /** The id and the active states, in lower case. */
  readonly text: string;
  readonly state: string;
}

/** How long a result is reused for other requests; milliseconds. */
const freshFor = 500;

export function createActorIndex(source: () => PageSource | undefined): ActorIndex {
  let entries: Promise<readonly Entry[]> | undefined;
  /** By snapshot: new ones for thousands of actors would fill the old generation of the heap with each read. */
  let known = new WeakMap<object, Entry>();
  let readAt = Number.NEGATIVE_INFINITY;

  function entryOf(located: Found): Entry {
    const entry = known.get(located.snapshot) ?? newEntry(located);
    known.set(located.snapshot, entry);
    return entry;
  }

  function all(pause: Pause): Promise<readonly Entry[]> {
    if (entries !== undefined && performance.now() - readAt < freshFor) return entries;
    const reading = read(source(), entryOf, pause);
    entries = reading;
    // Concurrent requests share one read.
    readAt = Number.POSITIVE_INFINITY;
    const done = () => {
      if (entries === reading) readAt = performance.now();
    };
    reading.then(done, done);
    return reading;
  }

  return {
    async find({ search, machine, order, offset, limit }, pause) {
      const words = searchWords(search);
      const entries = await all(pause);
      const matching = entries.filter(
        ({ found, text }) => (machine === '' || machineOf(found) === machine) && hasWords(text, words),
      );
      const pageSource = source();
      if (pageSource === undefined) return { total: 0, actors: [], machines: [] };
      sort(matching, order, pageSource);
      const actors = matching.slice(offset, offset + limit).map(({ found }) => viewOf(pageSource, found));
      const machines = [...new Set(entries.map(({ found }) => machineOf(found)))];
      return { total: matching.length, actors, machines };
    },
    forget() {
      entries = undefined;
      known = new WeakMap();
    },
  };
}

/** The tree in a stable order: by id, each actor followed by its descendants. */
async function read(
  source: PageSource | undefined,
  entryOf: (located: Found) => Entry,
  pause: Pause,
): Promise<Entry[]> {
  const roots: Found[] = [];
  for (const actor of source?.actors() ?? []) {
    const root = foundRoot(actor);
    if (root !== undefined) roots.push(root);
    await pause();
  }
  roots.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  const entries: Entry[] = [];
  for (const root of roots) {
    for (const located of descend(root)) entries.push(entryOf(located));
    await pause();
  }
  return entries;
}

/** Sorts a child before other actors whose ids begin with that of its parent. */
function placeOf({ id, parent }: Found): string {
  return parent === undefined ? id : `${parent}\0${id}`;
}

function newEntry(located: Found): Entry {
  const states = activeStates(located.snapshot.value);
  return { found: located, text: `${located.id} ${states.join(' ')}`.toLowerCase(), state: states.at(-1) ?? '' };
}

/** Equal entries keep the order of the tree. */
function sort(entries: Entry[], order: ActorOrder, source: PageSource): void {
  if (order === 'state') entries.sort((a, b) => (a.state < b.state ? -1 : a.state > b.state ? 1 : 0));
  if (order !== 'newest') return;
  const since = new Map(entries.map((entry) => [entry, source.since(entry.found.actor) ?? 0]));
  entries.sort((a, b) => (since.get(b) ?? 0) - (since.get(a) ?? 0));
}
