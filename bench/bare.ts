/**
 * The bare client: what any controller for this task has to do at least, and nothing else. Two streams held open over
 * HTTP/2, an index of the crash-looping pods, and a DELETE with preconditions the moment a service flips, 32 at a time
 * on the same connection. It survives no fault but the end of a stream. Usage: `BENCH_TOKEN=… node bare.js ORIGIN CA-FILE SERVICE POD-SELECTOR`.
 */
import { readFileSync } from 'node:fs';
import { Agent } from 'undici';

interface Watched {
  readonly metadata: { name: string; namespace: string; uid: string; resourceVersion: string };
  readonly endpoints?: readonly { conditions: { ready?: boolean } }[];
  readonly status?: { containerStatuses?: readonly { state: { waiting?: { reason: string } } }[] };
}

const [origin = '', caFile = '', service = '', selector = ''] = process.argv.slice(2);
const headers = { authorization: `Bearer ${process.env['BENCH_TOKEN']}`, 'content-type': 'application/json' };
const agent = new Agent({ connect: { ca: readFileSync(caFile, 'utf8') }, bodyTimeout: 0 });
const crashing = new Map<string, Map<string, Watched>>();
const readiness = new Map<string, boolean>();
const queue: Watched[] = [];
let inFlight = 0;
let synced = 0;

// A profile is written by a process that ends by itself only.
process.once('SIGTERM', () => process.exit());

async function follow(path: string, labels: string, take: (type: string, object: Watched) => void): Promise<never> {
  const common = `watch=true&allowWatchBookmarks=true&timeoutSeconds=3600&labelSelector=${encodeURIComponent(labels)}`;
  let version: string | undefined;
  const read = (line: string): void => {
    const { type, object }: { type: string; object: Watched } = JSON.parse(line);
    if (type !== 'BOOKMARK') take(type, object);
    else if (version === undefined && ++synced === 2) console.log('synced');
    if (type === 'BOOKMARK' || version !== undefined) version = object.metadata.resourceVersion;
  };
  // The API server ends the watch of a client that is slow to read: on a busy machine that is any client.
  for (;;) {
    const start = version ? `resourceVersion=${version}` : 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
    const { body } = await agent.request({ origin, path: `${path}?${common}&${start}`, method: 'GET', headers });
    let rest = '';
    for await (const piece of body.setEncoding('utf8')) {
      const lines = `${rest}${piece}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) read(line);
    }
  }
}

async function remove({ metadata: { name, namespace, uid, resourceVersion } }: Watched): Promise<void> {
  const body = JSON.stringify({ preconditions: { uid, resourceVersion } });
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  await (await agent.request({ origin, path, method: 'DELETE', headers, body })).body.text();
  inFlight -= 1;
  removeNext();
}

function removeNext(): void {
  for (let pod = queue[0]; inFlight < 32 && pod !== undefined; pod = queue[0]) {
    queue.shift();
    inFlight += 1;
    void remove(pod);
  }
}

void follow('/api/v1/pods', selector, (type, pod) => {
  const { namespace, uid } = pod.metadata;
  const isCrashing = pod.status?.containerStatuses?.some(({ state }) => state.waiting?.reason === 'CrashLoopBackOff');
  if (type === 'DELETED' || isCrashing !== true) crashing.get(namespace)?.delete(uid);
  else crashing.set(namespace, (crashing.get(namespace) ?? new Map<string, Watched>()).set(uid, pod));
});
void follow('/apis/discovery.k8s.io/v1/endpointslices', `kubernetes.io/service-name=${service}`, (type, slice) => {
  const { namespace } = slice.metadata;
  const isReady = type !== 'DELETED' && slice.endpoints?.some(({ conditions }) => conditions.ready !== false) === true;
  if (isReady && readiness.get(namespace) === false) queue.push(...(crashing.get(namespace)?.values() ?? []));
  readiness.set(namespace, isReady);
  removeNext();
});
