/**
 * A separate process that detects when drifted objects are corrected, so that its cost counts neither for the benchmark
 * nor for the candidate. Started by driftWatching.ts.
 */
import { z } from 'zod';
import {
  type Cluster,
  connect,
  coordinatesVariable,
  readCoordinates,
} from '../../test/cluster/support/plane/access.ts';
import { monotonic } from '../support/processFigures.ts';
import { collections, drifted, keyOf } from './driftManifests.ts';

const Request = z.object({ expect: z.array(z.string()), withinMs: z.number() });
const labels = z.object({ app: z.string().default('') }).default({ app: '' });
const Metadata = z.object({ namespace: z.string(), name: z.string(), resourceVersion: z.string(), labels });
const Kind = z.enum(['ConfigMap', 'Service', 'Deployment']);
const Event = z.object({ type: z.string(), object: z.object({ kind: Kind, metadata: Metadata }) });
const Mark = z.object({ type: z.string(), object: z.object({ metadata: z.object({ resourceVersion: z.string() }) }) });

const cluster = connect(readCoordinates(process.env[coordinatesVariable] ?? ''));
/** The keys of the objects that are drifted now. */
const driftedKeys = new Set<string>();
const corrected = new Map<string, number>();
let onChange: () => void = () => {};
let watching = 0;

process.on('message', (message) => {
  const { expect, withinMs } = Request.parse(message);
  const finish = (): void => {
    clearTimeout(timer);
    onChange = () => {};
    const times = expect.flatMap((key) => (corrected.has(key) ? [[key, corrected.get(key)]] : []));
    process.send?.({ corrected: times });
    corrected.clear();
  };
  const timer = setTimeout(finish, withinMs);
  onChange = () => {
    if (corrected.size >= expect.length && expect.every((key) => corrected.has(key))) finish();
  };
  onChange();
});
process.on('disconnect', () => process.exit());

function handleLine(line: string): string {
  const at = monotonic();
  const parsed: unknown = JSON.parse(line);
  const { type, object } = Mark.parse(parsed);
  if (type === 'ERROR') throw new Error(`the watch failed: ${line}`);
  if (type === 'BOOKMARK') return object.metadata.resourceVersion;
  const key = keyOf(Event.parse(parsed).object);
  if (line.includes(`"${drifted}"`)) driftedKeys.add(key);
  else if (driftedKeys.delete(key)) {
    corrected.set(key, at);
    onChange();
  }
  return object.metadata.resourceVersion;
}

const List = z.object({ metadata: z.object({ resourceVersion: z.string() }) });

async function follow(from: Cluster, path: string): Promise<never> {
  let last = List.parse(await from.api('GET', `${path}?limit=1`)).metadata.resourceVersion;
  let count = 0;
  // The API server ends a watch whose client is slow, which on two cores can be any client.
  for (;;) {
    const query = `labelSelector=app&watch=true&allowWatchBookmarks=true&timeoutSeconds=3600&resourceVersion=${last}`;
    const { status, lines } = await from.lines(`${path}?${query}`);
    if (status !== 200) throw new Error(`the watch was refused: ${status}`);
    count += 1;
    if (count > 1)
      console.error('the watch was interrupted: the longest times of this round may be those of the watcher');
    else if (++watching === collections.length) process.send?.({ watching: true });
    for await (const line of lines) last = handleLine(line);
  }
}

await Promise.all(collections.map((path) => follow(cluster, path)));
