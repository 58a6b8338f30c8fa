import type { Clock, TimerHandle } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import { foundOf, type ResourceEntry } from './entries.ts';

/** Compares what a stream reports of a resource, of a large one not more often than is proportionate. */
interface PacedComparison {
  /** Compares it, now or a little later; of what comes in between only the newest. */
  take(resource: ResourceEntry, object: JsonObject): void;
  /** The same of an object that need not be read before: false, it is to be compared now, and nothing was done. */
  hold(resource: ResourceEntry, read: () => JsonObject | undefined): boolean;
  /** What has not been compared by now never will be. */
  drop(resource: ResourceEntry): void;
}

/**
 * To compare a field costs a few microseconds of the one thread that there is: whoever changes an object of 25,000 fields
 * all the time would have all of it. So a comparison is followed by a pause of this many milliseconds for each field.
 */
const pauseForField = 0.08;
/** What has fewer fields than this is compared whenever it changes. */
const largeFrom = 1_000;

interface Paced {
  readonly until: number;
  newest: (() => JsonObject | undefined) | undefined;
  timer: TimerHandle | undefined;
}

/** `compare` is given only what it was asked to. */
export function pacedComparison(
  clock: Clock,
  compare: (resource: ResourceEntry, object: JsonObject) => void,
): PacedComparison {
  const paced = new WeakMap<ResourceEntry, Paced>();

  function compareNow(resource: ResourceEntry, object: JsonObject): void {
    paced.delete(resource);
    compare(resource, object);
    const fields = resource.baseline?.fields.size ?? 0;
    if (fields < largeFrom) return;
    paced.set(resource, { until: clock.monotonic() + fields * pauseForField, newest: undefined, timer: undefined });
  }

  function compareLater(resource: ResourceEntry, read: () => JsonObject | undefined): boolean {
    const its = paced.get(resource);
    const wait = its === undefined ? 0 : its.until - clock.monotonic();
    // Of what is not known yet, somebody waits for it.
    if (its === undefined || wait <= 0 || foundOf(resource) === undefined) return false;
    its.newest = read;
    its.timer ??= clock.setTimeout(() => {
      const object = its.newest?.();
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
