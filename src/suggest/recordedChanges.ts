import { type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import type { ChangeType } from '@weeder/kube-runtime/watch';
import type { StreamInput } from '../recording/file/entry.ts';
import { mergeEvents } from '../replay/recorded/mergeEvents.ts';
import type { RecordingFile } from '../replay/recorded/recordingFile.ts';
import type { EventFile } from '../replay/recorded/watchEvent.ts';
import { crashLooping } from '../weeder/pods/crashLooping.ts';
import { failedCreates } from '../weeder/streamPlan.ts';

/** A change of what is known about a pod or an EndpointSlice. */
export interface RecordedChange {
  /** Milliseconds. */
  readonly at: number;
  readonly kind: 'Pod' | 'EndpointSlice';
  readonly object: JsonObject;
  /** Of a slice: it was deleted. Of a pod: it was deleted, or does not crash-loop. */
  readonly isOver: boolean;
}

/** The changes in watch events. */
export function changesOfEvents(files: readonly EventFile[]): RecordedChange[] {
  const listed = files.flatMap((file) => file.listed).toSorted((a, b) => a.at - b.at);
  const events = mergeEvents([listed, ...files.map((file) => file.changes)]);
  return events.map(({ at, type, kind, object }) => ({ at, kind, object, isOver: isOver(type, kind, object) }));
}

function isOver(type: ChangeType, kind: RecordedChange['kind'], object: JsonObject): boolean {
  return type === 'DELETED' || (kind === 'Pod' && crashLooping(object) === undefined);
}

/** The changes in a recording, which contains pods only while they crash-loop. */
export function changesOfRecording({ lines }: Pick<RecordingFile, 'lines'>): RecordedChange[] {
  const streams = new Map<string, RecordedStream>();
  return lines.flatMap((line) => {
    if (line.of !== 'weeder' || !('stream' in line) || line.stream.startsWith(failedCreates)) return [];
    const stream = streams.get(line.stream) ?? { objects: new Map(), unseen: new Map() };
    streams.set(line.stream, stream);
    const kind = line.stream.startsWith('endpointslices') ? 'EndpointSlice' : 'Pod';
    return changesIn(stream, line).map((change) => ({ at: line.t, kind, ...change }));
  });
}

interface RecordedStream {
  readonly objects: Map<string, JsonObject>;
  /** The objects that a list in progress has not delivered again. */
  unseen: Map<string, JsonObject>;
}

/** What one line of a stream changes. A complete list ends the objects that it does not contain. */
function changesIn(stream: RecordedStream, line: StreamInput): Pick<RecordedChange, 'object' | 'isOver'>[] {
  if ('object' in line) {
    const object = objectOf(line.object);
    const isOver = line.in === 'DELETED';
    stream.unseen.delete(nameOf(object));
    if (isOver) stream.objects.delete(nameOf(object));
    else stream.objects.set(nameOf(object), object);
    return [{ object, isOver }];
  }
  if (line.in === 'begin') stream.unseen = new Map(stream.objects);
  if (line.in !== 'end' && line.in !== 'closed') return [];
  const ended = line.in === 'end' ? stream.unseen : new Map(stream.objects);
  for (const name of ended.keys()) stream.objects.delete(name);
  stream.unseen = new Map();
  return [...ended.values()].map((object) => ({ object, isOver: true }));
}

function nameOf(object: JsonObject): string {
  const { namespace, name } = objectOf(object['metadata']);
  return `${textOf(namespace) ?? ''}/${textOf(name) ?? ''}`;
}
