import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type AnyActorRef, type AnyMachineSnapshot, isMachineSnapshot, type StateValue } from 'xstate';
import type { Page } from '../base/http.ts';
import type { ActorTimes, ScheduledEvent } from './actorTimes.ts';

/** One actor of a machine, as `/debug/actors` shows it. Times are ISO 8601. */
export interface ActorEntry {
  readonly machine: string;
  readonly id: string;
  /** The id of the parent actor. Ids of children are unique only below their parent. */
  readonly parent?: string;
  /** As in XState: a name, or names by region. */
  readonly state: StateValue;
  /** Since when it has been in this state. */
  readonly since?: string;
  /** Present only if the actor is no longer active: `done`, `error` or `stopped`. */
  readonly ended?: string;
  /** What the actor waits for: its running timers and active children. */
  readonly timers: readonly { readonly delay: string; readonly state: string; readonly due?: string }[];
  readonly children: readonly { readonly id: string; readonly src: string }[];
}

/** Selects actors; undefined: all. */
export interface ActorFilter {
  /** `podDeletion` */
  readonly machine?: string | undefined;
  /** A state by name or path, at any depth: `backingOff`, `attempting.queued`. */
  readonly state?: string | undefined;
}

type Times = Pick<ActorTimes, 'since' | 'startedAt'>;

/** Describes the roots and the machines among their descendants one by one, in their state at that time. */
export function* describeActors(
  roots: Iterable<AnyActorRef>,
  times: Times,
  filter: ActorFilter = {},
): Generator<ActorEntry> {
  for (const root of roots) {
    const scheduled = Object.values(root.system.getSnapshot()._scheduledEvents);
    yield* describe(root, scheduled, times, filter);
  }
}

function* describe(
  actor: AnyActorRef,
  scheduled: readonly ScheduledEvent[],
  times: Times,
  filter: ActorFilter,
): Generator<ActorEntry> {
  const snapshot: unknown = actor.getSnapshot();
  if (!isMachineSnapshot(snapshot)) return;
  const { machine } = snapshot;
  const children = childrenOf(snapshot);
  if ((filter.machine ?? machine.id) === machine.id && isIn(snapshot.value, filter.state)) {
    const time = times.since(actor);
    yield {
      machine: machine.id,
      id: actor.id,
      ...(actor._parent === undefined ? {} : { parent: actor._parent.id }),
      state: snapshot.value,
      ...(time === undefined ? {} : { since: new Date(time).toISOString() }),
      ...(snapshot.status === 'active' ? {} : { ended: snapshot.status }),
      timers: scheduled.filter(({ source }) => source === actor).map((timer) => timerOf(timer, times)),
      children: children.map(({ id, src }) => ({ id, src: typeof src === 'string' ? src : id })),
    };
  }
  for (const child of children) yield* describe(child, scheduled, times, filter);
}

function childrenOf(snapshot: AnyMachineSnapshot): AnyActorRef[] {
  const children: AnyActorRef[] = [];
  for (const child of Object.values<AnyActorRef | undefined>(snapshot.children))
    if (child !== undefined) children.push(child);
  return children;
}

/** XState names the event of an `after` by its delay and its source state. */
function timerOf(timer: ScheduledEvent, times: Times): ActorEntry['timers'][number] {
  const { event, delay } = timer;
  const [, name = '', state = ''] = /^xstate\.after\.([^.]+)\.(.+)$/.exec(event.type) ?? [undefined, event.type];
  const startedAt = times.startedAt(timer);
  return { delay: name, state, ...(startedAt === undefined ? {} : { due: new Date(startedAt + delay).toISOString() }) };
}

/** Whether one of the paths of the state contains the selected names consecutively. */
function isIn(value: StateValue, selected: string | undefined): boolean {
  return selected === undefined || pathsOf(value).some((path) => `.${path}.`.includes(`.${selected}.`));
}

function pathsOf(value: StateValue): string[] {
  if (typeof value === 'string') return [value];
  return Object.entries(value).flatMap(([name, inner]) =>
    inner === undefined ? [name] : pathsOf(inner).map((path) => `${name}.${path}`),
  );
}

/** The source of the page. */
interface ActorSource extends Times {
  /** The roots; called once per response. */
  actors(): Iterable<AnyActorRef>;
}

/** The number of actors that are described without a pause. */
const batch = 200;

/**
 * `/debug/actors`: every actor as JSON, one per line; `?pretty` for people, `?machine=` and `?state=` as filters. The
 * response is written in pieces, so that neither many actors nor a slow reader cost memory or block the controllers.
 */
export function debugPage(source: ActorSource): Page {
  return async (url, request, response) => {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    const { searchParams } = url;
    const filter: ActorFilter = {
      machine: searchParams.get('machine') ?? undefined,
      state: searchParams.get('state') ?? undefined,
    };
    const entries = describeActors(source.actors(), source, filter);
    const pieces = Readable.from(jsonPieces(entries, searchParams.has('pretty') ? 2 : 0));
    try {
      await pipeline(pieces, response);
    } catch (error) {
      // It is not an error if the client disconnects.
      if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE')) throw error;
    }
  };
}

async function* jsonPieces(entries: Iterable<ActorEntry>, indent: number): AsyncGenerator<string> {
  let piece = '{"actors":[';
  let count = 0;
  for (const entry of entries) {
    piece += `${count === 0 ? '' : ','}\n${JSON.stringify(entry, null, indent)}`;
    count += 1;
    if (count % batch > 0) continue;
    yield piece;
    piece = '';
    await new Promise((resolve) => setImmediate(resolve));
  }
  yield `${piece}\n]}\n`;
}
