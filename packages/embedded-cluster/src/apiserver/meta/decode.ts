import { isObject, type JsonObject } from '../../base/json.ts';
import { failed, ok } from '../../base/result.ts';
import { apiVersionOf, type Resource } from '../registry/resource.ts';
import type { Draft } from './objects.ts';
import { badRequest, type Outcome } from './status.ts';

/** Parses the JSON of a body. Fails with 400. */
export function parseBody(text: string, what: string): Outcome<unknown> {
  try {
    const body: unknown = JSON.parse(text);
    return ok(body);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return failed(badRequest(`${what}: json parse error: ${reason}`));
  }
}

/** Decodes an object of the resource. Fails with 400 for another kind or fields of the wrong type. */
export function decode(resource: Resource, body: unknown): Outcome<Draft> {
  const { kind } = resource;
  if (!isObject(body)) {
    return failed(
      badRequest(`the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind`),
    );
  }
  const error = kindError(resource, body) ?? metadataError(body['metadata']) ?? resource.decodeError(body);
  if (error !== undefined) {
    return failed(badRequest(`${kind} in version "${resource.version}" cannot be handled as a ${kind}: ${error}`));
  }
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...fields } = body;
  const typed = resource.owners === 'always' ? resource.canonical(fields) : fields;
  const stored = resource.view === undefined ? withoutNulls(typed) : resource.view.toStored(fields);
  return ok({ ...stored, metadata: isObject(metadata) ? metadata : {} });
}

/** For all kinds except Events a null counts as absent. */
function withoutNulls(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function kindError(resource: Resource, { kind, apiVersion }: JsonObject): string | undefined {
  if (kind !== undefined && kind !== '' && kind !== resource.kind) return `it is a ${String(kind)}`;
  const version = apiVersionOf(resource);
  if (apiVersion === undefined || apiVersion === '' || apiVersion === version) return undefined;
  return `no kind "${resource.kind}" is registered for version "${String(apiVersion)}"`;
}

function metadataError(metadata: unknown): string | undefined {
  if (metadata === undefined || metadata === null) return undefined;
  if (!isObject(metadata)) return wrongType('metadata', 'an object');
  const texts = ['name', 'generateName', 'namespace', 'uid', 'resourceVersion', 'deletionTimestamp'] as const;
  for (const field of texts) {
    if (!isAbsent(metadata[field]) && typeof metadata[field] !== 'string') return wrongType(field, 'a string');
  }
  for (const field of ['labels', 'annotations'] as const) {
    if (!isAbsent(metadata[field]) && !isTextMap(metadata[field])) return wrongType(field, 'a map of strings');
  }
  for (const field of ['ownerReferences', 'finalizers', 'managedFields'] as const) {
    if (!isAbsent(metadata[field]) && !Array.isArray(metadata[field])) return wrongType(field, 'a list');
  }
  return undefined;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function isTextMap(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((each) => typeof each === 'string');
}

function wrongType(field: string, expected: string): string {
  return `json: cannot unmarshal the field ${field} of ObjectMeta, which has to be ${expected}`;
}
