import { create } from '../registry/create.ts';
import type { Storage } from '../storage/storage.ts';
import { namespaces, serviceAccounts } from '../strategies/resources.ts';

/** The ServiceAccount controller: each namespace has an account `default`. */
export function startServiceAccounts(storage: Storage): void {
  function keep(namespace: string): void {
    const home = storage.collectionOf(namespaces).get('', namespace);
    if (home === undefined || home.metadata.deletionTimestamp !== undefined) return;
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
    const namespace = resource === namespaces && !isRemoved ? metadata.name : undefined;
    const lost = resource === serviceAccounts && isRemoved ? metadata.namespace : undefined;
    const home = namespace ?? lost;
    if (home !== undefined) queueMicrotask(() => keep(home));
  });
}
