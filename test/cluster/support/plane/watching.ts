import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { type Cleanup, cleanUp } from '../cleanup.ts';
import { KubeObject, ListMetadata, Status } from '../objects.ts';
import type { Cluster } from './access.ts';

/** A change of an object. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
}

type Served = Pick<Cluster, 'api' | 'lines'>;

const ObjectList = z.looseObject({ kind: z.string(), metadata: ListMetadata, items: z.array(KubeObject) });

const Line = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['ADDED', 'MODIFIED', 'DELETED']), object: KubeObject }),
  z.object({ type: z.literal('BOOKMARK'), object: z.looseObject({ metadata: ListMetadata }) }),
  z.object({ type: z.literal('ERROR'), object: Status }),
]);

/** Reads the objects of a collection; `changes` are those after it, until the signal aborts. */
export async function watchCollection(
  cluster: Served,
  path: string,
  signal: AbortSignal,
): Promise<{ readonly objects: readonly KubeObject[]; readonly changes: AsyncGenerator<Change> }> {
  const { kind, metadata, items } = ObjectList.parse(await cluster.api('GET', path));
  const objects = items.map((item) => ({ kind: kind.replace(/List$/, ''), ...item }));
  return { objects, changes: changesAfter(cluster, path, metadata.resourceVersion, signal) };
}

/** Calls `note` with each object of a collection, as added, and with each later change until the test ends. */
export async function noteChanges(
  t: Cleanup,
  cluster: Served,
  path: string,
  note: (change: Change) => void,
): Promise<void> {
  const stop = new AbortController();
  const { objects, changes } = await watchCollection(cluster, path, stop.signal);
  for (const object of objects) note({ type: 'ADDED', object });
  const follow = async () => {
    for await (const change of changes) note(change);
  };
  const over = follow();
  cleanUp(t, async () => {
    stop.abort();
    await over;
  });
}

/**
 * Yields the changes after this version until the signal aborts. The API server ends the watch of a client that reads
 * too slowly, as all do on a busy machine, and some tests close connections: the watch then continues at the last
 * version, so that no change is missed or repeated. Throws if the API server no longer has all changes since then.
 */
export async function* changesAfter(
  cluster: Served,
  path: string,
  version: string,
  signal: AbortSignal,
): AsyncGenerator<Change> {
  let last = version;
  while (!signal.aborted) {
    for await (const line of linesOf(cluster, path, last, signal)) {
      const { type, object } = Line.parse(JSON.parse(line));
      if (type === 'ERROR') {
        if (object.code === 410) throw new Error(`${path}: ${line}`);
        continue;
      }
      last = object.metadata.resourceVersion;
      if (type !== 'BOOKMARK') yield { type, object };
    }
  }
}

/** Yields the lines of one response, which ends when its connection does. */
async function* linesOf(cluster: Served, path: string, version: string, signal: AbortSignal): AsyncGenerator<string> {
  const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${version}`;
  try {
    const { status, lines } = await cluster.lines(`${path}${path.includes('?') ? '&' : '?'}${query}`, { signal });
    if (status === 200) return yield* lines;
    if (status === 410) yield JSON.stringify({ type: 'ERROR', object: { code: status } });
  } catch {
    // The connection was closed, or the API server does not run.
  }
  if (!signal.aborted) await pause(20);
}
