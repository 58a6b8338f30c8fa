import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { annotationName, labelName } from '../objects/fieldManagers.ts';
import { keepLive } from '../ownership/keptFields.ts';
import { ownershipOf, uidOf, versionOf } from '../ownership/ownership.ts';
import type { ApplyBodies, ResourcePlan } from '../plan/resourceApi.ts';
import { fillAtomics, hasPartlyObservedAtomics } from './atomicValues.ts';
import { withOwnFields } from './ownFields.ts';
import { split } from './split.ts';

export function bodiesOf({ manifest, mask, topology, owner }: ResourcePlan): ApplyBodies {
  const { whole, observed, unobserved } = split(manifest, mask, topology);
  const { namespace, name } = manifest.identity;
  const claim = { labels: { [labelName]: owner.label }, annotations: { [annotationName]: owner.name } };
  return {
    whole: withMetadata(whole, claim),
    observed: withMetadata(observed, claim),
    unobserved,
    nothing: {
      apiVersion: manifest.apiVersion,
      kind: manifest.identity.kind,
      metadata: { name, ...(namespace === '' ? {} : { namespace }) },
    },
  };
}

/**
 * Restricts an apply to this object by its uid. If the object does not exist, the API server responds with 409 and
 * creates nothing.
 */
export function onlyTo(body: JsonObject, live: JsonObject): JsonObject {
  return { ...body, metadata: { ...objectOf(body['metadata']), uid: uidOf(live) } };
}

/**
 * Returns the observed fields for this object. An atomic value of which only a part is observed is filled in from the
 * live object, and so are unobserved fields that would be deleted; then the resource version must match. The version
 * must also match if the object has lost its label, because another application may have claimed it and its label must
 * not be forced.
 */
export function observedFor(live: JsonObject, bodies: ApplyBodies, plan: ResourcePlan): JsonObject {
  const { manifest, mask, topology, owner } = plan;
  const observed = withOwnFields(bodies, live, plan);
  const isFilled = hasPartlyObservedAtomics(manifest.object, mask, topology);
  const isOwned = ownershipOf(live, owner).type === 'ours';
  const filled = isFilled ? fillAtomics(observed, manifest.object, live, mask, topology) : observed;
  const body = onlyTo(keepLive(filled, live, plan), live);
  if (!isFilled && isOwned && observed === bodies.observed) return body;
  return { ...body, metadata: { ...objectOf(body['metadata']), resourceVersion: versionOf(live) } };
}

function withMetadata(body: JsonObject, more: { readonly labels: JsonObject; readonly annotations: JsonObject }) {
  const metadata = objectOf(body['metadata']);
  const labels = { ...objectOf(metadata['labels']), ...more.labels };
  const annotations = { ...objectOf(metadata['annotations']), ...more.annotations };
  return { ...body, metadata: { ...metadata, labels, annotations } };
}
