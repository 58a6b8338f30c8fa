import type { Clock } from '@weeder/kube-runtime/base';
import type { ApplicationEntry } from '../entries/entries.ts';
import { done, type Outcome } from '../objects/applyFailure.ts';
import type { ReportObserver } from '../objects/events.ts';
import type { ApplicationApi } from '../status/applicationApi.ts';

/** Checks whether ServiceAccounts exist, and caches those that do. */
export interface ServiceAccounts {
  exists(namespace: string, name: string): Promise<Outcome<boolean>>;
  /** Returns true at the first call for a namespace, so that unreadable ServiceAccounts are reported once. */
  isFirstReport(namespace: string): boolean;
}

/** How long an existing account is cached. Many applications may use the same one. Milliseconds. */
const cachedFor = 300_000;

export function createServiceAccounts(clock: Clock, api: Pick<ApplicationApi, 'hasAccount'>): ServiceAccounts {
  /** By `namespace/name`: accounts that exist, and pending requests. */
  const checks = new Map<string, { readonly request: Promise<Outcome<boolean>>; readonly until: number }>();

  const reported = new Set<string>();

  async function check(namespace: string, name: string): Promise<Outcome<boolean>> {
    const account = await api.hasAccount(namespace, name);
    if (!account.ok || !account.value) checks.delete(`${namespace}/${name}`);
    return account;
  }

  function forgetOld(now: number): void {
    for (const [id, { until }] of checks) if (until <= now) checks.delete(id);
  }

  return {
    exists(namespace, name) {
      const now = clock.monotonic();
      forgetOld(now);
      const cached = checks.get(`${namespace}/${name}`) ?? { request: check(namespace, name), until: now + cachedFor };
      checks.set(`${namespace}/${name}`, cached);
      return cached.request;
    },
    isFirstReport(namespace) {
      const isFirst = !reported.has(namespace);
      reported.add(namespace);
      return isFirst;
    },
  };
}

/** The effects that the check needs. */
interface AccountEffects {
  readonly serviceAccounts: ServiceAccounts;
  readonly mayUseOwnRights: boolean;
  readonly report: ReportObserver;
}

/** Why nothing may be applied. */
interface AccountFailure {
  readonly failure: string;
  readonly reason: string;
  readonly retryAfter: number;
}

/** The failure kind, as the machine and the metrics have it. */
export const serviceAccountNotFound = 'accountMissing';

/**
 * Checks that the impersonated ServiceAccount exists. The API server does not check it: it allows impersonation of any
 * name, and a RoleBinding for that name grants its permissions. Returns undefined if the account exists, if it may not
 * be read, or if the application creates it itself.
 */
export async function checkServiceAccount(
  { serviceAccounts, mayUseOwnRights, report }: AccountEffects,
  entry: ApplicationEntry,
): Promise<AccountFailure | undefined> {
  const { namespace } = entry.about;
  const said = (entry.valid ?? entry.newest).spec.serviceAccountName;
  const name = said ?? 'default';
  const isAsked = (said !== undefined || !mayUseOwnRights) && !createsAccount(entry, name);
  const existence = isAsked ? await serviceAccounts.exists(namespace, name) : done(true);
  if (existence.ok) {
    const reason = `Nothing is applied: the ServiceAccount ${namespace}/${name} ${whatToDo}`;
    return existence.value ? undefined : { failure: serviceAccountNotFound, reason, retryAfter: 0 };
  }
  const { type: failure, reason, retryAfter } = existence.failure;
  if (failure !== 'forbidden') return { failure, reason, retryAfter };
  if (serviceAccounts.isFirstReport(namespace))
    report({ type: 'application.serviceAccountUnverified', application: entry.about, reason });
  return undefined;
}

const whatToDo = 'does not exist. Create it, or name another one in spec.serviceAccountName.';

function createsAccount({ resources, about }: ApplicationEntry, account: string): boolean {
  return [...resources.values()].some(
    ({ identity: { group, kind, namespace, name } }) =>
      group === '' && kind === 'ServiceAccount' && namespace === about.namespace && name === account,
  );
}
