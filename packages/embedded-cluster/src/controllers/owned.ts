import type { ApiStore } from '../apiserver/apiStore.ts';
import type { KubeObject } from '../apiserver/meta/objects.ts';
import type { LabelSelector } from '../apiserver/selectors/matchesSelector.ts';
import { pods } from '../apiserver/strategies/resources.ts';
import { type JsonObject, objectOf, textOf } from '../base/json.ts';

export function podsIn(store: ApiStore, { metadata }: KubeObject, labelSelector: LabelSelector = {}) {
  return store.list(pods, { namespace: metadata.namespace ?? '', labelSelector });
}

/** Returns whether a pod is neither terminating nor succeeded nor failed. */
export function isActive(pod: KubeObject): boolean {
  const phase = textOf(objectOf(pod['status'])['phase']) ?? '';
  return !isTerminating(pod) && !['Succeeded', 'Failed'].includes(phase);
}

export function isTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function ownerReference({ metadata, kind, apiVersion }: KubeObject): JsonObject {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true };
}

/** The fields of a pod in addition to its template. */
interface PodExtras {
  /** Default: a generated one. */
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Defaults for the template's spec. */
  readonly spec?: JsonObject;
}

/** The node of pods whose template names none; without it they are not scheduled. */
export interface Placement {
  readonly nodeName?: string;
}

/** Returns the manifest of a workload's pod. */
export function podOf(owner: KubeObject, template: unknown, extras: PodExtras = {}): JsonObject {
  const { metadata, spec } = objectOf(template);
  const given = objectOf(metadata);
  const { name, namespace } = owner.metadata;
  return {
    metadata: {
      ...given,
      ...(extras.name === undefined ? {} : { name: extras.name }),
      generateName: `${name}-`,
      namespace,
      labels: { ...objectOf(given['labels']), ...extras.labels },
      ownerReferences: [ownerReference(owner)],
    },
    spec: { ...extras.spec, ...objectOf(spec) },
  };
}
