import { expectedBy, tagsOf } from './assess.ts';
import { allSources, inFormOf, type StoredTag, type StoredTags, type WorkloadState } from './state.ts';
import type { WantedSource } from './wanted.ts';

/**
 * The tags of the sources of which nothing is written down that could be compared, as they were when they were seen
 * first. A workload may wait for its turn to be adopted: what changes in the meantime must not be taken for what its
 * pods run with. `before`: those of the look before, under the same hash key. What is required and missing is not
 * among them: with it no pod was seen to start.
 */
export function firstSeenOf(
  wanted: ReadonlyMap<string, WantedSource>,
  state: WorkloadState | undefined,
  before: StoredTags,
): StoredTags {
  const stored: StoredTags = state === undefined ? new Map() : expectedBy(state);
  const one = stored.get(allSources);
  if (one !== undefined && inFormOf(stored, tagsOf(wanted)).get(allSources)?.uses === one.uses) return new Map();
  const seen = new Map<string, StoredTag>();
  for (const [key, { tag, digest }] of wanted) {
    if (stored.get(key)?.uses === tag.uses || digest.missing.length > 0) continue;
    const earlier = before.get(key);
    seen.set(key, earlier?.uses === tag.uses ? earlier : tag);
  }
  return seen;
}
