import { bytesOf } from '../objects/measure.ts';
import type { KeptObjects, ResourceEntry } from './entries.ts';
import { foundOf, type Live } from './live.ts';
import { dropObject } from './transitions.ts';

/** Of the objects that differ from the desired state, with what differs, of all applications together. */
const maxBytes = 16 << 20;
/** Bytes of a difference, in addition to its path. */
const driftBytes = 256;

/**
 * Limits the memory of live objects: others write them, so that the limits of Applications do not hold for them. An
 * object that is dropped is read again when it is needed.
 */
export function createKeptObjects(): KeptObjects {
  /** By resource; the one that was observed first comes first. */
  const sizes = new Map<ResourceEntry, number>();
  let sum = 0;

  function forget(resource: ResourceEntry): void {
    sum -= sizes.get(resource) ?? 0;
    sizes.delete(resource);
  }

  return {
    observed(resource) {
      forget(resource);
      const size = sizeOf(resource.live);
      if (size === 0) return;
      sizes.set(resource, size);
      sum += size;
      for (const oldest of sizes.keys()) {
        if (sum <= maxBytes || oldest === resource) return;
        forget(oldest);
        dropObject(oldest);
      }
    },
  };
}

function sizeOf(live: Live): number {
  const object = foundOf(live)?.object;
  if (object === undefined) return 0;
  return live.drifts.reduce((sum, { path }) => sum + path.length + driftBytes, bytesOf(object, maxBytes));
}
