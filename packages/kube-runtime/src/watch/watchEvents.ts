import { parseJson } from '../base/exactInteger.ts';
import { isObject, type JsonObject, objectOf, textOf } from '../base/json.ts';
import { type ApiFailure, classifyStatus } from '../client/failure.ts';
import { isAtLeast } from '../objects/resourceVersion.ts';
import { type ChangeType, readLineMetadata } from './metadataFastPath.ts';
import { type Reading, wireKind } from './objectForm.ts';
import type { ObjectSink } from './sink.ts';
import { takeObject, unprocessed } from './takeObject.ts';

/** The result of one line of a watch. */
export type LineOutcome =
  /** A change was applied, or was irrelevant. */
  | 'changed'
  /** A bookmark: only the position changed. */
  | 'progressed'
  /** The bookmark that ends the complete state. */
  | 'complete'
  /** One object cannot be read: it is omitted, and the stream continues with the others. */
  | { readonly unreadable: string }
  /** Not a watch event of the expected kind, or truncated. */
  | { readonly garbled: string }
  /** A bookmark older than the position: versions went back. */
  | 'wentBack'
  /** The server cannot continue the watch. */
  | { readonly failure: ApiFailure };

/** Reads a watch's lines in order, passes the objects to the sink, and tracks the position. */
interface WatchReader {
  read(line: Buffer): LineOutcome;
  /** The resourceVersion of the last line that was read completely. */
  readonly position: string | undefined;
}

/** Marks the bookmark that ends the complete state (KEP 3157). */
const lastInitialEvent = 'k8s.io/initial-events-end';

/** `start` is where the watch resumes; undefined if it begins with the complete state. */
export function watchReader(reading: Reading, sink: ObjectSink, start: string | undefined): WatchReader {
  const kind = wireKind(reading);
  /** The bytes of an object that is to be reduced must not be passed on. */
  const hasFastPath = sink.isIrrelevant !== undefined && reading.reduce === undefined;
  let position = start;

  function apply(type: ChangeType, object: JsonObject): LineOutcome {
    if (object['kind'] !== kind)
      return { garbled: `an object of kind ${textOf(object['kind']) ?? '(none)'} instead of ${kind}` };
    const taken = takeObject(reading, sink, type, object);
    if ('resourceVersion' in taken) position = taken.resourceVersion;
    return taken.unreadable === undefined ? 'changed' : { unreadable: taken.unreadable };
  }

  function bookmark(object: JsonObject): LineOutcome {
    const metadata = objectOf(object['metadata']);
    const resourceVersion = textOf(metadata['resourceVersion']);
    if (!resourceVersion) return { garbled: 'a bookmark without a version' };
    if (start !== undefined && !isAtLeast(resourceVersion, position)) return 'wentBack';
    position = resourceVersion;
    return objectOf(metadata['annotations'])[lastInitialEvent] === 'true' ? 'complete' : 'progressed';
  }

  function parsed(line: Buffer): LineOutcome {
    const event = parseObject(line);
    const object = event?.['object'];
    if (!isObject(object)) return { garbled: 'a line that is not a watch event' };
    const type = event?.['type'];
    switch (type) {
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
        return apply(type, object);
      case 'BOOKMARK':
        return bookmark(object);
      case 'ERROR':
        return { failure: classifyStatus(object) };
      default:
        return { garbled: 'an event of an unknown type' };
    }
  }

  return {
    read(line) {
      const metadata = hasFastPath ? readLineMetadata(line) : undefined;
      if (metadata === undefined || metadata.kind !== kind) return parsed(line);
      let outcome: LineOutcome = 'changed';
      try {
        if (sink.isIrrelevant?.(line, metadata) !== true) return parsed(line);
      } catch (error) {
        outcome = { unreadable: unprocessed(kind, metadata, error) };
      }
      position = metadata.resourceVersion;
      return outcome;
    },
    get position() {
      return position;
    },
  };
}

function parseObject(line: Buffer): JsonObject | undefined {
  try {
    const event = parseJson(line.toString('utf8'));
    return isObject(event) ? event : undefined;
  } catch {
    return undefined;
  }
}
