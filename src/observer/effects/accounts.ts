import type { Clock } from '../../base/clock.ts';
import type { Outcome } from '../model/applyFailure.ts';
import type { ApplicationApi } from '../status/applicationApi.ts';

/** Which ServiceAccounts there are, as far as somebody has looked. */
export interface Accounts {
  isThere(namespace: string, name: string): Promise<Outcome<boolean>>;
  /** Whether nobody was told yet that those of this namespace may not be looked for. */
  isNewsOf(namespace: string): boolean;
}

/** An account that is there is not looked for again so soon: a thousand applications may have the same one. */
const believedFor = 300_000;

export function createAccounts(clock: Clock, api: Pick<ApplicationApi, 'hasAccount'>): Accounts {
  /** By `namespace/name`: those that are there, and those that are asked for now. */
  const known = new Map<string, { readonly asked: Promise<Outcome<boolean>>; readonly until: number }>();

  const told = new Set<string>();

  async function ask(namespace: string, name: string): Promise<Outcome<boolean>> {
    const found = await api.hasAccount(namespace, name);
    if (!found.ok || !found.value) known.delete(`${namespace}/${name}`);
    return found;
  }

  function forgetOld(now: number): void {
    for (const [id, { until }] of known) if (until <= now) known.delete(id);
  }

  return {
    isThere(namespace, name) {
      const now = clock.monotonic();
      forgetOld(now);
      const its = known.get(`${namespace}/${name}`) ?? { asked: ask(namespace, name), until: now + believedFor };
      known.set(`${namespace}/${name}`, its);
      return its.asked;
    },
    isNewsOf(namespace) {
      const isNews = !told.has(namespace);
      told.add(namespace);
      return isNews;
    },
  };
}
