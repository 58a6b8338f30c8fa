import type { ActorPage, ActorView } from '../../protocol.ts';

const pageSize = 100;

/** The actors that match, fetched page by page as they come into sight. */
interface ActorPages {
  readonly total: number;
  at(index: number): ActorView | undefined;
  /** Fetches the pages of these indices; those that are there, too, when they may be out of date. */
  want(from: number, to: number, isFresh: boolean): Promise<void>;
  /** Other actors are looked for. */
  find(query: Readonly<Record<'search' | 'machine' | 'order', string>>): void;
}

export function createActorPages(): ActorPages {
  let pages = new Map<number, readonly ActorView[]>();
  let loading = new Map<number, Promise<void>>();
  let query: Readonly<Record<'search' | 'machine' | 'order', string>> = { search: '', machine: '', order: 'tree' };
  let total = 0;

  /** What is on its way is not asked for again, however often a list that is scrolled wants it. */
  function loadOnce(page: number): Promise<void> {
    const its = loading;
    const known = its.get(page);
    if (known !== undefined) return known;
    const made = load(page).finally(() => its.delete(page));
    its.set(page, made);
    return made;
  }

  async function load(page: number): Promise<void> {
    const asked = query;
    const parameters = new URLSearchParams({ ...asked, offset: String(page * pageSize), limit: String(pageSize) });
    const response = await fetch(`/actors?${parameters}`, { signal: AbortSignal.timeout(10_000) });
    if (!response.ok) throw new Error(`the actors could not be had: ${response.status}`);
    const found: ActorPage = await response.json();
    if (asked !== query) return;
    total = found.total;
    pages.set(page, found.actors);
  }

  return {
    get total() {
      return total;
    },
    at: (index) => pages.get(Math.floor(index / pageSize))?.[index % pageSize],
    async want(from, to, isFresh) {
      const [first, last] = [Math.floor(from / pageSize), Math.floor(Math.max(from, to) / pageSize)];
      const wanted = Array.from({ length: last - first + 1 }, (_, index) => first + index);
      await Promise.all(wanted.filter((page) => isFresh || !pages.has(page)).map(loadOnce));
      // Far pages are forgotten, or a long walk through many actors keeps them all.
      for (const page of pages.keys()) if (page < first - 20 || page > last + 20) pages.delete(page);
    },
    find(its) {
      query = its;
      pages = new Map();
      loading = new Map();
    },
  };
}
