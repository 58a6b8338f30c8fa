/**
 * The weeder without its streams, in a separate process: services recover at once, each with a window of two
 * podSelectors, and one of its pods waits for a retry. Started by actors.ts with `--expose-gc`.
 */
import { systemClock } from '@weeder/kube-runtime/base';
import { readNoLog } from '../../src/weeder/deletions/readLog.ts';
import { createWeeder } from '../../src/weeder/weeder.ts';
import { backOff, pod, slice } from '../../test/support/objects/objects.ts';
import { apiserver, serviceConfig } from '../../test/support/world/simulation.ts';
import { monotonic } from '../support/processFigures.ts';
import { median, rounded } from '../support/statistics.ts';
import type { ActorsCase } from './actorsResults.ts';
import { countRecovery } from './recoveryCounts.ts';

const services = Number(process.argv[2]);

/** Waits for the next turn of the event loop. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The used heap after a full garbage collection. MiB. */
function heap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

/** The duration of the call. Milliseconds. */
function timed(act: () => void): number {
  const from = monotonic();
  act();
  return monotonic() - from;
}

const config = serviceConfig({ podSelectors: [apiserver, { matchLabels: { role: 'scheduler' } }] });
const weeder = createWeeder({
  config: { services: new Map([[config.name, config]]), restart: undefined },
  runtime: { clock: systemClock },
  concurrentDeletions: services,
  isDryRun: false,
  random: () => 1,
  report: () => {},
  readySince: async () => undefined,
  readLog: readNoLog,
  // No actor should end during the measurement: each pod waits a minute for its retry.
  deletePod: async () => ({ type: 'delete.failed', reason: '503', failure: 'unavailable', retryAfter: 60_000 }),
});
const sinks = [weeder.slices, ...weeder.pods.values()];
const names = Array.from({ length: services }, (_, index) => `shoot-${index + 1}`);
const [apiservers] = weeder.pods.values();

function setReady(namespace: string, isReady: boolean): void {
  weeder.slices.apply('MODIFIED', slice({ namespace, ready: [isReady] }));
}

function crash(namespace: string): void {
  const [name, uid] = ['kapi-0', `uid-${namespace}`];
  apiservers?.apply('MODIFIED', pod({ namespace, name, uid, containers: [backOff()] }));
}

for (const sink of sinks) sink.begin();
for (const name of names) setReady(name, false);
for (const sink of sinks) sink.end();
weeder.start();
const before = heap();
const open = timed(() => {
  for (const name of names) setReady(name, true);
});
const { windows } = weeder.counts();
const afterWindows = heap();
const pods = timed(() => {
  for (const name of names) crash(name);
});
while (weeder.counts().queued + weeder.counts().inFlight > 0) await nextTurn();
const { podDeletions } = weeder.counts();
const afterPods = heap();
const oneMore = Array.from({ length: 100 }, (_, index) => {
  const name = `one-more-${index}`;
  setReady(name, false);
  return timed(() => {
    setReady(name, true);
    crash(name);
  });
});
await nextTurn();
const timers = process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
const stop = timed(() => weeder.stop());
await nextTurn();

const result: ActorsCase = {
  services,
  windows,
  podDeletions,
  timers,
  open: rounded(open),
  pods: rounded(pods),
  oneMore: rounded(median(oneMore), 3),
  stop: rounded(stop),
  windowsHeap: rounded(afterWindows - before),
  podsHeap: rounded(afterPods - afterWindows),
  leftHeap: rounded(heap() - before),
  recovery: await countRecovery(),
};
console.log(JSON.stringify(result));
process.exit();
