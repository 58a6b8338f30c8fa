/**
 * A process of its own that sees when pods are gone, so that what it costs is not taken from the process that flips, and
 * nothing that process does delays it. Started by observing.ts; reads metadata only.
 */
import { z } from 'zod';
import { connect, coordinatesVariable, readCoordinates } from '../test/cluster/support/access.ts';
import { monotonic } from './processFigures.ts';

const Request = z.object({ expect: z.array(z.string()), withinMs: z.number() });
const Event = z.object({
  type: z.string(),
  object: z.object({ metadata: z.object({ uid: z.string(), resourceVersion: z.string() }) }),
});
const List = z.object({ metadata: z.object({ resourceVersion: z.string() }) });

const cluster = connect(readCoordinates(process.env[coordinatesVariable] ?? ''));
const [selector = ''] = process.argv.slice(2);
const gone = new Map<string, number>();
let onChange: () => void = () => {};

process.on('message', (message) => {
  const { expect, withinMs } = Request.parse(message);
  const finish = (): void => {
    clearTimeout(timer);
    onChange = () => {};
    const times = expect.flatMap((uid) => (gone.has(uid) ? [[uid, gone.get(uid)]] : []));
    process.send?.({ gone: times });
    gone.clear();
  };
  const timer = setTimeout(finish, withinMs);
  onChange = () => {
    if (gone.size >= expect.length && expect.every((uid) => gone.has(uid))) finish();
  };
  onChange();
});
process.on('disconnect', () => process.exit());

const path = `/api/v1/pods?labelSelector=${encodeURIComponent(selector)}`;
const list = List.parse(await cluster.api('GET', `${path}&limit=1`));
let position = list.metadata.resourceVersion;
const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
process.send?.({ watching: true });
// The API server ends the watch of a client that is slow to read, which on a busy machine may be this one.
for (;;) {
  const from = `watch=true&timeoutSeconds=3600&resourceVersion=${position}`;
  const { status, lines } = await cluster.lines(`${path}&${from}`, { accept });
  if (status !== 200) throw new Error(`the observer's watch was refused: ${status}`);
  for await (const line of lines) {
    const at = monotonic();
    const { type, object } = Event.parse(JSON.parse(line));
    if (type === 'ERROR') throw new Error(`the observer's watch broke: ${line}`);
    position = object.metadata.resourceVersion;
    if (type !== 'DELETED') continue;
    gone.set(object.metadata.uid, at);
    onChange();
  }
}
