import { isDeepStrictEqual } from 'node:util';
import type { ApiStore } from '../apiserver/apiStore.ts';
import type { KubeObject } from '../apiserver/meta/objects.ts';
import { controllerRevisions } from '../apiserver/strategies/resources.ts';
import { type JsonObject, numberOf, objectOf } from '../base/json.ts';
import { ownerReference } from './owned.ts';
import { manager } from './reconciling.ts';
import { templateHash } from './templateHash.ts';

export const hashLabel = 'controller-revision-hash';

/**
 * Returns the ControllerRevision of a StatefulSet's or DaemonSet's template, as the latest one, and creates it if there
 * is none.
 */
export function updateRevision(store: ApiStore, owner: KubeObject): KubeObject | undefined {
  const { name, namespace = '' } = owner.metadata;
  const { template, selector } = objectOf(owner['spec']);
  const data = { spec: { template } };
  const revisions = store.ownedBy(controllerRevisions, owner);
  const newest = Math.max(0, ...revisions.map(revisionOf));
  const match = revisions.find((each) => isDeepStrictEqual(each['data'], data));
  if (match !== undefined) {
    if (revisionOf(match) === newest) return match;
    const change = { revision: newest + 1 };
    const patched = store.patch(controllerRevisions, namespace, match.metadata.name, change, manager);
    return patched.ok ? patched.value : undefined;
  }
  const hash = templateHash(template);
  const labels = { ...objectOf(objectOf(selector)['matchLabels']), 'controller.kubernetes.io/hash': hash };
  const metadata = { name: `${name}-${hash}`, namespace, labels, ownerReferences: [ownerReference(owner)] };
  const created = store.create(controllerRevisions, { metadata, data, revision: newest + 1 }, manager);
  return created.ok ? created.value : undefined;
}

/** Returns the template of a revision. */
export function templateIn(revision: KubeObject | undefined): JsonObject {
  return objectOf(objectOf(objectOf(revision?.['data'])['spec'])['template']);
}

/** Deletes unused revisions beyond revisionHistoryLimit. */
export function deleteUnusedRevisions(
  store: ApiStore,
  owner: KubeObject,
  inUse: (revision: KubeObject) => boolean,
): void {
  const limit = numberOf(objectOf(owner['spec'])['revisionHistoryLimit']) ?? 10;
  const unused = store.ownedBy(controllerRevisions, owner).filter((each) => !inUse(each));
  const oldestFirst = unused.toSorted((a, b) => revisionOf(a) - revisionOf(b));
  for (const { metadata } of oldestFirst.slice(0, Math.max(0, unused.length - limit))) {
    store.delete(controllerRevisions, metadata.namespace ?? '', metadata.name);
  }
}

function revisionOf({ revision }: KubeObject): number {
  return numberOf(revision) ?? 0;
}
