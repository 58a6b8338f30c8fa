import type { Config } from '../config/config.ts';
import { type JsonObject, objectOf, textOf } from '../json.ts';
import { matchesSelector } from '../kube/selector.ts';
import type { ChangeType } from '../kube/sink.ts';
import { toldOf } from '../recording/told.ts';
import { virtualClock } from '../virtualClock.ts';
import { type BackOff, backOffOf } from '../weeder/backOff.ts';
import { distinctSelectors, labelsOf, type StreamNeed, streamsOf } from '../weeder/streams.ts';
import { createWeeder } from '../weeder/weeder.ts';
import type { Timed } from './replayRecording.ts';
import type { EventFile, TimedEvent } from './watchEvent.ts';

/** A pod that weeder would have deleted. */
export interface WouldDelete {
  readonly pod: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Milliseconds since the window opened. */
  readonly sinceOpened: number;
  readonly isSilent: boolean;
  readonly backOff: BackOff;
}

/** What weeder would have done. */
export interface WhatIf {
  readonly startedAt: number;
  readonly facts: readonly Timed[];
  readonly deleted: readonly WouldDelete[];
}

/** What happens after the last event is awaited for this long: longer than any window that is open then. */
const margin = 60_000;

/**
 * Runs the real wiring in simulated time against watch events, as if weeder had been there all the time: what is ready
 * in the beginning opens no window, and a pod is gone once it is deleted, whatever the events tell of it later.
 */
export async function replayEvents(config: Config, files: readonly EventFile[]): Promise<WhatIf> {
  const byTime = (a: TimedEvent, b: TimedEvent) => a.at - b.at;
  const listed = files.flatMap((file) => file.listed);
  const changes = files.flatMap((file) => file.changes).sort(byTime);
  // Weeder begins when all its lists are complete: with the newest thing that is in one of them.
  const startedAt = listed.length > 0 ? Math.max(...listed.map(({ at }) => at)) : (changes[0]?.at ?? 0);
  const clock = virtualClock(startedAt);
  const facts: Timed[] = [];
  const deleted: WouldDelete[] = [];
  const gone = new Set<string>();
  const newest = new Map<string, JsonObject>();
  const weeder = createWeeder({
    config: withoutStart(config),
    runtime: { clock },
    concurrentDeletions: 32,
    isDryRun: false,
    random: () => 0.5,
    readySince: async () => undefined,
    deletePod: async ({ uid }) => {
      gone.add(uid);
      // The watch tells of it a moment after the answer.
      clock.setTimeout(() => feed('Pod', 'DELETED', newest.get(uid) ?? {}), 1);
      return { type: 'delete.accepted' };
    },
    report(fact) {
      facts.push(...toldOf(fact).map((told) => ({ t: clock.monotonic(), ...told })));
      if (fact.type !== 'pod.deleted') return;
      const { pod, sinceOpened } = fact;
      const backOff = backOffOf(pod);
      const isSilent = pod.cause === 'silent';
      deleted.push({ pod: `${pod.namespace}/${pod.name}`, at: clock.now(), sinceOpened, isSilent, backOff });
    },
  });
  const streams = streamsOf(weeder, config, 'all');
  const feed = feeder(config, streams);

  function apply({ type, kind, object }: TimedEvent): void {
    const uid = textOf(objectOf(object['metadata'])['uid']) ?? '';
    if (gone.has(uid)) return;
    newest.set(uid, object);
    feed(kind, type, object);
  }

  for (const { sink } of streams) sink.begin();
  const later = changes.filter(({ at }) => at > startedAt);
  for (const event of [...listed, ...changes.filter(({ at }) => at <= startedAt)].sort(byTime)) apply(event);
  for (const { sink } of streams) sink.end();
  weeder.start();
  for (const event of later) {
    if (event.at > clock.now()) await clock.pass(event.at - clock.now());
    apply(event);
  }
  const longest = Math.max(...[...config.services.values()].map(({ watchDuration }) => watchDuration));
  await clock.pass(longest + margin);
  return { startedAt, facts, deleted };
}

function withoutStart({ services }: Config): Config {
  return {
    services: new Map([...services].map(([name, service]) => [name, { ...service, onStart: 'never' as const }])),
  };
}

/** Deals an object out to the streams that would have told of it; to the others it looks as if it had gone. */
function feeder(config: Config, streams: readonly StreamNeed[]) {
  const selectors = distinctSelectors(config);
  return (kind: TimedEvent['kind'], type: ChangeType, object: JsonObject): void => {
    for (const stream of streams) {
      if (stream.kind !== kind) continue;
      const selector = kind === 'Pod' ? selectors.get(stream.labelSelector) : undefined;
      const isSelected = selector === undefined || matchesSelector(selector, labelsOf(object));
      stream.sink.apply(isSelected ? type : 'DELETED', object);
    }
  };
}
