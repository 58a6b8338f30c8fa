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
 * What a new file of a recording has to repeat of the application observer, because the files before may be gone when it
 * is replayed: the objects that its streams left behind, the schemas of kinds, and the desired state of each resource. What
 * was applied stands in the status of the applications.
 */
interface ObserverSnapshot {
  apply(entry: ObserverInput | RecordedObserverEvent): void;
  /** The lines that a new file begins with. Empty: the observer is not at work. `busy`: see `resume`. */
  lines(busy: readonly string[]): readonly ObserverInput[];
  /** An application as it was last seen, and the stream that delivered it. `id`: `namespace/name`. */
  application(id: string): { readonly stream: string; readonly object: object } | undefined;
  /** An object with all that earlier lines said of it. */
  withSpec(stream: string, object: object): object;
  applications(): Iterable<string>;
  /** The lines of a stream, as far as it was read. */
  streamLines(stream: string): readonly ObserverInput[];
  /** What was answered last to a question that is answered alike again. */
  response(to: string): RecordedObserverResponse | undefined;
  /** The last state of an object of any stream but those of applications. */
  object(kind: string, namespace: string, name: string): object | undefined;
}

type Answered = Extract<ObserverInput, { readonly in: 'response' }>;

const lasting: ReadonlySet<string> = new Set(['find', 'structure', 'account', 'access', 'patchable']);

export function createObserverSnapshot(): ObserverSnapshot {
  const streams = new Map<string, StreamSnapshot>();
  /** By question: which kinds there are, and by resource: what the API server makes of its manifest. */
  const answers = new Map<string, Answered>();
  const places = new Map<string, ObserverInput>();
  const hashes = new Map<string, ObserverInput>();
  let config: object | undefined;
  let isRunning = false;

  function streamOf(name: string): StreamSnapshot {
    const stream = streams.get(name) ?? newStreamSnapshot();
    streams.set(name, stream);
    return stream;
  }

  function recallObserved(stream: string): readonly ObserverInput[] {
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
    else applyObject(stream, whole(entry.stream, entry.object));
  }

  function applyObject({ objects, listing }: StreamSnapshot, object: object): void {
    const key = nameOf(object);
    const known = objects.get(key);
    // Another object of its name is never an older one.
    if (known === undefined || uidOf(object) !== uidOf(known) || !isOlder(object, known)) objects.set(key, object);
    listing?.add(key);
  }

  function whole(stream: string, object: object): object {
    const known = streams.get(stream)?.objects.get(nameOf(object));
    if (!isApplication(object) || 'spec' in object || known === undefined || !('spec' in known)) return object;
    return uidOf(known) === uidOf(object) ? { ...object, spec: known.spec } : object;
  }

  function applyAnswer(entry: Answered): void {
    const [what = '', ...rest] = entry.request.split(' ');
    if (entry.response.is !== 'ok') return;
    // An account that is missing, or may not see something, is asked for again and again.
    if (entry.response.value === false) answers.delete(entry.request);
    else if (lasting.has(what)) answers.set(entry.request, entry);
    else applyDesired(what, `dryRunApply ${rest.join(' ')}`, entry);
  }

  /** The response to a create is the desired state; otherwise a dry-run apply finds it out. */
  function applyDesired(what: string, to: string, entry: Answered): void {
    const value = objectOf('value' in entry.response ? entry.response.value : undefined);
    if (what === 'dryRunApply') answers.set(to, entry);
    // Of one on the live object only a part is believed.
    else if (what === 'dryRunAgain') {
      if (value['isIndependent'] === true) answers.set(to, { ...entry, request: to });
    } else if (what === 'delete') answers.delete(to);
    else if (value['isNew'] === true) {
      const tried = { object: value['object'], isIndependent: true };
      answers.set(to, { in: 'response', request: to, response: { is: 'ok', value: tried } });
    }
  }

  function begin(its: object): void {
    for (const known of [streams, answers, hashes]) known.clear();
    config = its;
    isRunning = false;
  }

  function applyLife(entry: ObserverInput): void {
    if (entry.in === 'created') begin(entry.config);
    else if (entry.in === 'config') config = entry.config;
    else if (entry.in === 'start' || entry.in === 'stop') isRunning = entry.in === 'start';
  }

  return {
    apply(entry) {
      if ('out' in entry) return;
      applyLife(entry);
      if (entry.in === 'schemaNode') places.set(JSON.stringify([entry.kind, ...entry.path]), entry);
      else if (entry.in === 'hash') hashes.set(entry.of, entry);
      else if (entry.in === 'response') applyAnswer(entry);
      else if ('stream' in entry) applyStream(entry);
    },
    lines(busy) {
      if (config === undefined) return [];
      return [
        { in: 'created', config },
        ...(isRunning ? [{ in: 'start' } as const] : []),
        ...places.values(),
        ...hashes.values(),
        ...answers.values(),
        ...[...streams.keys()].flatMap(recallObserved),
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
    withSpec: whole,
    streamLines(name) {
      return recallObserved(name);
    },
    *applications() {
      for (const { objects } of streams.values())
        for (const [id, object] of objects) if (isApplication(object)) yield id;
    },
    response: (to) => answers.get(to)?.response,
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
