import { workloadsPath } from '../../kube/objects/workloadKinds.ts';
import type { SourceKind, SourceRef, WorkloadRef } from './refs.ts';

/** Where the API serves one workload. */
export function workloadPath({ kind, namespace, name }: WorkloadRef): string {
  return `${workloadsPath(kind, namespace)}/${encodeURIComponent(name)}`;
}

/** What the API calls the collection of a kind. */
export const sourcePlurals = { ConfigMap: 'configmaps', Secret: 'secrets' } as const satisfies Record<
  SourceKind,
  string
>;

/** Where the API serves the ConfigMaps or Secrets of a namespace, or of all. */
export function sourcesPath({
  kind,
  namespace,
}: {
  readonly kind: SourceKind;
  readonly namespace?: string | undefined;
}): string {
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `/api/v1${scope}/${sourcePlurals[kind]}`;
}

/** Where the API serves one ConfigMap or Secret. */
export function sourcePath(source: SourceRef): string {
  return `${sourcesPath(source)}/${encodeURIComponent(source.name)}`;
}

/** Where the API serves the pods of a namespace. */
export function podsPath(namespace: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
}
