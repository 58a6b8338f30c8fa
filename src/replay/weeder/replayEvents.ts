import { largest } from '@weeder/kube-runtime/base';
import type { InspectionEvent } from 'xstate';
import type { Config } from '../../config/config.ts';
import { withDeclared } from '../../config/serviceLookup.ts';
import { servicesDeclaredBy } from '../../weeder/declared/declaration.ts';
import type { ReportWeeder } from '../../weeder/deletions/weederEvents.ts';
import { assumeReady } from '../../weeder/replay/assumeReady.ts';
import { mergeEvents } from '../recorded/mergeEvents.ts';
import type { EventFile, TimedEvent } from '../recorded/watchEvent.ts';
import { createWhatIfWeeder, restOf, type WhatIfResult, type WhatIfWeeder } from './whatIfWeeder.ts';

/** Watch events, and the config with which they are played. */
export interface PlayableEvents {
  readonly config: Config;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** The time of the last event, and how long a window may last after it. Milliseconds, the former since the start. */
  readonly endedAt: number;
  readonly rest: number;
  /** What there is at the start. */
  readonly listed: readonly TimedEvent[];
  readonly changes: readonly TimedEvent[];
}

/** Plays watch events one after the other. */
interface EventsPlayer extends Pick<WhatIfWeeder, 'clock' | 'weeder' | 'result'> {
  /** The time of the next event in milliseconds since the start; undefined after the last. */
  nextAt(): number | undefined;
  /** Plays the next event, with all others of its time. */
  next(): Promise<void>;
}

interface EventsPlayerOptions {
  readonly report?: ReportWeeder;
  readonly inspect?: (event: InspectionEvent) => void;
}

export function playableEvents(given: Config, files: readonly EventFile[]): PlayableEvents {
  const listed = files.flatMap((file) => file.listed);
  const changes = mergeEvents(files.map((file) => file.changes));
  // The weeder starts when all its lists are complete: at the time of the newest object in them.
  const startedAt = largest(listed.map(({ at }) => at)) ?? changes[0]?.at ?? 0;
  const declared = new Set([...listed, ...changes].flatMap(({ object }) => servicesDeclaredBy(object)));
  const config = assumeReady(withDeclared(given, declared));
  const earlier = changes.filter(({ at }) => at <= startedAt);
  return {
    config,
    startedAt,
    endedAt: Math.max(0, (changes.at(-1)?.at ?? 0) - startedAt),
    rest: restOf(config),
    listed: mergeEvents([listed.toSorted((a, b) => a.at - b.at), earlier]),
    changes: changes.slice(earlier.length),
  };
}

/**
 * Runs the real weeder in simulated time with watch events, as if it had been running before: services that are ready
 * at the beginning open no window.
 */
export function createEventsPlayer(events: PlayableEvents, options: EventsPlayerOptions = {}): EventsPlayer {
  const { config, startedAt, listed, changes } = events;
  const readySince = async () => undefined;
  const stage = createWhatIfWeeder({ ...options, config, startedAt, concurrentDeletions: 32, readySince });
  const { clock, weeder, pod } = stage;
  let hasStarted = false;
  let played = 0;

  function apply({ type, kind, object }: TimedEvent): void {
    if (kind === 'Pod') pod(type, object);
    else weeder.slices.apply(type, object);
  }

  function start(): void {
    weeder.slices.begin();
    for (const event of listed) apply(event);
    weeder.slices.end();
    weeder.start();
    hasStarted = true;
  }

  function nextAt(): number | undefined {
    if (!hasStarted) return 0;
    const next = changes[played];
    return next === undefined ? undefined : next.at - startedAt;
  }

  return {
    clock,
    weeder,
    result: stage.result,
    nextAt,
    async next() {
      if (!hasStarted) return start();
      const at = changes[played]?.at;
      if (at === undefined) return;
      if (at > clock.now()) await clock.pass(at - clock.now());
      for (let event = changes[played]; event?.at === at; event = changes[played]) {
        played += 1;
        apply(event);
      }
    },
  };
}

/** Plays all watch events. */
export async function replayEvents(given: Config, files: readonly EventFile[]): Promise<WhatIfResult> {
  const events = playableEvents(given, files);
  const { clock, nextAt, next, result } = createEventsPlayer(events);
  while (nextAt() !== undefined) await next();
  await clock.pass(events.rest);
  return result();
}
