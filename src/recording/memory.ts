import { objectOf, textOf } from '../json.ts';
import { type RecordedInput, type RecordedOutput, windowKey } from './lines.ts';

/**
 * What a new file of a recording has to repeat of those before it, because they may be gone when it is replayed: the
 * objects that the streams left behind, and which windows are open.
 */
export interface Memory {
  learn(entry: RecordedInput | RecordedOutput): void;
  recall(): readonly RecordedInput[];
  /** Whether an answer is awaited that opens a window, or opens none: a new file could not say who asked. */
  readonly isAsking: boolean;
}

interface StreamMemory {
  readonly objects: Map<string, object>;
  /** While a complete list is read: the keys it named so far. */
  listed: Set<string> | undefined;
}

export function createMemory(): Memory {
  const streams = new Map<string, StreamMemory>();
  const windows = new Set<string>();
  let isRunning = false;
  let questions = 0;

  function streamOf(name: string): StreamMemory {
    const stream = streams.get(name) ?? { objects: new Map(), listed: undefined };
    streams.set(name, stream);
    return stream;
  }

  function learnInput(entry: RecordedInput): void {
    if (entry.in === 'start' || entry.in === 'stop') isRunning = entry.in === 'start';
    if (entry.in === 'readySince') questions -= 1;
    if (entry.in === 'begin') streamOf(entry.stream).listed = new Set();
    else if (entry.in === 'end') forgetVanished(streamOf(entry.stream));
    else if ('object' in entry) learnObject(streamOf(entry.stream), entry.in === 'DELETED', entry.object);
  }

  return {
    learn(entry) {
      if ('in' in entry) learnInput(entry);
      else if (entry.out === 'readySince.asked') questions += 1;
      else if (entry.out === 'window.opened') windows.add(windowKey(entry.about, entry.window));
      else if (entry.out === 'window.closed') windows.delete(windowKey(entry.about, entry.window));
    },
    recall: () => [
      ...[...streams].flatMap(([name, stream]) => recallStream(name, stream)),
      { in: 'resume', isRunning, windows: [...windows] },
    ],
    get isAsking() {
      return questions > 0;
    },
  };
}

/** A list that is being read when the file changes stays open in the new one. */
function recallStream(stream: string, { objects, listed }: StreamMemory): RecordedInput[] {
  const added = [...objects].map(([key, object]) => ({ key, line: { in: 'ADDED' as const, stream, object } }));
  const lines = added.map(({ line }) => line);
  if (listed === undefined) return [{ in: 'begin', stream }, ...lines, { in: 'end', stream }];
  const again = added.filter(({ key }) => listed.has(key)).map(({ line }) => line);
  return [{ in: 'begin', stream }, ...lines, { in: 'end', stream }, { in: 'begin', stream }, ...again];
}

function learnObject({ objects, listed }: StreamMemory, isGone: boolean, object: object): void {
  const key = keyOf(object);
  if (isGone) objects.delete(key);
  else objects.set(key, object);
  if (!isGone) listed?.add(key);
}

function forgetVanished(stream: StreamMemory): void {
  for (const key of [...stream.objects.keys()]) if (stream.listed?.has(key) === false) stream.objects.delete(key);
  stream.listed = undefined;
}

function keyOf(object: object): string {
  const { uid, namespace, name } = objectOf(objectOf(object)['metadata']);
  return textOf(uid) ?? `${textOf(namespace) ?? ''}/${textOf(name) ?? ''}`;
}
