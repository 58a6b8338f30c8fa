import { largest } from '@weeder/kube-runtime/base';
import type { Config } from '../../config/config.ts';
import { withDeclared } from '../../config/serviceLookup.ts';
import { servicesDeclaredBy } from '../../weeder/declared/declaration.ts';
import { assumeReady } from '../../weeder/replay/assumeReady.ts';
import { mergeEvents } from '../recorded/mergeEvents.ts';
import type { EventFile, TimedEvent } from '../recorded/watchEvent.ts';
import { createWhatIfWeeder, type WhatIfResult } from './whatIfWeeder.ts';

/**
 * Runs the real weeder in simulated time with watch events, as if it had been running before: services that are ready
 * at the beginning open no window.
 */
export async function replayEvents(given: Config, files: readonly EventFile[]): Promise<WhatIfResult> {
  const listed = files.flatMap((file) => file.listed);
  const changes = mergeEvents(files.map((file) => file.changes));
  // The weeder starts when all its lists are complete: at the time of the newest object in them.
  const startedAt = largest(listed.map(({ at }) => at)) ?? changes[0]?.at ?? 0;
  const config = withDeclared(
    given,
    new Set([...listed, ...changes].flatMap(({ object }) => servicesDeclaredBy(object))),
  );
  const { clock, weeder, pod, end } = createWhatIfWeeder({
    config: assumeReady(config),
    startedAt,
    concurrentDeletions: 32,
    readySince: async () => undefined,
  });
  const { slices } = weeder;
  const apply = ({ type, kind, object }: TimedEvent) => {
    if (kind === 'Pod') pod(type, object);
    else slices.apply(type, object);
  };

  slices.begin();
  const earlier = changes.filter(({ at }) => at <= startedAt);
  for (const event of mergeEvents([listed.toSorted((a, b) => a.at - b.at), earlier])) apply(event);
  slices.end();
  weeder.start();
  for (const event of changes.slice(earlier.length)) {
    if (event.at > clock.now()) await clock.pass(event.at - clock.now());
    apply(event);
  }
  return end();
}
