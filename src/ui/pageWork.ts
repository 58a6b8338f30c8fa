import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';

/**
 * The computations for the pages, one after the other and in slices: between two slices the process handles what has
 * arrived for the controllers, so that a deletion waits for one slice at most. While pods are being deleted no slice
 * begins, for a quarter of a second of each computation at most.
 */
export interface PageWork {
  /** Equal queries share a computation that has not begun yet. Queries are compared as JSON. */
  computation<Query, Result>(compute: Compute<Query, Result>): (query: Query) => Promise<Result>;
}

type Compute<Query, Result> = (query: Query, pause: Pause) => Promise<Result>;

/** Called after each item: ends the slice if it has taken long enough. */
export type Pause = () => Promise<void> | undefined;

/** Milliseconds. */
const slice = 2;
const patience = 250;
const checkInterval = 5;

/** `hasUrgentWork`: whether pods are being deleted. */
export function createPageWork(hasUrgentWork: () => boolean): PageWork {
  let last: Promise<unknown> = Promise.resolve();

  return {
    computation<Query, Result>(compute: Compute<Query, Result>): (query: Query) => Promise<Result> {
      const waiting = new Map<string, Promise<Result>>();
      return (query) => {
        const key = JSON.stringify(query);
        const shared = waiting.get(key);
        if (shared !== undefined) return shared;
        const computed = last.then(async () => {
          const pause = createPause(hasUrgentWork);
          if (hasUrgentWork()) await pause.now();
          waiting.delete(key);
          return compute(query, pause.ifDue);
        });
        last = computed.catch(() => {});
        waiting.set(key, computed);
        return computed;
      };
    },
  };
}

function createPause(hasUrgentWork: () => boolean): { readonly ifDue: Pause; now(): Promise<void> } {
  let patienceLeft = patience;
  let began = performance.now();

  async function now(): Promise<void> {
    await turn();
    for (; hasUrgentWork() && patienceLeft > 0; patienceLeft -= checkInterval) await delay(checkInterval);
    began = performance.now();
  }

  return { now, ifDue: () => (performance.now() - began < slice ? undefined : now()) };
}
