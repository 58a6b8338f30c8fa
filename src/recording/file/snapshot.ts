import type { StoredConfig } from '../../config/configText.ts';
import type { Entry, Input, Moment, StreamInput } from './entry.ts';
import { applyToStream, type IsSame, newStreamSnapshot, type StreamSnapshot, streamLines } from './streamSnapshot.ts';

export type ResponseInput = Extract<Input, { readonly in: 'response' }>;

/** What a new file of a recording has to repeat of a controller, because earlier files may be deleted. */
export interface Snapshot {
  apply(entry: Entry, at: Moment): void;
  /** The first lines of a new file; empty if the controller is off. `busy`: what has not settled. */
  lines(now: Moment, busy: readonly string[]): readonly (Moment & Input)[];
  streams(): Iterable<readonly [string, StreamSnapshot]>;
  stream(name: string): StreamSnapshot | undefined;
  /** The repeated responses, by request. */
  readonly responses: ReadonlyMap<string, ResponseInput>;
}

/** What differs between the controllers. */
interface SnapshotOptions {
  /** Called with each input: stores the responses that are valid for later requests as well. */
  readonly keep?: (entry: Input, kept: Map<string, ResponseInput>, snapshot: Snapshot) => void;
  /** The lines keep their times, because decisions depend on them. Whether they depend on those of each object. */
  readonly isDated?: (stream: string) => boolean;
  readonly isSame?: IsSame;
}

export function createSnapshot({ keep, isDated, isSame = () => false }: SnapshotOptions): Snapshot {
  /** In their original order: the streams of single sources are opened once the keys are known. */
  const steps = new Map<string, StreamSnapshot | Input>();
  const responses = new Map<string, ResponseInput>();
  const marks = new Map<string, Input>();
  let config: StoredConfig | undefined;
  let isRunning = false;

  function begin(stored: StoredConfig): void {
    for (const map of [steps, responses, marks]) map.clear();
    config = stored;
    isRunning = false;
  }

  function stream(name: string): StreamSnapshot | undefined {
    const existing = steps.get(name);
    return existing !== undefined && 'objects' in existing ? existing : undefined;
  }

  function applyStream(entry: StreamInput, at: Moment): void {
    if (entry.in === 'closed') {
      steps.delete(entry.stream);
      return;
    }
    const snapshot = stream(entry.stream) ?? newStreamSnapshot(at);
    steps.set(entry.stream, snapshot);
    applyToStream(snapshot, entry, at, isSame);
  }

  function applyLifecycle(entry: Input): void {
    if (entry.in === 'created') begin(entry);
    else if (entry.in === 'config') config = entry;
    else if (entry.in === 'start' || entry.in === 'stop') isRunning = entry.in === 'start';
  }

  function apply(entry: Input, at: Moment): void {
    applyLifecycle(entry);
    if ('stream' in entry) applyStream(entry, at);
    else if (entry.in === 'keys' || entry.in === 'keysRead') steps.set(entry.in, entry);
    else if (entry.in === 'hash') marks.set(entry.request.split(' ')[1] ?? '', entry);
    else if (entry.in === 'schemaNode') marks.set(JSON.stringify([entry.kind, ...entry.path]), entry);
  }

  const snapshot: Snapshot = {
    apply(entry, at) {
      if (!('in' in entry)) return;
      apply(entry, at);
      keep?.(entry, responses, snapshot);
    },
    lines(now, busy) {
      const end: Input = { in: 'snapshotEnd', busy };
      const start: Input[] = isRunning ? [{ in: 'start' }] : [];
      const stepLines = [...steps].flatMap(([name, step]) =>
        'objects' in step ? streamLines(name, step, isDated?.(name) ?? false) : { ...step, ...now },
      );
      const atNow = (inputs: readonly Input[]) => inputs.map((input) => ({ ...input, ...now }));
      if (isDated !== undefined) return [...stepLines.sort((a, b) => a.t - b.t), ...atNow([...start, end])];
      if (config === undefined) return [];
      return atNow([
        { ...config, in: 'created' },
        ...start,
        ...responses.values(),
        ...marks.values(),
        ...stepLines,
        end,
      ]);
    },
    *streams() {
      for (const [name, step] of steps) if ('objects' in step) yield [name, step];
    },
    stream,
    responses,
  };
  return snapshot;
}
