import assert from 'node:assert/strict';
import { eventually, getPod, type Pod, podsOf } from '../../cluster/support/cluster.ts';
import { get, measure, measureUsage, type Usage } from './measure.ts';
import type { Scenario } from './scenario.ts';

export interface Expected {
  /** The pods that have been deleted, each once. Default: the crash-looping pods of the scenario. */
  readonly deleted?: readonly Pod[];
  /** The number of windows so far. Default 1. */
  readonly windows?: number;
}

const mega = 1 << 20;

/**
 * Asserts that a fault has no lasting effect: exactly the expected pods are deleted, each once; weeder runs, is ready,
 * and deletes a pod at the next recovery; streams, actors and memory are as before the fault.
 */
export async function assertRecovered(scenario: Scenario, expected: Expected = {}): Promise<void> {
  const { scene, weeder, ports, unaffectedPods } = scenario;
  const { deleted = scenario.looping, windows = 1 } = expected;
  await Promise.all(deleted.map(({ metadata }) => scene.observer.untilDeleted(metadata.uid)));
  const next = await nextRecovery(scenario, windows + 1);
  await scene.observer.caughtUp();
  scene.assertDeleted(...deleted, next);
  for (const { metadata } of unaffectedPods) {
    assert.equal((await getPod(scene.ns, metadata.name))?.metadata.uid, metadata.uid, `${metadata.name} still exists`);
  }
  // Waits for the replacements of the deleted pods.
  await podsOf(scene.ns, { workload: 'web' }, scenario.looping.length);
  assert.equal((await get(ports.health, '/healthz')).status, 200);
  await eventually(async () => (await get(ports.health, '/readyz')).status === 200, { what: 'ready' });
  await untilAtRest(scenario);
  assert.ok(!weeder.log.lines.some(({ level }) => level === 'error' || level === 'fatal'));
}

/** Lets the service go down and recover, and waits until weeder has deleted a pod that crash-loops then. */
async function nextRecovery({ scene, weeder }: Scenario, window: number): Promise<Pod> {
  const { service } = scene;
  // Its streams may be reopened only now, and would not show a service that has recovered already.
  await scene.down(weeder);
  const next = await scene.pod('next');
  await scene.endpoints(true);
  await scene.observer.untilDeleted(next.metadata.uid);
  const opened = 'service recovered, window opened';
  await weeder.log.until(opened, { service, window });
  assert.equal(weeder.log.find(opened, { service }).length, window, 'one window for each recovery');
  return next;
}

/** Waits until streams, actors, memory and descriptors are as before. */
async function untilAtRest({ before, server, weeder, remote, ports }: Scenario): Promise<void> {
  // The actor of the service is created at its first recovery.
  const rest = { ...before.measured, actors: { ...before.measured.actors, endpoint: 1 } };
  await eventually(
    async (saw) => {
      const now = { watches: server.openWatches, ...(await measure(ports)) };
      saw(now);
      assert.deepEqual(now, { watches: before.watches, ...rest });
      return true;
    },
    { what: 'the former number of streams and actors', every: 100 },
  );
  await eventually(
    async (saw) => {
      await remote.collect(weeder);
      const now = await measureUsage(ports);
      saw({ now, before: before.usage });
      const more = (key: keyof Usage) => now[key] - before.usage[key];
      // Idle connections stay open for a minute.
      return (
        more('heap') < 6 * mega && more('external') < 6 * mega && more('rss') < 60 * mega && more('descriptors') < 12
      );
    },
    { what: 'the former use of memory and descriptors', every: 200 },
  );
}
