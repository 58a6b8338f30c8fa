import type { Identity } from './identity.ts';

/**
 * Returns true if values of this kind must never be shown in status, logs, Events, metrics, pages or recordings. Names
 * of keys may be shown.
 */
export function isSecret({ group, kind }: Pick<Identity, 'group' | 'kind'>): boolean {
  return group === '' && kind === 'Secret';
}
