import type { Manifest } from './deploy/kustomize.ts';
import type { Cluster } from './plane/access.ts';
import type { Answer } from './plane/http.ts';

const clusterScoped = new Set([
  'ClusterRole',
  'ClusterRoleBinding',
  'CustomResourceDefinition',
  'Namespace',
  'PriorityClass',
]);

export function isClusterScoped({ kind }: Manifest): boolean {
  return clusterScoped.has(kind);
}

/** Creates an object. An unknown field is an error. */
export async function create(cluster: Cluster, manifest: Manifest): Promise<void> {
  const answer = await post(cluster, manifest, '');
  if (answer.status !== 201) throw new Error(`${named(manifest)} refused: ${JSON.stringify(answer.body)}`);
}

/** Returns the errors and warnings of the API server for a dry run of this object. */
export async function errorsOf(cluster: Cluster, manifest: Manifest): Promise<string[]> {
  const answer = await post(cluster, manifest, '&dryRun=All');
  const warnings = [answer.headers['warning'] ?? []].flat();
  const refusal = answer.status === 201 ? [] : [JSON.stringify(answer.body)];
  return [...refusal, ...warnings].map((fault) => `${named(manifest)}: ${fault}`);
}

/** Deletes an object if it exists. */
export async function remove(cluster: Cluster, manifest: Manifest): Promise<void> {
  await cluster.send('DELETE', `${pathOf(manifest)}/${manifest.metadata.name}`);
}

/** Returns `Kind name` for messages. */
export function named({ kind, metadata }: Manifest): string {
  return `${kind} ${metadata.name}`;
}

function post(cluster: Cluster, manifest: Manifest, options: string): Promise<Answer> {
  return cluster.send('POST', `${pathOf(manifest)}?fieldValidation=Strict${options}`, { body: manifest });
}

/** The path of the collection of an object. */
export function pathOf(manifest: Manifest): string {
  const { apiVersion, kind, metadata } = manifest;
  const plural = kind.endsWith('y') ? `${kind.slice(0, -1)}ies` : `${kind}${kind.endsWith('ss') ? 'es' : 's'}`;
  const home = isClusterScoped(manifest) ? '' : `/namespaces/${metadata.namespace ?? 'default'}`;
  return `/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}${home}/${plural.toLowerCase()}`;
}
