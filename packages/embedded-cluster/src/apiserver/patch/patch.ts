import { isObject, type JsonObject } from '../../base/json.ts';
import { failed, ok } from '../../base/result.ts';
import { decode } from '../meta/decode.ts';
import { wireObject } from '../meta/encode.ts';
import { badRequest, failure, type Outcome } from '../meta/status.ts';
import type { WriteOptions } from '../registry/assemble.ts';
import type { Resource } from '../registry/resource.ts';
import { change, type Updated } from '../registry/update.ts';
import type { Storage } from '../storage/storage.ts';
import { jsonPatch } from './jsonPatch.ts';
import { mergePatch } from './mergePatch.ts';
import { strategicPatch } from './strategicPatch.ts';

/** The types of patches by media type, without apply. */
const patchTypes = {
  'application/merge-patch+json': byObject((_resource, target, body) => mergePatch(target, body)),
  'application/strategic-merge-patch+json': byObject(({ shape }, target, body) => strategicPatch(shape, target, body)),
  'application/json-patch+json': byOperations,
} as const;

export type PatchType = keyof typeof patchTypes;

/** Patches an object (PATCH). Fails with 400, 404, 409, 422. */
export function patch(
  storage: Storage,
  resource: Resource,
  namespace: string,
  name: string,
  type: PatchType,
  body: unknown,
  options: WriteOptions = {},
): Outcome<Updated> {
  return change(
    storage,
    resource,
    namespace,
    name,
    (current) => {
      const patched = patchTypes[type](wireObject(resource, current), body, resource);
      return patched.ok ? decode(resource, patched.value) : patched;
    },
    options,
  );
}

function byObject(merge: (resource: Resource, target: unknown, body: JsonObject) => JsonObject) {
  return (target: JsonObject, body: unknown, resource: Resource): Outcome<JsonObject> => {
    if (isObject(body)) return ok(merge(resource, target, body));
    return failed(badRequest('error decoding patch: json: the patch is not an object'));
  };
}

function byOperations(target: JsonObject, body: unknown): Outcome<JsonObject> {
  if (!Array.isArray(body)) return failed(badRequest('error decoding patch: json: the patch is not a list'));
  const patched = jsonPatch(target, body);
  if (patched !== undefined) return ok(patched);
  return failed(failure(422, 'Invalid', 'the server rejected our request due to an error in our request', {}));
}
