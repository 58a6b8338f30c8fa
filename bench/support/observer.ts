/**
 * A separate process that detects when pods are deleted, so that the process that changes the services neither pays for
 * it nor delays it. It reads metadata only. Started by observing.ts.
 */
import { z } from 'zod';
import { connect, coordinatesVariable, readCoordinates } from '../../test/cluster/support/plane/access.ts';
import { monotonic } from './processFigures.ts';

const Request = z.object({ expect: z.array(z.string()), withinMs: z.number() });
const Metadata = z.object({ uid: z.string().default(''), resourceVersion: z.string() });
const Event = z.object({ type: z.string(), object: z.object({ metadata: Metadata }) });
const List = z.object({ metadata: z.object({ resourceVersion: z.string() }) });

const cluster = connect(readCoordinates(process.env[coordinatesVariable] ?? ''));
const [selector = ''] = process.argv.slice(2);
const deletedAt = new Map<string, number>();
let onChange: () => void = () => {};

process.on('message', (message) => {
  const { expect, withinMs } = Request.parse(message);
  const finish = (): void => {
    clearTimeout(timer);
    onChange = () => {};
    const times = expect.flatMap((uid) => (deletedAt.has(uid) ? [[uid, deletedAt.get(uid)]] : []));
    process.send?.({ deleted: times });
    deletedAt.clear();
  };
  const timer = setTimeout(finish, withinMs);
  onChange = () => {
    if (deletedAt.size >= expect.length && expect.every((uid) => deletedAt.has(uid))) finish();
  };
  onChange();
});
process.on('disconnect', () => process.exit());

const path = `/api/v1/pods?labelSelector=${encodeURIComponent(selector)}`;
const list = List.parse(await cluster.api('GET', `${path}&limit=1`));
let last = list.metadata.resourceVersion;
let watches = 0;
// The API server ends a watch whose client is slow, which on two cores can be any client.
for (;;) {
  const { status, lines } = await cluster.lines(
    `${path}&watch=true&allowWatchBookmarks=true&timeoutSeconds=3600&resourceVersion=${last}`,
    { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' },
  );
  if (status !== 200) throw new Error(`the observer's watch was refused: ${status}`);
  watches += 1;
  if (watches === 1) process.send?.({ watching: true });
  else console.error('the watch was interrupted: the longest times of this round may be those of the observer');
  for await (const line of lines) {
    const at = monotonic();
    const { type, object } = Event.parse(JSON.parse(line));
    if (type === 'ERROR') throw new Error(`the observer's watch failed: ${line}`);
    last = object.metadata.resourceVersion;
    if (type !== 'DELETED') continue;
    deletedAt.set(object.metadata.uid, at);
    onChange();
  }
}
