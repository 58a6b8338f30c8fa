import { type Config, isConfigured } from '../config/config.ts';
import { matchesSelector } from '../kube/objects/selector.ts';
import type { ServiceRef } from './dependency.ts';

/** Whether the config says that pods with these labels, in this namespace, depend on the service. */
export function isConfiguredDependant(
  { services }: Config,
  service: ServiceRef,
  pods: { readonly namespace: string; readonly labels: Readonly<Record<string, string>> },
): boolean {
  const entry = services.get(service.name);
  if (!isConfigured(entry, service.namespace)) return false;
  const { dependantNamespaces: scope, podSelectors } = entry;
  const isInScope =
    scope === 'same' ? pods.namespace === service.namespace : scope === 'all' || scope.includes(pods.namespace);
  return isInScope && podSelectors.some((selector) => matchesSelector(selector, pods.labels));
}
