import { arrayOf, isObject, type JsonObject, objectOf, textOf } from '../../base/json.ts';
import type { ApplicationOwner } from '../model/fieldManagers.ts';
import { type Identity, identityKey, type Manifest } from '../model/identity.ts';
import { type FieldMask, leaf } from '../schema/fieldMask.ts';
import { hasManager } from './ownership.ts';

/** The manager that wrote `spec.replicas` by the subresource `scale`, as an autoscaler does. */
export function scaleOwnerOf(live: JsonObject): string | undefined {
  const owner = entriesWithReplicas(live).find(({ subresource }) => subresource === 'scale');
  return textOf(owner?.['manager']);
}

/** `pathText` of what the subresource `scale` writes. */
export const replicasPath = '.spec.replicas';

/**
 * Whether somebody has scaled an object to 0, or up from it, to which an application has applied replicas. The API
 * server does not say who: a Scale leaves a zero out, so the field goes from its owner, and nobody gets it. Nothing else
 * takes it from its owner and leaves it there.
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

/** What a HorizontalPodAutoscaler scales, as an `identityKey`; undefined: the object is none, or names nothing. */
export function scaledBy({ identity, object }: Pick<Manifest, 'identity' | 'object'>): string | undefined {
  if (identity.group !== 'autoscaling' || identity.kind !== 'HorizontalPodAutoscaler') return undefined;
  const { apiVersion, kind, name } = objectOf(objectOf(object['spec'])['scaleTargetRef']);
  if (typeof kind !== 'string' || typeof name !== 'string') return undefined;
  const group = typeof apiVersion === 'string' && apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
  return identityKey({ group, kind, namespace: identity.namespace, name });
}

/** Whether an autoscaler among these has the replicas of a resource. */
export function isAutoscaled(identity: Identity, manifests: readonly Manifest[]): boolean {
  const key = identityKey(identity);
  return manifests.some((manifest) => scaledBy(manifest) === key);
}

/**
 * The mask without `spec.replicas`, for a resource that somebody scales: the commonest fight is home-made, by a
 * manifest with replicas beside an autoscaler. A schema that lists the replicas themselves means them, and keeps them.
 */
export function withoutReplicas(mask: FieldMask, manifest: JsonObject): FieldMask {
  const spec = objectOf(manifest['spec']);
  if (!('replicas' in spec)) return mask;
  const fields = fieldsOf(mask, manifest);
  const inner = fields?.get('spec');
  if (fields === undefined || inner?.is !== 'leaf') return mask;
  const others = new Map(fieldsOf(inner, spec));
  others.delete('replicas');
  return { is: 'map', fields: new Map([...fields, ['spec', { is: 'map', fields: others }]]) };
}

/** A leaf stands for everything that the manifest has there. */
function fieldsOf(mask: FieldMask, manifest: JsonObject): ReadonlyMap<string, FieldMask> | undefined {
  if (mask.is === 'map') return mask.fields;
  return mask.is === 'leaf' ? new Map(Object.keys(manifest).map((key) => [key, leaf])) : undefined;
}
