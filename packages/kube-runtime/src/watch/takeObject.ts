import { type JsonObject, objectOf } from '../base/json.ts';
import { messageOf } from '../base/result.ts';
import { versionOf } from '../objects/identity.ts';
import type { ChangeType } from './metadataFastPath.ts';
import { type Reading, reduced } from './objectForm.ts';
import type { ObjectSink } from './sink.ts';

/** Objects whose names the API server would not accept are none of its own. */
const unidentified = 'an object without a name, uid or resourceVersion';

interface NamedMeta {
  readonly namespace?: unknown;
  readonly name?: unknown;
}

/** The version of the object that the sink has, or why it is left out. */
type Taken = { readonly resourceVersion: string; readonly unreadable?: string } | { readonly unreadable: string };

/**
 * Passes one object to the sink. An object that cannot be identified, or that the sink cannot process, does not affect
 * the others: it would come again with each list, and nothing after it would ever be read.
 */
export function takeObject(reading: Reading, sink: ObjectSink, type: ChangeType, object: JsonObject): Taken {
  const resourceVersion = versionOf(object);
  if (resourceVersion === undefined) return { unreadable: unidentified };
  try {
    sink.apply(type, reduced(reading, object));
    return { resourceVersion };
  } catch (error) {
    return { resourceVersion, unreadable: unprocessed(reading.kind, objectOf(object['metadata']), error) };
  }
}

/** Why an object is left out that the sink could not process. */
export function unprocessed(kind: string, { namespace, name }: NamedMeta, error: unknown): string {
  const where = [namespace, name].filter((part) => part !== undefined).join('/');
  return `${kind} ${where}: ${messageOf(error)}`;
}
