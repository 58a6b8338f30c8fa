import { isObject, type JsonObject, objectOf } from '../base/json.ts';
import type { LineMetadata } from './metadataFastPath.ts';

/** kube-apiserver writes it last (ObjectMeta in api/meta/v1), and no value that a user controls contains these bytes. */
const managedFields = Buffer.from(',"managedFields":[');

/**
 * The metadata of the object in a watch line, without the managed fields, and without parsing the rest of the line:
 * an object that has only `metadata`. Undefined: the line has to be parsed. `about`: what its first bytes say.
 */
export function readMetadataHead(line: Buffer, about: LineMetadata): { readonly metadata: JsonObject } | undefined {
  const end = line.indexOf(managedFields);
  if (end === -1) return undefined;
  try {
    const event: unknown = JSON.parse(`${line.toString('utf8', 0, end)}}}}`);
    const metadata = objectOf(objectOf(event)['object'])['metadata'];
    return isObject(metadata) && metadata['uid'] === about.uid ? { metadata } : undefined;
  } catch {
    return undefined;
  }
}
