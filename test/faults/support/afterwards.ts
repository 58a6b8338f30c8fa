import assert from 'node:assert/strict';
import { eventually, getPod, type Pod, podsOf } from '../../cluster/support/cluster.ts';
import { ask, type Held, measure, measureHeld } from './measure.ts';
import type { Play } from './play.ts';

export interface Outcome {
  /** Exactly these pods are gone, each once. Default: those that crash-looped, by the recovery that the test played. */
  readonly deleted?: readonly Pod[];
  /** Milliseconds from now until the last of them is gone. */
  readonly within?: number;
  /** Windows that the service had so far. Default 1. */
  readonly windows?: number;
}

/** Retries wait 10 s at most, and a request that gets no answer takes 10 s. */
const bound = 25_000;
/** A weeder that stood still through its streams' ends opens them again in this time at the latest. */
const restWithin = 35_000;
const mega = 1 << 20;

/**
 * After each fault, and a recovery before, during or after it: the right pods are deleted, each once, and nobody else;
 * the process lives, is ready, and deletes at the next recovery; streams, actors and memory are what they were.
 */
export async function afterwards(play: Play, outcome: Outcome = {}): Promise<void> {
  const { scene, weeder, pages, bystanders } = play;
  const { deleted = play.looping, within = bound, windows = 1 } = outcome;
  await Promise.all(deleted.map(({ metadata }) => scene.observer.untilDeleted(metadata.uid, within)));
  const next = await nextRecovery(play, windows + 1);
  await scene.observer.caughtUp();
  scene.assertDeleted(...deleted, next);
  for (const { metadata } of bystanders) {
    assert.equal((await getPod(scene.ns, metadata.name))?.metadata.uid, metadata.uid, `${metadata.name} stays`);
  }
  // The successors, which its controller may be slow to make.
  await podsOf(scene.ns, { workload: 'web' }, play.looping.length);
  assert.equal((await ask(pages.health, '/healthz')).status, 200);
  await eventually(async () => (await ask(pages.health, '/readyz')).status === 200, { what: 'ready', within: bound });
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

/** Streams and actors, and what the process holds after a collection. */
async function untilAtRest({ before, server, weeder, hand, pages }: Play): Promise<void> {
  // The service's own actor comes with its first recovery.
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
      const now = await measureHeld(pages);
      saw({ now, before: before.held });
      const more = (key: keyof Held) => now[key] - before.held[key];
      // Connections that are idle stay open for a minute.
      return (
        more('heap') < 6 * mega && more('external') < 6 * mega && more('rss') < 60 * mega && more('descriptors') < 12
      );
    },
    { what: 'memory and descriptors that have returned', every: 200 },
  );
}
