import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ownsNamespace } from '../../../src/controller/shard.ts';
import { setSlice, startWeeder, testNamespace, watchDeletions } from '../support/cluster.ts';
import { setScene } from '../support/scene.ts';

const count = 3;

/** A service in one namespace whose dependants are in all namespaces. */
const inAllNamespaces = (name: string) => ({ namespaces: [name], dependantNamespaces: 'all' });

suite('shards', { concurrency: true }, () => {
  test('each recovery opens one window, in the replica whose shard owns the namespace', async (t) => {
    const scene = await setScene(t, 'shared');
    const { cluster } = scene.ns;
    const weeders = Array.from({ length: count }, (_, index) =>
      startWeeder(t, { cluster, config: scene.config, flags: [`--shard=${index}/${count}`] }),
    );
    await Promise.all(weeders.map((weeder) => weeder.ready()));
    const homes = await Promise.all(Array.from({ length: 12 }, () => testNamespace(t, 'home')));
    await Promise.all(
      homes.map(async (ns) => {
        const observer = await watchDeletions(ns);
        const pod = await scene.pod('web', undefined, { ns });
        await setSlice(ns, scene.service, { ready: [false] });
        await setSlice(ns, scene.service, { ready: [true] });
        await observer.untilDeleted(pod.metadata.uid);
      }),
    );
    const opened = 'service recovered, window opened';
    for (const { name: namespace } of homes) {
      const expected = weeders.map((_, index) => (ownsNamespace({ index, count }, namespace) ? 1 : 0));
      await weeders.find((_, index) => expected[index] === 1)?.log.until(opened, { namespace });
      const counts = weeders.map((weeder) => weeder.log.find(opened, { namespace }).length);
      assert.deepEqual(counts, expected, namespace);
    }
  });

  test('the shard that owns a service deletes its dependants in namespaces of other shards too', async (t) => {
    const scene = await setScene(t, 'owner', { settings: inAllNamespaces });
    const { cluster, name } = scene.ns;
    const index = ownsNamespace({ index: 0, count: 2 }, name) ? 0 : 1;
    let foreign = await testNamespace(t, 'foreign');
    while (ownsNamespace({ index, count: 2 }, foreign.name)) foreign = await testNamespace(t, 'foreign');
    const observer = await watchDeletions(foreign);
    const pod = await scene.pod('web', undefined, { ns: foreign });
    const weeder = startWeeder(t, { cluster, config: scene.config, flags: [`--shard=${index}/2`] });
    await weeder.ready();
    await scene.endpoints(false);
    await scene.endpoints(true);
    await observer.untilDeleted(pod.metadata.uid);
  });
});
