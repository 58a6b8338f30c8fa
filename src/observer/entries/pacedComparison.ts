import type { Clock, JsonObject, TimerHandle } from '@weeder/kube-runtime/base';
import type { ResourceEntry } from './entries.ts';
import { foundOf } from './live.ts';

/** Compares the objects that a stream reports, and limits how often a large object is compared. */
interface PacedComparison {
  /**
   * Compares the object, now or a little later. Of several versions that arrive in between, only the newest is
   * compared.
   */
  take(resource: ResourceEntry, object: JsonObject): void;
  /**
   * Does the same for an object that need not be parsed before. Returns false without doing anything if the object is
   * to be compared now.
   */
  hold(resource: ResourceEntry, read: () => JsonObject | undefined): boolean;
  /** Cancels a comparison that has not been made yet. */
  drop(resource: ResourceEntry): void;
}

/**
 * To compare a field takes a few microseconds of the only thread, so a client that keeps changing an object of 25,000
 * fields would use all of it. Therefore each comparison is followed by a pause of this many milliseconds for each
 * field.
 */
const pauseForField = 0.08;
/** An object with fewer fields is compared at each change. */
const largeFrom = 1_000;

interface Paced {
  readonly until: number;
  newest: (() => JsonObject | undefined) | undefined;
  timer: TimerHandle | undefined;
}

/** Calls `compare` at most once in each pause. */
export function pacedComparison(
  clock: Clock,
  compare: (resource: ResourceEntry, object: JsonObject) => void,
): PacedComparison {
  const paced = new WeakMap<ResourceEntry, Paced>();

  function compareNow(resource: ResourceEntry, object: JsonObject): void {
    paced.delete(resource);
    compare(resource, object);
    const fields = resource.live.baseline?.fields.size ?? 0;
    if (fields < largeFrom) return;
    paced.set(resource, { until: clock.monotonic() + fields * pauseForField, newest: undefined, timer: undefined });
  }

  function compareLater(resource: ResourceEntry, read: () => JsonObject | undefined): boolean {
    const pace = paced.get(resource);
    const wait = pace === undefined ? 0 : pace.until - clock.monotonic();
    // If the object is not known yet, a caller waits for it.
    if (pace === undefined || wait <= 0 || foundOf(resource.live) === undefined) return false;
    pace.newest = read;
    pace.timer ??= clock.setTimeout(() => {
      const object = pace.newest?.();
      if (object !== undefined) compareNow(resource, object);
    }, wait);
    return true;
  }

  return {
    take(resource, object) {
      if (compareLater(resource, () => object)) return;
      clock.clearTimeout(paced.get(resource)?.timer);
      compareNow(resource, object);
    },
    hold: compareLater,
    drop(resource) {
      clock.clearTimeout(paced.get(resource)?.timer);
      paced.delete(resource);
    },
  };
}
