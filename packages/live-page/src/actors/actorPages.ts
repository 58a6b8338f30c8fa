import type { ActorView } from '../../protocol/actorView.ts';
import type { ActorPage } from '../../protocol/protocol.ts';
import { fetchList } from '../polledList.ts';

const pageSize = 100;

/** The matching actors, fetched page by page when they become visible. */
interface ActorPages {
  readonly total: number;
  at(index: number): ActorView | undefined;
  /** Fetches the pages of these indices; with `isFresh`, also those that were fetched before. */
  request(from: number, to: number, isFresh: boolean): Promise<void>;
  /** Changes the query, and discards all results. */
  find(query: Readonly<Record<'search' | 'machine' | 'order', string>>): void;
}

export function createActorPages(): ActorPages {
  let pages = new Map<number, readonly ActorView[]>();
  let loading = new Map<number, Promise<void>>();
  let query: Readonly<Record<'search' | 'machine' | 'order', string>> = { search: '', machine: '', order: 'tree' };
  let total = 0;

  /** Concurrent requests for a page share one fetch, because scrolling requests a page many times. */
  function loadOnce(page: number): Promise<void> {
    const requests = loading;
    const pending = requests.get(page);
    if (pending !== undefined) return pending;
    const request = load(page).finally(() => requests.delete(page));
    requests.set(page, request);
    return request;
  }

  async function load(page: number): Promise<void> {
    const requested = query;
    const parameters = new URLSearchParams({ ...requested, offset: String(page * pageSize), limit: String(pageSize) });
    const actorPage = await fetchList<ActorPage>(`/actors?${parameters}`);
    if (requested !== query) return;
    total = actorPage.total;
    pages.set(page, actorPage.actors);
  }

  return {
    get total() {
      return total;
    },
    at: (index) => pages.get(Math.floor(index / pageSize))?.[index % pageSize],
    async request(from, to, isFresh) {
      const [first, last] = [Math.floor(from / pageSize), Math.floor(Math.max(from, to) / pageSize)];
      const needed = Array.from({ length: last - first + 1 }, (_, index) => first + index);
      await Promise.all(needed.filter((page) => isFresh || !pages.has(page)).map(loadOnce));
      // Discards distant pages, which bounds the memory while a reader scrolls through many actors.
      for (const page of pages.keys()) if (page < first - 20 || page > last + 20) pages.delete(page);
    },
    find(newQuery) {
      query = newQuery;
      pages = new Map();
      loading = new Map();
    },
  };
}
