import type { Resource } from '@weeder/embedded-cluster';
import {
  addressOf,
  type Cursor,
  openCursor,
  type Storage,
  select,
  wireObject,
} from '@weeder/embedded-cluster/registry';
import type { Clock } from '@weeder/kube-runtime/base';
import type { ObjectSink, StreamNeed } from '@weeder/kube-runtime/watch';

interface Open {
  readonly need: StreamNeed;
  cursor: Cursor | undefined;
  isClosed: boolean;
}

/** The list+watch streams of one weeder process, each with a delay of its own. */
export type SimulatedStreams = ReturnType<typeof simulatedStreams>;

export function simulatedStreams(storage: Storage, clock: Clock, random: () => number) {
  const streams = new Map<string, Open>();
  let blockedUntil = 0;

  /** Acts after the delay of the stream, and not before the end of `hold`. */
  function later(act: () => void): void {
    const wait = 1 + Math.floor(random() ** 6 * 2_000);
    clock.setTimeout(act, Math.max(wait, blockedUntil - clock.monotonic()));
  }

  function begin(stream: Open): void {
    if (stream.isClosed) return;
    const { cursor, deliverDue } = openStream(storage, stream.need, () => later(deliverIfOpen));
    stream.cursor = cursor;
    // The list arrives after the delay, with the objects of the time before it.
    later(() => {
      if (stream.cursor === cursor) stream.need.sink.begin();
      deliverIfOpen();
    });

    function deliverIfOpen(): void {
      if (stream.cursor === cursor) deliverDue();
    }
  }

  function end(stream: Open): void {
    stream.cursor?.close();
    stream.cursor = undefined;
  }

  function close(name: string): void {
    const stream = streams.get(name);
    if (stream === undefined) return;
    streams.delete(name);
    stream.isClosed = true;
    end(stream);
  }

  return {
    /** Opens those that are not open yet. */
    follow(needs: ReadonlyMap<string, StreamNeed>) {
      for (const [name, need] of needs) {
        if (streams.get(name)?.need === need) continue;
        close(name);
        const stream = { need, cursor: undefined, isClosed: false };
        streams.set(name, stream);
        later(() => begin(stream));
      }
    },
    close,
    closeAll() {
      for (const name of [...streams.keys()]) close(name);
    },
    /** Breaks the connections: each stream lists again after a while. */
    cut() {
      for (const stream of streams.values()) {
        if (stream.cursor === undefined) continue;
        end(stream);
        clock.setTimeout(() => later(() => begin(stream)), Math.floor(random() * 20_000));
      }
    },
    /** Delivers nothing for so many milliseconds, and then everything. */
    hold(ms: number) {
      blockedUntil = clock.monotonic() + ms;
    },
  };
}

/** Opens a stream, whose list `deliverDue` delivers first. `onDue` is called when something is due after it. */
export function openStream(storage: Storage, need: StreamNeed, onDue: (deliverDue: () => void) => void) {
  const { resource, selection } = selectedBy(storage, need);
  const listedAt = String(storage.version);
  const cursor = openCursor(storage, resource, selection, 'now', () => onDue(deliverDue));
  return { cursor, deliverDue };

  /** Delivers what has happened since the last call. */
  function deliverDue(): void {
    if (cursor !== undefined) deliver(cursor, resource, need.sink, listedAt);
  }
}

function deliver(cursor: Cursor, resource: Resource, sink: ObjectSink, listedAt: string): void {
  for (let item = cursor.next(); item !== 'waiting'; item = cursor.next()) {
    if (item === 'expired') throw new Error('the history is too short');
    if (item === 'initialEnd') sink.end(listedAt);
    else sink.apply(item.type, wireObject(resource, item.object));
  }
}

/** The objects that a stream delivers. */
export function selectedBy(storage: Storage, { path, labelSelector }: Pick<StreamNeed, 'path' | 'labelSelector'>) {
  const address = addressOf(storage.resources, path);
  if (address.type !== 'resource') throw new Error(`nothing is served at ${path}`);
  const { resource, namespace } = address;
  const selection = select(resource, namespace, labelSelector, '');
  if (!selection.ok) throw new Error(`${labelSelector} selects nothing`);
  return { resource, selection: selection.value };
}
