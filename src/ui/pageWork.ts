import { setImmediate as turn } from 'node:timers/promises';

/**
 * The computations for the pages, one after the other and in slices: between two slices the process handles what has
 * arrived for the controllers, so that a deletion waits for one slice at most.
 */
interface PageWork {
  /** Equal queries share a computation that has not begun yet. Queries are compared as JSON. */
  computation<Query, Result>(compute: Compute<Query, Result>): (query: Query) => Promise<Result>;
}

type Compute<Query, Result> = (query: Query, pause: Pause) => Promise<Result>;

/** Called after each item: ends the slice if it has taken long enough. */
export type Pause = () => Promise<void> | undefined;

/** Milliseconds. */
const slice = 2;

export function createPageWork(): PageWork {
  let last: Promise<unknown> = Promise.resolve();

  return {
    computation<Query, Result>(compute: Compute<Query, Result>): (query: Query) => Promise<Result> {
      const waiting = new Map<string, Promise<Result>>();
      return (query) => {
        const key = JSON.stringify(query);
        const shared = waiting.get(key);
        if (shared !== undefined) return shared;
        const computed = last.then(() => {
          waiting.delete(key);
          return compute(query, createPause());
        });
        last = computed.catch(() => {});
        waiting.set(key, computed);
        return computed;
      };
    },
  };
}

function createPause(): Pause {
  let began = performance.now();
  return () => {
    if (performance.now() - began < slice) return undefined;
    return turn().then(() => {
      began = performance.now();
    });
  };
}
