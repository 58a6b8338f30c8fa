import { matchesSelector } from '@weeder/kube-runtime/objects';
import { type Config, isConfigured } from '../config/config.ts';
import { includesName, scopeFrom } from '../config/scopes.ts';
import type { ServiceRef } from './dependency.ts';

/** Whether the config says that pods with these labels, in this namespace, depend on the service. */
export function isConfiguredDependant(
  { services }: Config,
  service: ServiceRef,
  pods: { readonly namespace: string; readonly labels: Readonly<Record<string, string>> },
): boolean {
  const entry = services.get(service.name);
  if (!isConfigured(entry, service.namespace)) return false;
  const scope = scopeFrom(entry.dependantNamespaces, service.namespace);
  return (
    includesName(scope, pods.namespace) && entry.podSelectors.some((selector) => matchesSelector(selector, pods.labels))
  );
}
