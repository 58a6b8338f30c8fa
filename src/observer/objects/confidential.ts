import type { Identity } from './identity.ts';
import type { Drift } from './projection.ts';

/**
 * Returns true if values of this kind must never be shown in status, logs, Events, metrics, pages or recordings. Names
 * of keys may be shown.
 */
export function isSecret({ group, kind }: Pick<Identity, 'group' | 'kind'>): boolean {
  return group === '' && kind === 'Secret';
}

/** A drift that may be shown: for a Secret the path and the type of difference, without values. */
type RedactedDrift = Pick<Drift, 'path' | 'type'> & Partial<Pick<Drift, 'desired' | 'found'>>;

/** Removes the values from the drifts of a Secret. Inside the process the original drifts are used. */
export function redactedDrifts(identity: Identity, drifts: readonly Drift[]): readonly RedactedDrift[] {
  return isSecret(identity) ? drifts.map(({ path, type }) => ({ path, type })) : drifts;
}
