import type { ReflectorEvent, StreamInput } from '../../machines/reflector.ts';
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/result.ts';
import type { KubeClient } from '../client/client.ts';
import { describeFailure } from '../client/describeFailure.ts';
import type { ApiFailure } from '../client/failure.ts';
import { isUnservedPath } from '../client/failureClass.ts';
import { isAtLeast } from '../objects/resourceVersion.ts';
import { listPages, type Turns } from './pagedList.ts';
import { verifyPosition } from './verifyPosition.ts';
import { type WatchEnd, type WatchSource, watchOnce } from './watchOnce.ts';
import type { WatchTimeouts } from './watchTimeouts.ts';

type Send = (event: ReflectorEvent) => void;

interface ListWatchParts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly timeouts: WatchTimeouts;
  readonly pages?: Turns;
}

/** The complete state, or the event that says why it could not be read. */
type Listed =
  | { readonly ok: true; readonly resourceVersion: string; readonly objects: number }
  | { readonly ok: false; readonly event: ReflectorEvent };

/**
 * One stream: the complete state, unless there is a position to resume from, and then one watch. Reports each step to
 * the reflector machine through `send`; the last event says how it ended. Returns the function that stops it, after
 * which neither `send` nor the sink is called.
 */
export function startListWatch(
  { client, clock, timeouts, pages }: ListWatchParts,
  source: WatchSource,
  input: Omit<StreamInput, 'name'>,
  send: Send,
): () => void {
  const stop = new AbortController();
  let openedAt: number | undefined;

  const sendUnlessStopped: Send = (event) => {
    if (!stop.signal.aborted) send(event);
  };
  const onOpened = () => {
    if (openedAt !== undefined) return;
    openedAt = clock.monotonic();
    sendUnlessStopped({ type: 'stream.opened' });
  };
  const livedMs = () => (openedAt === undefined ? 0 : clock.monotonic() - openedAt);
  const run = { client, clock, source, signal: stop.signal };

  async function listByPages(): Promise<Listed> {
    const listed = await listPages(client, source, stop.signal, pages);
    onOpened();
    return listed.ok
      ? listed
      : { ok: false, event: refusal(listed.failure, client.server, source, undefined, livedMs()) };
  }

  async function listByStream(): Promise<Listed> {
    let hasBegun = false;
    const begin = () => {
      onOpened();
      source.sink.begin();
      hasBegun = true;
    };
    const end = await watchOnce({ ...run, start: undefined, timeoutSeconds: 0, onOpened: begin });
    if (end.reason === 'complete' && end.position !== undefined && hasBegun) {
      source.sink.end(end.position);
      return { ok: true, resourceVersion: end.position, objects: end.changes };
    }
    return { ok: false, event: initialEvent(end, client.server, source, livedMs()) };
  }

  async function list(): Promise<Listed> {
    const listed = await (input.initial === 'pages' ? listByPages() : listByStream());
    if (!listed.ok || isAtLeast(listed.resourceVersion, input.seenVersion)) return listed;
    return { ok: false, event: rewound(client.server, livedMs()) };
  }

  async function verify(position: string, isRewound: AbortController): Promise<void> {
    const verdict = await verifyPosition(client, source, position, stop.signal);
    if (verdict === 'known') sendUnlessStopped({ type: 'stream.verified' });
    else if (verdict === 'future') isRewound.abort();
  }

  async function watch(start: string): Promise<ReflectorEvent> {
    const timeout = timeouts.begin(input.random());
    const isRewound = new AbortController();
    if (input.isDoubtful === true) void verify(start, isRewound);
    try {
      const end = await watchOnce({
        ...run,
        start,
        timeoutSeconds: timeout.seconds,
        reopen: AbortSignal.any([timeout.reopen, isRewound.signal]),
        onOpened(connection) {
          timeout.openedOn(connection);
          onOpened();
        },
      });
      if (isRewound.signal.aborted) return rewound(client.server, livedMs());
      const event = watchEvent(end, start, client.server, source, livedMs());
      // From a position in the future, not even a bookmark is sent.
      return event.type === 'stream.ended' ? { ...event, isDoubtful: !end.hasDelivered } : event;
    } finally {
      timeout.ended();
    }
  }

  async function follow(): Promise<ReflectorEvent> {
    if (input.resourceVersion !== undefined) return watch(input.resourceVersion);
    const listed = await list();
    if (!listed.ok) return listed.event;
    const { resourceVersion, objects } = listed;
    sendUnlessStopped({ type: 'stream.synced', resourceVersion, objects });
    return watch(resourceVersion);
  }

  void follow()
    .catch((error: unknown): ReflectorEvent => {
      const message = `the objects could not be processed: ${messageOf(error)}`;
      return { type: 'stream.failed', kind: 'sink', message, livedMs: livedMs() };
    })
    .then(sendUnlessStopped);
  return () => stop.abort();
}

/** The event for the end of a watch that should have delivered the complete state, which cannot be resumed. */
function initialEvent(end: WatchEnd, server: string, source: WatchSource, livedMs: number): ReflectorEvent {
  if (end.failure !== undefined && (end.failure.type === 'rejected' || end.failure.type === 'invalid')) {
    return { type: 'stream.unsupported', message: end.message };
  }
  if (end.reason === 'unfinished' || end.reason === 'ended') {
    return { type: 'stream.unsupported', message: `the complete state was not finished (${end.message})` };
  }
  return watchEvent({ ...end, position: undefined }, undefined, server, source, livedMs);
}

function watchEvent(
  end: WatchEnd,
  start: string | undefined,
  server: string,
  source: WatchSource,
  livedMs: number,
): ReflectorEvent {
  const { reason, message, failure } = end;
  const resourceVersion = end.position ?? start;
  if (failure !== undefined) return refusal(failure, server, source, resourceVersion, livedMs);
  switch (reason) {
    case 'ended':
    case 'complete':
      return { type: 'stream.ended', resourceVersion, livedMs, message };
    case 'rewound':
      return rewound(server, livedMs);
    case 'garbled':
      return { type: 'stream.garbled', resourceVersion, livedMs, message };
    default:
      return { type: 'stream.silent', resourceVersion, livedMs, message };
  }
}

/** etcd was restored from a backup: the sink holds a state that the server no longer has. */
function rewound(server: string, livedMs: number): ReflectorEvent {
  const message =
    `${server} is at an older resourceVersion than weeder: etcd was restored from a backup. ` +
    'If this repeats, restart all API servers, because they serve what they had cached before';
  return { type: 'stream.rewound', livedMs, message };
}

/** A CRD that is created should be found within two seconds. */
const missingRetryMs = 1_000;

function refusal(
  failure: ApiFailure,
  server: string,
  { whenMissing }: WatchSource,
  resourceVersion: string | undefined,
  livedMs: number,
): ReflectorEvent {
  const loss = {
    resourceVersion,
    livedMs,
    message: describeFailure(failure, server),
    retryAfterMs: failure.retryAfterMs,
  };
  if (whenMissing !== undefined && (failure.type === 'notFound' || isUnservedPath(failure)))
    return { type: 'stream.failed', kind: 'missing', ...loss, message: whenMissing, retryWithinMs: missingRetryMs };
  if (failure.type === 'expired') return { type: 'stream.expired', ...loss };
  if (failure.type === 'timeout') return { type: 'stream.silent', ...loss, silentMs: failure.silentMs };
  return { type: 'stream.failed', kind: failure.type, ...loss };
}
