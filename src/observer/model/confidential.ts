import type { Identity } from './identity.ts';
import type { Drift } from './projection.ts';

/**
 * Whether nothing that stands in an object of this kind may be told: not in status, log, Events, metrics, pages or
 * recordings. Names of its keys may.
 */
export function isSecret({ group, kind }: Pick<Identity, 'group' | 'kind'>): boolean {
  return group === '' && kind === 'Secret';
}

/** What may be told of a drift: of a Secret where it is and of what sort, but neither value. */
type RedactedDrift = Pick<Drift, 'path' | 'is'> & Partial<Pick<Drift, 'desired' | 'found'>>;

/** Drifts as everybody may see them; what stays in the process compares the drifts themselves. */
export function redactedDrifts(identity: Identity, drifts: readonly Drift[]): readonly RedactedDrift[] {
  return isSecret(identity) ? drifts.map(({ path, is }) => ({ path, is })) : drifts;
}
