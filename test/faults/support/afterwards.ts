import assert from 'node:assert/strict';
import { eventually, getPod, type Pod, podsOf } from '../../cluster/support/cluster.ts';
import { get, measure, measureUsage, type Usage } from './measure.ts';
import type { Play } from './play.ts';

export interface Outcome {
  /** Exactly these pods are deleted, each once. Default: those that crash-looped, by the recovery of the test. */
  readonly deleted?: readonly Pod[];
  /** Windows that the service had so far. Default 1. */
  readonly windows?: number;
}

/** Retries wait 10 s at most, and a request that gets no answer takes 10 s; the rest is for a busy machine. */
const bound = 60_000;
/** A weeder that was suspended through its streams' ends opens them again within this time. */
const restWithin = 90_000;
const mega = 1 << 20;

/**
 * After each fault, and a recovery before, during or after it: the right pods are deleted, each once, and no others;
 * the process runs, is ready, and deletes at the next recovery; streams, actors and memory are as before.
 */
export async function afterwards(play: Play, outcome: Outcome = {}): Promise<void> {
  const { scene, weeder, pages, bystanders } = play;
  const { deleted = play.looping, windows = 1 } = outcome;
  await Promise.all(deleted.map(({ metadata }) => scene.observer.untilDeleted(metadata.uid, bound)));
  const next = await nextRecovery(play, windows + 1);
  await scene.observer.caughtUp();
  scene.assertDeleted(...deleted, next);
  for (const { metadata } of bystanders) {
    assert.equal((await getPod(scene.ns, metadata.name))?.metadata.uid, metadata.uid, `${metadata.name} stays`);
  }
  // The successors, which their controller may be slow to create.
  await podsOf(scene.ns, { workload: 'web' }, play.looping.length);
  assert.equal((await get(pages.health, '/healthz')).status, 200);
  await eventually(async () => (await get(pages.health, '/readyz')).status === 200, { what: 'ready', within: bound });
  await untilAtRest(play);
  assert.ok(!weeder.log.lines.some(({ level }) => level === 'error' || level === 'fatal'));
}

/** Both streams work: the service goes down and recovers again, and what crash-loops then is deleted. */
async function nextRecovery({ scene, weeder }: Play, window: number): Promise<Pod> {
  const { service } = scene;
  await scene.endpoints(false);
  const next = await scene.pod('next');
  await scene.endpoints(true);
  await scene.observer.untilDeleted(next.metadata.uid, bound);
  const opened = 'service recovered, window opened';
  await weeder.log.until(opened, { service, window });
  assert.equal(weeder.log.find(opened, { service }).length, window, 'one window for each recovery');
  return next;
}

/** Streams and actors, and what the process holds after a garbage collection. */
async function untilAtRest({ before, server, weeder, hand, pages }: Play): Promise<void> {
  // The service's own actor is created at its first recovery.
  const rest = { ...before.measured, actors: { ...before.measured.actors, endpoint: 1 } };
  await eventually(
    async (saw) => {
      const now = { watches: server.openWatches, ...(await measure(pages)) };
      saw(now);
      assert.deepEqual(now, { watches: before.watches, ...rest });
      return true;
    },
    { what: 'streams and actors back to their number', within: restWithin, every: 100 },
  );
  await eventually(
    async (saw) => {
      await hand.collect(weeder);
      const now = await measureUsage(pages);
      saw({ now, before: before.usage });
      const more = (key: keyof Usage) => now[key] - before.usage[key];
      // Connections that are idle stay open for a minute.
      return (
        more('heap') < 6 * mega && more('external') < 6 * mega && more('rss') < 60 * mega && more('descriptors') < 12
      );
    },
    { what: 'memory and descriptors that have returned', every: 200 },
  );
}
