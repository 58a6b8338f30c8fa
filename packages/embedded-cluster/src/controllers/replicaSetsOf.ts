import { isDeepStrictEqual } from 'node:util';
import type { ApiStore } from '../apiserver/apiStore.ts';
import type { KubeObject } from '../apiserver/meta/objects.ts';
import { replicaSets } from '../apiserver/strategies/resources.ts';
import { type JsonObject, objectOf } from '../base/json.ts';
import { isTerminating, ownerReference } from './owned.ts';
import { manager } from './reconciling.ts';
import { templateHash } from './templateHash.ts';

const prefix = 'deployment.kubernetes.io/';
const hashLabel = 'pod-template-hash';

/** The annotations with the revisions of a Deployment. */
export const revisionsOf = { annotation: `${prefix}revision`, history: `${prefix}revision-history` } as const;

/** Returns the revision of a ReplicaSet; 0 if it has none. */
export function revisionOf({ metadata }: KubeObject): number {
  return Number(metadata.annotations?.[revisionsOf.annotation] ?? 0);
}

/**
 * Returns the ReplicaSet of a Deployment's template, with the latest revision and the Deployment's annotations, and
 * creates it if there is none. A paused Deployment gets neither.
 */
export function currentSet(store: ApiStore, deployment: KubeObject, isPaused: boolean): KubeObject | undefined {
  const sets = store.ownedBy(replicaSets, deployment).filter((set) => !isTerminating(set));
  const { template } = objectOf(deployment['spec']);
  const match = sets.find((set) => isDeepStrictEqual(plain(objectOf(set['spec'])['template']), plain(template)));
  if (isPaused) return match;
  const others = sets.filter((set) => set !== match);
  const newest = Math.max(0, ...others.map(revisionOf));
  return match === undefined ? createSet(store, deployment, newest + 1) : annotated(store, deployment, match, newest);
}

function createSet(store: ApiStore, deployment: KubeObject, revision: number): KubeObject | undefined {
  const { name, namespace } = deployment.metadata;
  const { selector, template } = objectOf(deployment['spec']);
  const hash = templateHash(template);
  const { metadata, spec } = objectOf(template);
  const labels = { ...objectOf(objectOf(metadata)['labels']), [hashLabel]: hash };
  const matchLabels = { ...objectOf(objectOf(selector)['matchLabels']), [hashLabel]: hash };
  const set = {
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels,
      annotations: { ...copiedAnnotations(deployment), [revisionsOf.annotation]: String(revision) },
      ownerReferences: [ownerReference(deployment)],
    },
    spec: {
      replicas: 0,
      selector: { ...objectOf(selector), matchLabels },
      template: { metadata: { ...objectOf(metadata), labels }, spec },
    },
  };
  const created = store.create(replicaSets, set, manager);
  return created.ok ? created.value : undefined;
}

/** A ReplicaSet that is used again gets a new revision and records the old one in its revision history. */
function annotated(store: ApiStore, deployment: KubeObject, set: KubeObject, newest: number): KubeObject {
  const { name, namespace = '', annotations = {} } = set.metadata;
  const own = revisionOf(set);
  const history = [annotations[revisionsOf.history], String(own)].filter(Boolean).join(',');
  const renumbered = { [revisionsOf.annotation]: String(newest + 1), [revisionsOf.history]: history };
  const desired = { ...copiedAnnotations(deployment), ...(own > newest ? {} : renumbered) };
  if (Object.entries(desired).every(([key, value]) => annotations[key] === value)) return set;
  const patched = store.patch(replicaSets, namespace, name, { metadata: { annotations: desired } }, manager);
  return patched.ok ? patched.value : set;
}

/** Returns the annotations to copy: all except those of revisions and of client-side apply. */
function copiedAnnotations({ metadata }: KubeObject): Readonly<Record<string, string>> {
  const isOwn = (key: string) => key.startsWith(prefix) || key === 'kubectl.kubernetes.io/last-applied-configuration';
  return Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([key]) => !isOwn(key)));
}

/** Returns the template without the label pod-template-hash. */
function plain(template: unknown): JsonObject {
  const { metadata, spec } = objectOf(template);
  const { labels, ...rest } = objectOf(metadata);
  const { [hashLabel]: _hash, ...others } = objectOf(labels);
  return { metadata: { ...rest, labels: others }, spec };
}
