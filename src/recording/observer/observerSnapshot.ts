import { objectOf, textOf } from '../../base/json.ts';
import {
  endList,
  isOlder,
  nameOf,
  newStreamSnapshot,
  type StreamSnapshot,
  streamLines,
} from '../file/streamSnapshot.ts';
import type { ObserverInput, RecordedObserverResponse } from './observerLines.ts';
import type { RecordedObserverEvent } from './recordedObserverEvent.ts';

/**
 * What a new file of a recording has to repeat of the application observer, because earlier files may be deleted before
 * the replay: the objects of the streams, the schemas of kinds, and the desired state of each resource. What was
 * applied is stored in the status of the applications.
 */
interface ObserverSnapshot {
  apply(entry: ObserverInput | RecordedObserverEvent): void;
  /** The first lines of a new file; empty if the observer is off. `busy`: the applications that have not settled. */
  lines(busy: readonly string[]): readonly ObserverInput[];
  /** The last version of an application, and the stream that delivered it. `id`: `namespace/name`. */
  application(id: string): { readonly stream: string; readonly object: object } | undefined;
  /** Returns the object with the spec from an earlier line, if it has none itself. */
  withSpec(stream: string, object: object): object;
  applications(): Iterable<string>;
  /** Returns the lines that restore a stream. */
  streamLines(stream: string): readonly ObserverInput[];
  /** Returns the last response to a request, if it is valid for later requests as well. */
  response(to: string): RecordedObserverResponse | undefined;
  /** Returns the last version of an object of any stream. */
  object(kind: string, namespace: string, name: string): object | undefined;
}

type RecordedResponse = Extract<ObserverInput, { readonly in: 'response' }>;

const lasting: ReadonlySet<string> = new Set(['find', 'structure', 'account', 'access', 'patchable']);

export function createObserverSnapshot(): ObserverSnapshot {
  const streams = new Map<string, StreamSnapshot>();
  /**
   * By request: the responses about kinds and accounts, and for each resource the API server's response to its
   * manifest.
   */
  const responses = new Map<string, RecordedResponse>();
  const schemaNodes = new Map<string, ObserverInput>();
  const hashes = new Map<string, ObserverInput>();
  let config: object | undefined;
  let isRunning = false;

  function streamOf(name: string): StreamSnapshot {
    const stream = streams.get(name) ?? newStreamSnapshot();
    streams.set(name, stream);
    return stream;
  }

  function linesOfStream(stream: string): readonly ObserverInput[] {
    const known = streams.get(stream);
    if (known === undefined) return [];
    const lines = streamLines(stream, known);
    return known.isLost ? [...lines, { in: 'lost', stream }] : lines;
  }

  function applyStream(entry: Extract<ObserverInput, { readonly stream: string }>): void {
    if (entry.in === 'closed') {
      streams.delete(entry.stream);
      return;
    }
    const stream = streamOf(entry.stream);
    if (entry.in === 'lost') stream.isLost = true;
    else if (entry.in === 'resumed') stream.isLost = false;
    else if (entry.in === 'begin') stream.listing = new Set();
    else if (entry.in === 'end') endList(stream, entry);
    else if (entry.in === 'DELETED') stream.objects.delete(nameOf(entry.object));
    else applyObject(stream, completed(entry.stream, entry.object));
  }

  function applyObject({ objects, listing }: StreamSnapshot, object: object): void {
    const key = nameOf(object);
    const known = objects.get(key);
    // An object with another uid is never older.
    if (known === undefined || uidOf(object) !== uidOf(known) || !isOlder(object, known)) objects.set(key, object);
    listing?.add(key);
  }

  function completed(stream: string, object: object): object {
    const known = streams.get(stream)?.objects.get(nameOf(object));
    if (!isApplication(object) || 'spec' in object || known === undefined || !('spec' in known)) return object;
    return uidOf(known) === uidOf(object) ? { ...object, spec: known.spec } : object;
  }

  function applyResponse(entry: RecordedResponse): void {
    const [what = '', ...rest] = entry.request.split(' ');
    if (entry.response.is !== 'ok') return;
    // A negative response about an account is not valid for later requests.
    if (entry.response.value === false) responses.delete(entry.request);
    else if (lasting.has(what)) responses.set(entry.request, entry);
    else applyDesired(what, `dryRunApply ${rest.join(' ')}`, entry);
  }

  /** The response to a create determines the desired state; otherwise a dry-run apply does. */
  function applyDesired(what: string, to: string, entry: RecordedResponse): void {
    const value = objectOf('value' in entry.response ? entry.response.value : undefined);
    if (what === 'dryRunApply') responses.set(to, entry);
    // A dry run on the live object is trusted only in part.
    else if (what === 'dryRunAgain') {
      if (value['isIndependent'] === true) responses.set(to, { ...entry, request: to });
    } else if (what === 'delete') responses.delete(to);
    else if (value['isNew'] === true) {
      const tried = { object: value['object'], isIndependent: true };
      responses.set(to, { in: 'response', request: to, response: { is: 'ok', value: tried } });
    }
  }

  function begin(its: object): void {
    for (const known of [streams, responses, hashes]) known.clear();
    config = its;
    isRunning = false;
  }

  function applyLifecycle(entry: ObserverInput): void {
    if (entry.in === 'created') begin(entry.config);
    else if (entry.in === 'config') config = entry.config;
    else if (entry.in === 'start' || entry.in === 'stop') isRunning = entry.in === 'start';
  }

  return {
    apply(entry) {
      if ('out' in entry) return;
      applyLifecycle(entry);
      if (entry.in === 'schemaNode') schemaNodes.set(JSON.stringify([entry.kind, ...entry.path]), entry);
      else if (entry.in === 'hash') hashes.set(entry.of, entry);
      else if (entry.in === 'response') applyResponse(entry);
      else if ('stream' in entry) applyStream(entry);
    },
    lines(busy) {
      if (config === undefined) return [];
      return [
        { in: 'created', config },
        ...(isRunning ? [{ in: 'start' } as const] : []),
        ...schemaNodes.values(),
        ...hashes.values(),
        ...responses.values(),
        ...[...streams.keys()].flatMap(linesOfStream),
        { in: 'snapshotEnd', busy },
      ];
    },
    application(id) {
      for (const [stream, { objects }] of streams) {
        const object = objects.get(id);
        if (object !== undefined && isApplication(object)) return { stream, object };
      }
      return undefined;
    },
    withSpec: completed,
    streamLines(name) {
      return linesOfStream(name);
    },
    *applications() {
      for (const { objects } of streams.values())
        for (const [id, object] of objects) if (isApplication(object)) yield id;
    },
    response: (to) => responses.get(to)?.response,
    object(kind, namespace, name) {
      for (const { objects } of streams.values()) {
        const object = objects.get(`${namespace}/${name}`);
        if (object !== undefined && objectOf(object)['kind'] === kind) return object;
      }
      return undefined;
    },
  };
}

function isApplication(object: object): boolean {
  return objectOf(object)['kind'] === 'Application';
}

function uidOf(object: object): string {
  return textOf(objectOf(objectOf(object)['metadata'])['uid']) ?? '';
}
