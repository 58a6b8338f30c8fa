import { objectOf, textOf } from '../../base/json.ts';
import {
  endList,
  isOlder,
  nameOf,
  newStreamSnapshot,
  type StreamSnapshot,
  streamLines,
} from '../file/streamSnapshot.ts';
import type { RecordedRestartEvent } from './recordedRestartEvent.ts';
import type { RestartInput } from './restartLines.ts';

/**
 * What a new file of a recording has to repeat of restart control, because earlier files may be deleted before the
 * replay: the objects of the streams, the ids of the keys, and the tags of the used sources. The state of a workload is
 * stored on the workload itself.
 */
interface RestartSnapshot {
  apply(entry: RestartInput | RecordedRestartEvent): void;
  /** The first lines of a new file; empty if restart control is off. `busy`: the workloads that have not settled. */
  lines(busy: readonly string[]): readonly RestartInput[];
  /** The last version of a workload, by its `workloadKey`, and the stream that delivered it. */
  workload(id: string): { readonly stream: string; readonly object: object } | undefined;
}

type Answered = Extract<RestartInput, { readonly in: 'response' }>;

export function createRestartSnapshot(): RestartSnapshot {
  /** In their original order: the streams of single sources are opened once the keys are known. */
  const steps = new Map<string, StreamSnapshot | RestartInput>();
  /** By source, and by request without the version. */
  const digests = new Map<string, Map<string, Answered>>();
  const hashes = new Map<string, RestartInput>();
  let config: object | undefined;
  let isRunning = false;

  function begin(its: object): void {
    for (const known of [steps, digests, hashes]) known.clear();
    config = its;
    isRunning = false;
  }

  function streamOf(name: string): StreamSnapshot {
    const known = steps.get(name);
    if (known !== undefined && 'objects' in known) return known;
    const stream = newStreamSnapshot();
    steps.set(name, stream);
    return stream;
  }

  function applyStream(entry: Extract<RestartInput, { readonly stream: string }>): void {
    const stream = streamOf(entry.stream);
    if (entry.in === 'begin') stream.listing = new Set();
    else if (entry.in === 'end') endList(stream, entry);
    else if (entry.in === 'DELETED') {
      stream.objects.delete(uidOf(entry.object));
      digests.delete(sourceIn(entry.stream, entry.object));
    } else applyObject(stream, entry.object);
  }

  function applyObject({ objects, listing }: StreamSnapshot, object: object): void {
    const uid = uidOf(object);
    if (!isOlder(object, objects.get(uid))) objects.set(uid, object);
    listing?.add(uid);
  }

  /** The response to a write precedes the change in the stream. */
  function applyWritten(object: object): void {
    const uid = uidOf(object);
    for (const stream of steps.values()) {
      if (!('objects' in stream) || !stream.objects.has(uid)) continue;
      if (!isOlder(object, stream.objects.get(uid))) stream.objects.set(uid, object);
    }
  }

  function applyAnswer(entry: Answered): void {
    const [what = '', about = ''] = entry.request.split(' ');
    if (what === 'digest') {
      const known = digests.get(about) ?? new Map<string, Answered>();
      digests.set(about, known.set(entry.request.slice(0, entry.request.lastIndexOf(' ')), entry));
    } else if ((what === 'patch' || what === 'read') && entry.response.is === 'ok')
      applyWritten(objectOf(entry.response.value));
  }

  function applyLifecycle(entry: RestartInput): void {
    if (entry.in === 'created') begin(entry.config);
    else if (entry.in === 'config') config = entry.config;
    else if (entry.in === 'start' || entry.in === 'stop') isRunning = entry.in === 'start';
  }

  return {
    apply(entry) {
      if ('out' in entry) return;
      applyLifecycle(entry);
      if (entry.in === 'keys' || entry.in === 'keysRead') steps.set(entry.in, entry);
      else if (entry.in === 'hash') hashes.set(entry.request.split(' ')[1] ?? '', entry);
      else if (entry.in === 'response') applyAnswer(entry);
      else if ('stream' in entry) applyStream(entry);
    },
    lines(busy) {
      if (config === undefined) return [];
      return [
        { in: 'created', config },
        ...(isRunning ? [{ in: 'start' } as const] : []),
        ...[...digests.values()].flatMap((known) => [...known.values()]),
        ...hashes.values(),
        ...[...steps].flatMap(([name, step]) => ('objects' in step ? streamLines(name, step) : step)),
        { in: 'snapshotEnd', busy },
      ];
    },
    workload(id) {
      const [kind = '', ...name] = id.split('/');
      for (const [stream, step] of steps) {
        if (!('objects' in step) || stream.split(' ')[0] !== `${kind}s`) continue;
        for (const object of step.objects.values()) if (nameOf(object) === name.join('/')) return { stream, object };
      }
      return undefined;
    },
  };
}

function uidOf(object: object): string {
  return textOf(objectOf(objectOf(object)['metadata'])['uid']) ?? nameOf(object);
}

/** Returns the `sourceKey` of an object by the name of its stream; for a workload, a key that no source has. */
function sourceIn(stream: string, object: object): string {
  return `${stream.startsWith('secrets') ? 'secret' : stream.replace(/s\b.*/, '')}/${nameOf(object)}`;
}
