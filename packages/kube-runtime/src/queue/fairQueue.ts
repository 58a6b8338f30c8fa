/**
 * The share to which an item in a queue belongs: the outer group, such as a namespace, and the inner one, such as an
 * application.
 */
export interface Share {
  readonly outer: string;
  readonly inner: string;
}

/**
 * A queue in which the outer groups take turns, and within each of them the inner ones: a group with many inner groups,
 * or many waiting items in one of them, gets no more turns than others.
 */
export interface FairQueue<T> extends Iterable<T> {
  add(share: Share, item: T): void;
  /** False: the item is not in the queue. */
  delete(item: T): boolean;
  has(item: T): boolean;
  /** Removes the next item, from the outer groups that `mayServe` allows. Default: all. */
  next(mayServe?: (outer: string) => boolean): { readonly item: T; readonly share: Share } | undefined;
  /** The newest item of the outer group that weighs the most. */
  newestOfLargest(): T | undefined;
  readonly size: number;
  readonly weight: number;
}

interface FairQueueOptions<T> {
  /**
   * Of each inner group the item with the smallest value is next, instead of the one that was added first, and an outer
   * group without items keeps its position while others wait: an item that changes is added again, and must not fall
   * behind each time.
   */
  readonly sinceOf?: ((item: T) => number) | undefined;
  /** A positive number that never changes for an item. Default: 1. */
  readonly weightOf?: (item: T) => number;
}

type Groups<T> = Map<string, Map<string, Set<T>>>;

export function createFairQueue<T>({ sinceOf, weightOf = () => 1 }: FairQueueOptions<T> = {}): FairQueue<T> {
  /** The group whose turn is next comes first. */
  const groups: Groups<T> = new Map();
  const shares = new Map<T, Share>();
  /** By outer group. */
  const weights = new Map<string, number>();
  let weight = 0;

  function remove(item: T): Share | undefined {
    const share = shares.get(item);
    if (share === undefined) return undefined;
    const { outer, inner } = share;
    shares.delete(item);
    weigh(outer, -weightOf(item));
    const inners = groups.get(outer);
    const items = inners?.get(inner);
    items?.delete(item);
    if (items?.size === 0) inners?.delete(inner);
    if (!weights.has(outer) && sinceOf === undefined) groups.delete(outer);
    if (shares.size === 0) groups.clear();
    return share;
  }

  function weigh(outer: string, by: number): void {
    const sum = (weights.get(outer) ?? 0) + by;
    weight += by;
    if (sum > 0) weights.set(outer, sum);
    else weights.delete(outer);
  }

  function served(item: T) {
    const share = remove(item);
    if (share === undefined) return undefined;
    const inners = groups.get(share.outer);
    if (inners !== undefined) {
      toTheEnd(inners, share.inner);
      toTheEnd(groups, share.outer);
    }
    return { item, share };
  }

  return {
    add({ outer, inner }, item) {
      if (shares.has(item)) return;
      shares.set(item, { outer, inner });
      weigh(outer, weightOf(item));
      const inners = groups.get(outer) ?? new Map<string, Set<T>>();
      const items = inners.get(inner) ?? new Set<T>();
      groups.set(outer, inners.set(inner, items.add(item)));
    },
    delete: (item) => remove(item) !== undefined,
    has: (item) => shares.has(item),
    next(mayServe = () => true) {
      for (const [outer, inners] of groups) {
        if (!mayServe(outer)) continue;
        for (const items of inners.values()) {
          for (const item of items) return served(oldestOf(items, item, sinceOf));
        }
      }
      return undefined;
    },
    newestOfLargest() {
      let largest: string | undefined;
      for (const [outer, sum] of weights) {
        if (largest === undefined || sum > (weights.get(largest) ?? 0)) largest = outer;
      }
      let newest: T | undefined;
      for (const items of groups.get(largest ?? '')?.values() ?? []) for (const item of items) newest = item;
      return newest;
    },
    get size() {
      return shares.size;
    },
    get weight() {
      return weight;
    },
    [Symbol.iterator]: () => shares.keys(),
  };
}

function oldestOf<T>(items: ReadonlySet<T>, first: T, sinceOf?: (item: T) => number): T {
  if (sinceOf === undefined) return first;
  let oldest = first;
  for (const item of items) if (sinceOf(item) < sinceOf(oldest)) oldest = item;
  return oldest;
}

function toTheEnd<V>(map: Map<string, V>, key: string): void {
  const value = map.get(key);
  if (value === undefined || !map.delete(key)) return;
  map.set(key, value);
}
