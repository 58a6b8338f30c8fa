import { printable } from '../../base/printable.ts';
import { dnsLabel } from '../../config/schema/names.ts';
import { type WorkloadKind, workloadsPath } from '../../kube/objects/workloadKinds.ts';

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

/** The namespaces, sources and keys that people name in annotations, by the rules that the API server holds. */

const label = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const sourceName = new RegExp(`^(?=.{1,253}$)${label}(?:\\.${label})*$`);
const keyName = /^[-._a-zA-Z0-9]{1,253}$/;

export function isNamespaceName(text: string): boolean {
  return dnsLabel.pattern.test(text);
}

/** Whether a ConfigMap or Secret can have this name. */
export function isSourceName(text: string): boolean {
  return sourceName.test(text);
}

/** Whether a ConfigMap or Secret can have a key of this name. */
export function isKeyName(text: string): boolean {
  return keyName.test(text);
}

/** The entries of a list such as `a, b`: without the spaces around them, and without empty ones. */
export function entriesOf(list: string): string[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** A text of somebody else's as a sentence can quote it: on one line, and not longer than it takes to recognise it. */
export function quoted(text: string): string {
  return printable(JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text));
}
