import { systemClock } from '@weeder/kube-runtime/base';
import type { InspectionEvent } from 'xstate';
import { readNoLog } from '../../src/weeder/deletions/readLog.ts';
import { createWeeder } from '../../src/weeder/weeder.ts';
import { backOff, pod, slice } from '../../test/support/objects/objects.ts';
import { apiserver, serviceConfig } from '../../test/support/world/simulation.ts';
import type { RecoveryCounts } from './actorsResults.ts';

/**
 * The actors, events and inspection events of one recovery: a service with two podSelectors becomes ready, and one of
 * its pods crash-loops and is deleted.
 */
export async function countRecovery(): Promise<RecoveryCounts> {
  const seen: InspectionEvent['type'][] = [];
  const config = serviceConfig({ podSelectors: [apiserver, { matchLabels: { role: 'scheduler' } }] });
  const deleted = Promise.withResolvers<void>();
  const weeder = createWeeder({
    config: { services: new Map([[config.name, config]]), restart: undefined },
    runtime: { clock: systemClock, inspect: ({ type }) => void seen.push(type) },
    concurrentDeletions: 1,
    isDryRun: false,
    random: () => 1,
    report: ({ type }) => {
      if (type === 'pod.deleted') deleted.resolve();
    },
    readySince: async () => undefined,
    readLog: readNoLog,
    deletePod: async () => ({ type: 'delete.accepted' }),
  });
  const sinks = [weeder.slices, ...weeder.pods.values()];
  for (const sink of sinks) sink.begin();
  weeder.slices.apply('MODIFIED', slice({ ready: [false] }));
  for (const sink of sinks) sink.end();
  weeder.start();
  const [apiservers] = weeder.pods.values();
  apiservers?.apply('MODIFIED', pod({ containers: [backOff()] }));
  weeder.slices.apply('MODIFIED', slice({ ready: [true] }));
  await deleted.promise;
  const count = (wanted: InspectionEvent['type']) => seen.filter((type) => type === wanted).length;
  const counts = { actors: count('@xstate.actor'), events: count('@xstate.event'), inspectionEvents: seen.length };
  weeder.stop();
  return counts;
}
