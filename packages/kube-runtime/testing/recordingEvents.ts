import { createApiServer, seededRandom } from '@weeder/embedded-cluster';
import { wireObject } from '@weeder/embedded-cluster/registry';
import { events, namespaces } from '@weeder/embedded-cluster/resources';
import { numberOf, objectOf } from '../src/base/json.ts';
import { virtualClock } from '../src/base/virtualClock.ts';
import type { ApiRequest } from '../src/client/request.ts';
import type { EventDraft } from '../src/events/event.ts';
import { createEventRecorder } from '../src/events/events.ts';
import { clientOf } from './clientOf.ts';
import { inProcess, type RequestFault } from './inProcess.ts';

/** A recorder in virtual time, and the embedded API server that it writes to, with the namespaces of the tests. */
export type RecordingEvents = ReturnType<typeof recordingEvents>;

/** `latency`: milliseconds until a request without another fault arrives. */
export function recordingEvents({ latency = 0 }: { readonly latency?: number } = {}) {
  const clock = virtualClock();
  const server = createApiServer({ clock, random: seededRandom(1) });
  for (const name of ['shop', 'other', 'loud', 'quiet']) server.store.create(namespaces, { metadata: { name } });
  const { call } = inProcess(server, clock);
  const requests: ApiRequest[] = [];
  const logged: { event: object; sentence: string }[] = [];
  const inFlight = { now: 0, max: 0 };

  const client = clientOf(async (request) => {
    requests.push(request);
    inFlight.now += 1;
    inFlight.max = Math.max(inFlight.max, inFlight.now);
    const result = await call(request, it.faultOf(request));
    inFlight.now -= 1;
    return result;
  });
  const log = { warn: (event: object, sentence: string) => void logged.push({ event, sentence }) };
  const source = { controller: 'weeder.dev/weeder', instance: 'weeder-0' };
  const mustWait = () => it.mustWait;
  const it = {
    clock,
    recorder: createEventRecorder({ client, clock, log, source, mustWait, random: () => 1 }),
    server,
    /** Every request so far. */
    requests,
    logged,
    /** The number of requests in flight now, and the maximum so far. */
    inFlight,
    /** Called for each request. */
    faultOf: (_request: ApiRequest): RequestFault | undefined => (latency > 0 ? { slow: latency } : undefined),
    mustWait: false,
    /** The Events that the server has, as `events.k8s.io/v1` serves them. */
    stored: () => server.store.list(events).map((event) => wireObject(events, event)),
  };
  return it;
}

/** An occurrence about a pod. */
export function occurrence(
  part: Partial<Omit<EventDraft, 'regarding'>> & { pod?: string; namespace?: string } = {},
): EventDraft {
  const { pod = 'web-0', namespace = 'shop', ...rest } = part;
  const regarding = { apiVersion: 'v1', kind: 'Pod', namespace, name: pod, uid: `uid-of-${pod}` };
  return { regarding, type: 'Normal', reason: 'PodDeleted', action: 'Delete', note: 'Deleted.', ...rest };
}

/** The `count` of each stored Event, by its note. */
export function countsByNote({ stored }: RecordingEvents): Record<string, number> {
  return Object.fromEntries(
    stored().map(({ note, series }) => [String(note), numberOf(objectOf(series)['count']) ?? 1]),
  );
}
