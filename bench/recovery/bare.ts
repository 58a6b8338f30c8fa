/**
 * The bare client does only what every controller for this task has to do: two streams over HTTP/2, an index of the
 * crash-looping pods, and a DELETE with preconditions when a service becomes ready, 32 at a time on the same
 * connection. It survives no failure except the end of a stream. Usage: `BENCH_TOKEN=… node bare.js ORIGIN CA-FILE
 * SERVICE POD-SELECTOR`.
 */
import { bareClient } from './bareClient.ts';

interface Watched {
  readonly metadata: { name: string; namespace: string; uid: string; resourceVersion: string };
  readonly endpoints?: readonly { conditions: { ready?: boolean } }[];
  readonly status?: { containerStatuses?: readonly { state: { waiting?: { reason: string } } }[] };
}

const [origin = '', caFile = '', service = '', selector = ''] = process.argv.slice(2);
const client = bareClient(origin, caFile);
const crashing = new Map<string, Map<string, Watched>>();
const readiness = new Map<string, boolean>();
const queue: Watched[] = [];
let inFlight = 0;
let synced = 0;

// Node writes no CPU profile if a signal ends the process.
process.once('SIGTERM', () => process.exit());

async function remove({ metadata: { name, namespace, uid, resourceVersion } }: Watched): Promise<void> {
  const preconditions = { uid, resourceVersion };
  await client.send('DELETE', `/api/v1/namespaces/${namespace}/pods/${name}`, { preconditions });
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

function follow(path: string, labels: string, onEvent: (type: string, object: Watched) => void): void {
  void client.follow({ path, labels, onEvent, onSynced: () => ++synced === 2 && console.log('synced') });
}

follow('/api/v1/pods', selector, (type, pod) => {
  const { namespace, uid } = pod.metadata;
  const isCrashing = pod.status?.containerStatuses?.some(({ state }) => state.waiting?.reason === 'CrashLoopBackOff');
  if (type === 'DELETED' || isCrashing !== true) crashing.get(namespace)?.delete(uid);
  else crashing.set(namespace, (crashing.get(namespace) ?? new Map<string, Watched>()).set(uid, pod));
});
follow('/apis/discovery.k8s.io/v1/endpointslices', `kubernetes.io/service-name=${service}`, (type, slice) => {
  const { namespace } = slice.metadata;
  const isReady = type !== 'DELETED' && slice.endpoints?.some(({ conditions }) => conditions.ready !== false) === true;
  if (isReady && readiness.get(namespace) === false) queue.push(...(crashing.get(namespace)?.values() ?? []));
  readiness.set(namespace, isReady);
  removeNext();
});
