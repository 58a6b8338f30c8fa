import { type JsonObject, numberOf, objectOf } from '../../base/json.ts';
import { failed, ok } from '../../base/result.ts';
import type { KubeObject } from '../meta/objects.ts';
import { fieldError, invalid, notFound, type Outcome } from '../meta/status.ts';
import type { Storage } from '../storage/storage.ts';
import type { WriteOptions } from './assemble.ts';
import type { Resource } from './resource.ts';
import { change } from './update.ts';

/** Returns the Scale of a workload, through which autoscalers read and set the replicas. */
export function scaleOf({ metadata, spec, status }: KubeObject): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const { replicas, selector } = objectOf(spec);
  const labels = Object.entries(objectOf(objectOf(selector)['matchLabels']));
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: numberOf(replicas) ?? 0 },
    status: {
      replicas: numberOf(objectOf(status)['replicas']) ?? 0,
      selector: labels.map(([key, value]) => `${key}=${String(value)}`).join(','),
    },
  };
}

/** Sets the replicas to those of the Scale that `scaleFrom` returns. Fails with 404, 409 (another version), 422. */
export function changeScale(
  storage: Storage,
  resource: Resource,
  namespace: string,
  name: string,
  scaleFrom: (scale: JsonObject) => Outcome<JsonObject>,
  options: WriteOptions,
): Outcome<JsonObject> {
  const current = storage.collectionOf(resource).get(namespace, name);
  if (current === undefined) return failed(notFound(resource, name));
  const scale = scaleFrom(scaleOf(current));
  if (!scale.ok) return scale;
  const replicas = objectOf(scale.value['spec'])['replicas'] ?? 0;
  if (typeof replicas !== 'number' || replicas < 0) {
    const why = 'must be greater than or equal to 0';
    const about = { group: 'autoscaling', plural: 'scales', kind: 'Scale' };
    return failed(invalid(about, name, [fieldError.invalid('spec.replicas', replicas, why)]));
  }
  const { resourceVersion } = objectOf(scale.value['metadata']);
  const changed = change(
    storage,
    resource,
    namespace,
    name,
    ({ metadata, ...fields }) => {
      const version = typeof resourceVersion === 'string' ? resourceVersion : '';
      return ok({
        ...fields,
        metadata: { ...metadata, resourceVersion: version },
        spec: { ...objectOf(fields['spec']), replicas },
      });
    },
    { ...options, subresource: 'scale' },
  );
  return changed.ok ? ok(scaleOf(changed.value.object)) : changed;
}
