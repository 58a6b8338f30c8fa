import type { ObserverEffects } from '../effects/observerEffects.ts';
import type { ApplicationEntry } from '../state/entries.ts';
import { removeLeft } from './removeLeft.ts';

/**
 * One attempt for each resource that left the manifests. While there is a fault, nothing is pruned: what seems to have
 * left may be what is meant by what cannot be read.
 */
export async function pruneLeft(effects: ObserverEffects, entry: ApplicationEntry, signal: AbortSignal): Promise<void> {
  if (entry.isDetectOnly || entry.valid === undefined || entry.faults.length > 0 || entry.left.size === 0) return;
  await removeLeft(effects, entry, false, signal);
  effects.status.changed(entry);
}
