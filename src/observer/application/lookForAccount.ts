import type { ApplicationEvent } from '../../../machines/observer/application.ts';
import type { ObserverEffects } from '../effects/observerEffects.ts';
import { done } from '../model/applyFailure.ts';
import type { ApplicationEntry } from '../state/entries.ts';

/** The class of the refusal, as the machine and those who count have it. */
export const accountMissing = 'accountMissing';

/**
 * Whether the account is there in whose place everything is applied. The API server does not look: it lets anybody be
 * impersonated, and whoever has the name in a RoleBinding has its rights (F). Undefined: it is there, or nobody may look,
 * or the application makes it itself.
 */
export async function lookForAccount(
  { accounts, mayUseOwnRights, report }: Pick<ObserverEffects, 'accounts' | 'mayUseOwnRights' | 'report'>,
  entry: ApplicationEntry,
): Promise<ApplicationEvent | undefined> {
  const { namespace } = entry.about;
  const said = (entry.valid ?? entry.newest).spec.serviceAccountName;
  const name = said ?? 'default';
  const isAsked = (said !== undefined || !mayUseOwnRights) && !makesItself(entry, name);
  const found = isAsked ? await accounts.isThere(namespace, name) : done(true);
  if (found.ok) {
    entry.accountFault = found.value ? '' : `Nothing is applied: the ServiceAccount ${namespace}/${name} ${whatToDo}`;
    return found.value
      ? undefined
      : { type: 'apply.refused', failure: accountMissing, reason: entry.accountFault, retryAfter: 0 };
  }
  const { is: failure, reason, retryAfter } = found.failure;
  if (failure !== 'forbidden') return { type: 'apply.refused', failure, reason, retryAfter };
  entry.accountFault = '';
  if (accounts.isNewsOf(namespace)) report({ type: 'application.accountUnseen', application: entry.about, reason });
  return undefined;
}

const whatToDo = 'is not there. Make it, or name another one in spec.serviceAccountName.';

function makesItself({ resources, about }: ApplicationEntry, account: string): boolean {
  return [...resources.values()].some(
    ({ identity: { group, kind, namespace, name } }) =>
      group === '' && kind === 'ServiceAccount' && namespace === about.namespace && name === account,
  );
}
