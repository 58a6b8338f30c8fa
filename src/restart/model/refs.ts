import type { WorkloadKind } from '../../kube/objects/workloadKinds.ts';

/** One workload: whose pods may have to be restarted. */
export interface WorkloadRef {
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
}

export type SourceKind = 'ConfigMap' | 'Secret';

/** One ConfigMap or Secret, whether it exists or not. */
export interface SourceRef {
  readonly kind: SourceKind;
  readonly namespace: string;
  readonly name: string;
}

/** A key for maps and a text for people: `deployment/shop/web`. */
export function workloadKey({ kind, namespace, name }: WorkloadRef): string {
  return `${kind.toLowerCase()}/${namespace}/${name}`;
}

/** A key for maps, for annotations, and a text for people: `configmap/shop/settings`. */
export function sourceKey({ kind, namespace, name }: SourceRef): string {
  return `${kind.toLowerCase()}/${namespace}/${name}`;
}
