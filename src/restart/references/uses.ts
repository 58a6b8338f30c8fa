import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { nameIn, shortTextIn } from '@weeder/kube-runtime/objects';
import { type SourceKind, type SourceRef, sourceKey } from './refs.ts';

/** One way in which the pods of a workload use a source. */
export interface Use {
  readonly source: SourceRef;
  /** Undefined: all keys of the source. */
  readonly key: string | undefined;
  /**
   * `unmounted`: a required volume that no container mounts. No container reads its content, but no pod starts without
   * it. `annotation`: declared by the workload in `weeder.dev/also-depends-on`.
   */
  readonly how: 'env' | 'envFrom' | 'volume' | 'unmounted' | 'imagePullSecret' | 'annotation';
  /** Pods start without the source. */
  readonly isOptional: boolean;
  /** The containers that use it, including init containers and sidecars; empty if the pod as a whole uses it. */
  readonly containers: readonly string[];
}

/** Of the name of an object, and of a key. */
const longestName = 253;
/** Bytes of a name that no object can have: enough to recognise it, in a source that is missing in any case. */
const longestWrongName = 64;

/** A reference in the pod template. The rest of a use follows from the place of the reference. */
type Reference = Pick<Use, 'source' | 'key' | 'isOptional'>;

/**
 * Finds the ConfigMaps and Secrets that a pod template (`metadata` and `spec`) uses. Not followed: Secrets of storage
 * drivers, image pull secrets of the ServiceAccount, and everything outside of the template.
 */
export function usesOf(
  template: JsonObject,
  namespace: string,
  { imagePullSecrets }: { readonly imagePullSecrets: 'ignore' | 'hash' },
): Use[] {
  const spec = objectOf(template['spec']);
  const containers = [...arrayOf(spec['initContainers']), ...arrayOf(spec['containers'])].map(objectOf);
  return merged([
    ...containers.flatMap((container) => usesOfEnv(container, namespace)),
    ...arrayOf(spec['volumes']).flatMap((volume) => usesOfVolume(objectOf(volume), containers, namespace)),
    ...(imagePullSecrets === 'hash' ? usesOfImagePullSecrets(spec, namespace) : []),
  ]);
}

function usesOfEnv(container: JsonObject, namespace: string): Use[] {
  const containers = [nameIn(container['name']) ?? ''];
  const byKey = arrayOf(container['env']).flatMap((variable) => {
    const { configMapKeyRef, secretKeyRef } = objectOf(objectOf(variable)['valueFrom']);
    return [...keyRef('ConfigMap', configMapKeyRef, namespace), ...keyRef('Secret', secretKeyRef, namespace)];
  });
  const whole = arrayOf(container['envFrom']).flatMap((envFrom) => {
    const { configMapRef, secretRef } = objectOf(envFrom);
    return [...wholeRef('ConfigMap', configMapRef, namespace), ...wholeRef('Secret', secretRef, namespace)];
  });
  return [
    ...byKey.map((reference): Use => ({ ...reference, how: 'env', containers })),
    ...whole.map((reference): Use => ({ ...reference, how: 'envFrom', containers })),
  ];
}

function usesOfVolume(volume: JsonObject, containers: readonly JsonObject[], namespace: string): Use[] {
  const { secretName, ...secret } = objectOf(volume['secret']);
  const references = [
    ...itemRefs('ConfigMap', volume['configMap'], namespace),
    ...itemRefs('Secret', { ...secret, name: secretName }, namespace),
    ...arrayOf(objectOf(volume['projected'])['sources']).flatMap((source) => [
      ...itemRefs('ConfigMap', objectOf(source)['configMap'], namespace),
      ...itemRefs('Secret', objectOf(source)['secret'], namespace),
    ]),
  ];
  const mounting = containers
    .filter((container) =>
      arrayOf(container['volumeMounts']).some((mount) => objectOf(mount)['name'] === volume['name']),
    )
    .map((container) => nameIn(container['name']) ?? '');
  if (mounting.length > 0) return references.map((each) => ({ ...each, how: 'volume', containers: mounting }));
  return references.filter((each) => !each.isOptional).map((each) => ({ ...each, how: 'unmounted', containers: [] }));
}

/**
 * Image pull secrets count as required: without one, a pod starts only if its image is on the node already or needs no
 * secret.
 */
function usesOfImagePullSecrets(spec: JsonObject, namespace: string): Use[] {
  return arrayOf(spec['imagePullSecrets'])
    .flatMap((each) => wholeRef('Secret', { name: objectOf(each)['name'] }, namespace))
    .map((reference) => ({ ...reference, how: 'imagePullSecret', containers: [] }));
}

function wholeRef(kind: SourceKind, reference: unknown, namespace: string): Reference[] {
  const { name, optional } = objectOf(reference);
  // The API accepts empty names; they refer to nothing.
  const text = shortened(name);
  if (text === undefined || text === '') return [];
  return [{ source: { kind, namespace, name: text }, key: undefined, isOptional: optional === true }];
}

function shortened(name: unknown): string | undefined {
  return typeof name === 'string' && name.length <= longestName ? name : shortTextIn(name, longestWrongName);
}

function keyRef(kind: SourceKind, reference: unknown, namespace: string): Reference[] {
  const key = shortened(objectOf(reference)['key']);
  if (key === undefined) return [];
  return wholeRef(kind, reference, namespace).map((whole) => ({ ...whole, key }));
}

/** No items, or an empty list of items, means every key. */
function itemRefs(kind: SourceKind, reference: unknown, namespace: string): Reference[] {
  const items = arrayOf(objectOf(reference)['items']);
  if (items.length === 0) return wholeRef(kind, reference, namespace);
  return items.flatMap((item) => keyRef(kind, { ...objectOf(reference), key: objectOf(item)['key'] }, namespace));
}

/** Merges the uses of several containers that use the same source in the same way. */
function merged(uses: readonly Use[]): Use[] {
  const groups = Map.groupBy(uses, ({ source, key, how, isOptional }) =>
    JSON.stringify([sourceKey(source), key, how, isOptional]),
  );
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const containers = new Set([first, ...others].flatMap((use) => use.containers));
    return [{ ...first, containers: [...containers] }];
  });
}
