import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { serverOwnedMetadata } from '../objects/serverOwned.ts';

const identifying: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);
const ofTheServer: ReadonlySet<string> = new Set(['name', 'namespace', ...serverOwnedMetadata]);

/**
 * Returns a manifest's own fields, without the identifying fields, the status, and the metadata that the API server
 * writes.
 */
export function contentOf(manifest: JsonObject): JsonObject {
  const metadata = Object.entries(objectOf(manifest['metadata'])).filter(([name]) => !ofTheServer.has(name));
  const fields = Object.entries(manifest).filter(([name]) => !identifying.has(name));
  return Object.fromEntries(metadata.length === 0 ? fields : [['metadata', Object.fromEntries(metadata)], ...fields]);
}

/** Returns the fields that identify the object, and its apiVersion. */
export function identityOf(manifest: JsonObject): JsonObject {
  const { name, namespace } = objectOf(manifest['metadata']);
  const metadata = namespace === undefined ? { name } : { name, namespace };
  return { apiVersion: manifest['apiVersion'], kind: manifest['kind'], metadata };
}
