import { apiPath, dnsLabel, dnsSubdomain, workloadsPath } from '@weeder/kube-runtime/objects';
import { printable } from '../../base/printable.ts';

/** A workload, whose pods may have to be restarted. */
export interface WorkloadRef {
  /** `Deployment`; of another group than those of Kubernetes with it, such as `Rollout.argoproj.io`. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Of a kind of another group, if an object was read. */
  readonly apiVersion?: string;
}

export type SourceKind = 'ConfigMap' | 'Secret';

/** A ConfigMap or Secret, whether it exists or not. */
export interface SourceRef {
  readonly kind: SourceKind;
  readonly namespace: string;
  readonly name: string;
}

/** Returns a key for maps that is also readable: `deployment/shop/web`. */
export function workloadKey({ kind, namespace, name }: WorkloadRef): string {
  return `${kind.toLowerCase()}/${namespace}/${name}`;
}

/** Returns a key for maps and annotations that is also readable: `configmap/shop/settings`. */
export function sourceKey({ kind, namespace, name }: SourceRef): string {
  return `${kind.toLowerCase()}/${namespace}/${name}`;
}

/** The API path of a workload. */
export function workloadPath({ kind, namespace, name }: WorkloadRef): string {
  return workloadsPath(kind, namespace, name);
}

/** The plural names of the kinds in API paths. */
export const sourcePlurals = { ConfigMap: 'configmaps', Secret: 'secrets' } as const satisfies Record<
  SourceKind,
  string
>;

/** The API path of the ConfigMaps or Secrets of a namespace, or of all. */
export function sourcesPath({
  kind,
  namespace,
}: {
  readonly kind: SourceKind;
  readonly namespace?: string | undefined;
}): string {
  return apiPath('v1', sourcePlurals[kind], { namespace });
}

/** The API path of a ConfigMap or Secret. */
export function sourcePath(source: SourceRef): string {
  return apiPath('v1', sourcePlurals[source.kind], { namespace: source.namespace, name: source.name });
}

/** The API path of the pods of a namespace. */
export function podsPath(namespace: string): string {
  return apiPath('v1', 'pods', { namespace });
}

/** Validates the namespaces, sources and keys that users name in annotations, by the rules of the API server. */

const keyName = /^[-._a-zA-Z0-9]{1,253}$/;

export function isNamespaceName(text: string): boolean {
  return dnsLabel.pattern.test(text);
}

/** Whether a ConfigMap or Secret can have this name. */
export function isSourceName(text: string): boolean {
  return dnsSubdomain.pattern.test(text);
}

/** Whether a ConfigMap or Secret can have a key of this name. */
export function isKeyName(text: string): boolean {
  return keyName.test(text);
}

/** Returns the entries of a list such as `a, b`: trimmed, and without empty ones. */
export function entriesOf(list: string): string[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** Quotes a text from outside in a sentence: on one line, and cut to a length at which it is still recognisable. */
export function quoted(text: string): string {
  return printable(JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text));
}
