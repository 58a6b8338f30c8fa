import { create } from '../registry/create.ts';
import type { Storage } from '../storage/storage.ts';
import { namespaces, serviceAccounts } from '../strategies/resources.ts';

/** Starts the ServiceAccount controller, which creates the ServiceAccount `default` in each namespace. */
export function startServiceAccounts(storage: Storage): void {
  function ensureDefault(namespace: string): void {
    const existing = storage.collectionOf(namespaces).get('', namespace);
    if (existing === undefined || existing.metadata.deletionTimestamp !== undefined) return;
    if (storage.collectionOf(serviceAccounts).get(namespace, 'default') !== undefined) return;
    create(
      storage,
      serviceAccounts,
      namespace,
      { metadata: { name: 'default' } },
      { manager: 'kube-controller-manager' },
    );
  }

  storage.onChange((resource, { metadata }, isRemoved) => {
    const changed = resource === namespaces && !isRemoved ? metadata.name : undefined;
    const withoutAccount = resource === serviceAccounts && isRemoved ? metadata.namespace : undefined;
    const namespace = changed ?? withoutAccount;
    if (namespace !== undefined) queueMicrotask(() => ensureDefault(namespace));
  });
}
