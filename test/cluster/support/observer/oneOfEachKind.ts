import { readFileSync } from 'node:fs';
import { arrayOf, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { parseAllDocuments } from 'yaml';
import type { Cluster } from '../plane/access.ts';
import { minorVersion } from '../plane/apiServerVersion.ts';

const file = new URL('../../../data/oneOfEachKind.yaml', import.meta.url);

/** The minor versions of Kubernetes with which kinds got the version above. Older ones serve them as betas, if at all. */
export const stableSince: Readonly<Record<string, number>> = {
  DeviceClass: 34,
  MutatingAdmissionPolicy: 36,
  MutatingAdmissionPolicyBinding: 36,
  ResourceClaim: 34,
  ResourceClaimTemplate: 34,
  ResourceSlice: 34,
  VolumeAttributesClass: 34,
};

/** The objects of all kinds that are stable in the version of the cluster. */
export async function oneOfEachKind(cluster: Cluster, name: string, namespace: string): Promise<readonly JsonObject[]> {
  const minor = await minorVersion(cluster);
  const filled = readFileSync(file, 'utf8').replaceAll('NAME', name).replaceAll('NS', namespace);
  const objects = parseAllDocuments(filled).map((document) => objectOf(document.toJS()));
  return objects.filter(({ kind }) => (stableSince[String(kind)] ?? 0) <= minor);
}

/** A kind as the cluster serves it, in its preferred version. */
export interface ServedKind {
  readonly kind: string;
  /** `/api/v1/namespaces/shop/configmaps`, for the given namespace. */
  readonly collection: string;
  readonly apiVersion: string;
  readonly isNamespaced: boolean;
}

/** Every kind whose objects can be applied, read and deleted. */
export async function appliedKinds(cluster: Cluster, namespace: string): Promise<readonly ServedKind[]> {
  const groups = arrayOf(objectOf(await cluster.api('GET', '/apis'))['groups']).map(objectOf);
  const preferred = groups.map(({ preferredVersion }) => textOf(objectOf(preferredVersion)['groupVersion']) ?? '');
  const kindLists = ['v1', ...preferred].map(async (apiVersion) => {
    const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
    const { resources } = objectOf(await cluster.api('GET', root));
    return arrayOf(resources)
      .map(objectOf)
      .filter(({ verbs }) => ['patch', 'get', 'delete'].every((verb) => arrayOf(verbs).includes(verb)))
      .filter(({ name }) => !String(name).includes('/'))
      .map(({ kind, name, namespaced }) => ({
        kind: String(kind),
        collection: namespaced === true ? `${root}/namespaces/${namespace}/${name}` : `${root}/${name}`,
        apiVersion,
        isNamespaced: namespaced === true,
      }));
  });
  return (await Promise.all(kindLists)).flat();
}
