import { arrayOf, isObject, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import type { ApplicationOwner } from '../objects/fieldManagers.ts';
import { type Identity, identityKey, type Manifest } from '../objects/identity.ts';
import { type FieldMask, leaf } from '../schema/fieldMask.ts';
import { hasManager } from './ownership.ts';

/** Returns the manager that wrote `spec.replicas` by the subresource `scale`, as an autoscaler does. */
export function scaleOwnerOf(live: JsonObject): string | undefined {
  const owner = entriesWithReplicas(live).find(({ subresource }) => subresource === 'scale');
  return textOf(owner?.['manager']);
}

/** The `pathText` of the field that the subresource `scale` writes. */
export const replicasPath = '.spec.replicas';

/**
 * Returns true if an unknown client has scaled an object to 0, or up from 0, after an application applied its replicas.
 * The API server does not record which client: a Scale omits a zero, so the field loses its owner and gets no new one.
 * No other write takes a field from its owner and leaves it in the object.
 */
export function isScaledByUnknown(live: JsonObject, { own, init }: Pick<ApplicationOwner, 'own' | 'init'>): boolean {
  const isThere = 'replicas' in objectOf(live['spec']);
  const isApplied = hasManager(live, own) || hasManager(live, init);
  return isThere && isApplied && entriesWithReplicas(live).length === 0;
}

function entriesWithReplicas(live: JsonObject): readonly JsonObject[] {
  return arrayOf(objectOf(live['metadata'])['managedFields'])
    .map(objectOf)
    .filter(({ fieldsV1 }) => isObject(replicasIn(fieldsV1)));
}

function replicasIn(fields: unknown): unknown {
  return objectOf(objectOf(fields)['f:spec'])['f:replicas'];
}

/**
 * Returns the `identityKey` of the object that a HorizontalPodAutoscaler scales. Undefined: the manifest is not one, or
 * it has no target.
 */
export function scaledBy({ identity, object }: Pick<Manifest, 'identity' | 'object'>): string | undefined {
  if (identity.group !== 'autoscaling' || identity.kind !== 'HorizontalPodAutoscaler') return undefined;
  const { apiVersion, kind, name } = objectOf(objectOf(object['spec'])['scaleTargetRef']);
  if (typeof kind !== 'string' || typeof name !== 'string') return undefined;
  const group = typeof apiVersion === 'string' && apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
  return identityKey({ group, kind, namespace: identity.namespace, name });
}

/** Returns true if a HorizontalPodAutoscaler among the manifests scales the resource. */
export function isAutoscaled(identity: Identity, manifests: readonly Manifest[]): boolean {
  const key = identityKey(identity);
  return manifests.some((manifest) => scaledBy(manifest) === key);
}

/**
 * Returns the mask without `spec.replicas`, for a resource that another client scales: the most frequent conflict is a
 * manifest with replicas beside an autoscaler. A schema that lists the replicas requests them explicitly, so they stay
 * in the mask.
 */
export function withoutReplicas(mask: FieldMask, manifest: JsonObject): FieldMask {
  const spec = objectOf(manifest['spec']);
  if (!('replicas' in spec)) return mask;
  const fields = fieldsOf(mask, manifest);
  const inner = fields?.get('spec');
  if (fields === undefined || inner?.type !== 'leaf') return mask;
  const others = new Map(fieldsOf(inner, spec));
  others.delete('replicas');
  return { type: 'map', fields: new Map([...fields, ['spec', { type: 'map', fields: others }]]) };
}

/** A leaf stands for every field of the manifest. */
function fieldsOf(mask: FieldMask, manifest: JsonObject): ReadonlyMap<string, FieldMask> | undefined {
  if (mask.type === 'map') return mask.fields;
  return mask.type === 'leaf' ? new Map(Object.keys(manifest).map((key) => [key, leaf])) : undefined;
}
