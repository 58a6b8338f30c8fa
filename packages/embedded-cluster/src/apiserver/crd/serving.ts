import { arrayOf, type JsonObject, objectOf } from '../../base/json.ts';
import { type KubeObject, timestamp, withMeta } from '../meta/objects.ts';
import { remove } from '../registry/delete.ts';
import type { Resource } from '../registry/resource.ts';
import { change } from '../registry/update.ts';
import type { Storage } from '../storage/storage.ts';
import { customResourceDefinitions, storedVersions } from '../strategies/customResourceDefinitions.ts';
import { customResource } from './customResource.ts';

const manager = 'kube-apiserver';

/**
 * Establishes CustomResourceDefinitions, and serves their resources `servedAfterMs` later. The deletion of a definition
 * deletes all of its objects first.
 */
export function serveCustomResources(storage: Storage, servedAfterMs: number): void {
  const served = new Map<string, Resource>();

  function current(name: string): KubeObject | undefined {
    return storage.collectionOf(customResourceDefinitions).get('', name);
  }

  function serve(name: string): void {
    const definition = current(name);
    const next = definition === undefined ? undefined : customResource(definition);
    const before = served.get(name);
    if (before !== undefined) storage.stopServing(before, next?.storage === before.storage);
    served.delete(name);
    if (next === undefined) return;
    served.set(name, next);
    storage.serve(next);
  }

  function establish(name: string): void {
    const definition = current(name);
    if (definition === undefined || isTerminating(definition)) return;
    if (!hasCondition(definition, 'Established')) {
      const status = establishedStatus(definition, timestamp(storage.clock.now()));
      const draft = { metadata: definition.metadata, status };
      change(storage, customResourceDefinitions, '', name, () => ({ ok: true, value: draft }), {
        manager,
        subresource: 'status',
      });
      if (servedAfterMs > 0) storage.clock.setTimeout(() => serve(name), servedAfterMs);
      else serve(name);
    } else if (served.has(name)) serve(name);
  }

  /** Deletes the objects. The definition is removed when the objects with finalizers are deleted, too. */
  function terminate(name: string): void {
    serve(name);
    const resource = served.get(name);
    const objects = resource === undefined ? [] : [...storage.collectionOf(resource).scan({})];
    if (resource !== undefined) {
      for (const { metadata } of objects) remove(storage, resource, metadata.namespace ?? '', metadata.name);
    }
    finish(name);
  }

  function finish(name: string): void {
    const definition = current(name);
    const resource = served.get(name);
    if (definition === undefined || !isTerminating(definition)) return;
    if (resource !== undefined && [...storage.collectionOf(resource).scan({})].length > 0) return;
    const finalizers = definition.metadata.finalizers?.filter(
      (each) => each !== customResourceDefinitions.deletionFinalizer,
    );
    if (finalizers !== undefined && finalizers.length > 0)
      storage.put(customResourceDefinitions, withMeta(definition, { finalizers }));
    else storage.remove(customResourceDefinitions, definition);
  }

  storage.onChange((resource, object, isRemoved) => {
    const { name } = object.metadata;
    if (resource === customResourceDefinitions) {
      if (isRemoved) serve(name);
      else queueMicrotask(() => (isTerminating(object) ? terminate(name) : establish(name)));
    } else if (resource.isCustom && isRemoved) queueMicrotask(() => finish(`${resource.plural}.${resource.group}`));
  });
}

function isTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function hasCondition({ status }: KubeObject, type: string): boolean {
  return arrayOf(objectOf(status)['conditions']).some((each) => objectOf(each)['type'] === type);
}

function establishedStatus({ spec }: KubeObject, lastTransitionTime: string): JsonObject {
  const { names } = objectOf(spec);
  return {
    conditions: [
      {
        type: 'NamesAccepted',
        status: 'True',
        lastTransitionTime,
        reason: 'NoConflicts',
        message: 'no conflicts found',
      },
      {
        type: 'Established',
        status: 'True',
        lastTransitionTime,
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
      },
    ],
    acceptedNames: names,
    storedVersions: storedVersions(objectOf(spec)),
  };
}
