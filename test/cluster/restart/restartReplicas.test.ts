import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { z } from 'zod';
import { ownsNamespace } from '../../../src/controller/shard.ts';
import { eventually, KubeObject, Metadata, testNamespace } from '../support/cluster.ts';
import { type PassingRequest, startRequestProxy } from '../support/plane/requestProxy.ts';
import { elected, expiring } from '../support/replicas.ts';
import { type RestartScene, setRestartScene } from '../support/restart/restartScene.ts';

const Deployments = z.looseObject({
  items: z.array(
    KubeObject.extend({
      metadata: Metadata.extend({ generation: z.number() }),
      status: z
        .looseObject({
          observedGeneration: z.number().optional(),
          conditions: z.array(z.looseObject({ reason: z.string() })).optional(),
        })
        .optional(),
    }),
  ),
});
const many = 200;
const noPods = { spec: { replicas: 0 }, uses: { envFrom: [{ configMapRef: { name: 'shared' } }] } };

/** Returns the writes other than those of the Lease and of Events. */
function writesIn(requests: readonly PassingRequest[]): string[] {
  return requests
    .filter(({ method, path }) => method !== 'GET' && !/\/(leases|events)(\/|\?|$)/.test(path))
    .map(({ method, path }) => `${method} ${path}`);
}

function namesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `web-${index}`);
}

async function versionsOf({ ns }: RestartScene): Promise<Readonly<Record<string, string>>> {
  const { items } = Deployments.parse(await ns.cluster.api('GET', ns.path('apis/apps/v1', 'deployments')));
  return Object.fromEntries(items.map(({ metadata: { name, resourceVersion } }) => [name, resourceVersion]));
}

async function untilAllAdopted(scene: RestartScene, count: number): Promise<void> {
  await eventually(
    async (saw) => {
      const { items } = Deployments.parse(
        await scene.ns.cluster.api('GET', scene.ns.path('apis/apps/v1', 'deployments')),
      );
      // The controllers have observed the states too, so no client has a reason to write.
      const done = items.filter(
        ({ metadata: { annotations, generation }, status }) =>
          annotations?.['weeder.dev/dependencies'] !== undefined &&
          status?.observedGeneration === generation &&
          status.conditions?.some(({ reason }) => reason === 'NewReplicaSetAvailable'),
      ).length;
      saw(done);
      return done === count;
    },
    { what: `${count} workloads that are adopted`, every: 200 },
  );
}

suite('several replicas, and processes that follow one another', { concurrency: true }, () => {
  test('a restart after SIGKILL, and a failover, with 200 workloads write nothing and restart nothing', async (t) => {
    const scene = await setRestartScene(t, 'many');
    const { cluster, name: namespace } = scene.ns;
    await scene.put('shared', { word: 'one' });
    await Promise.all(namesOf(many).map((name) => scene.make('Deployment', name, { ...noPods, isAwaited: false })));
    const flags = [...elected(namespace), ...expiring];
    const replica = async () => {
      const proxy = await startRequestProxy(t, cluster, () => undefined);
      const weeder = scene.begin(t, { flags, kubeconfig: proxy.kubeconfig });
      return { weeder, requests: proxy.requests };
    };
    const first = await replica();
    await untilAllAdopted(scene, many);
    const before = await versionsOf(scene);
    const second = await replica();
    await second.weeder.log.until('another replica leads, standing by');

    // First the standby replica takes over, and then a process starts while no other one runs.
    await first.weeder.kill();
    await second.weeder.log.until('caches synced, starting restart control');
    await second.weeder.log.until('hash key read');
    await scene.make('Deployment', 'later', noPods);
    await scene.untilAdopted('Deployment', 'later');
    await second.weeder.kill();
    const third = await replica();
    await third.weeder.log.until('hash key read');
    await scene.make('Deployment', 'last', noPods);
    await scene.untilAdopted('Deployment', 'last');

    const { later: _later, last: _last, ...after } = await versionsOf(scene);
    assert.equal(Object.keys(after).length, many);
    assert.deepEqual(after, before);
    // A write that conflicts with one of the controller is refused and retried.
    const adoptions = (name: string) =>
      new Set([`PATCH /apis/apps/v1/namespaces/${namespace}/deployments/${name}?fieldManager=weeder`]);
    assert.deepEqual(new Set(writesIn(second.requests)), adoptions('later'));
    assert.deepEqual(new Set(writesIn(third.requests)), adoptions('last'));
  });

  test('of two replicas only the leader writes, and a change is one rollout', async (t) => {
    const scene = await setRestartScene(t, 'leader');
    const { cluster, name: namespace } = scene.ns;
    const flags = elected(namespace);
    const replicas = await Promise.all(
      [1, 2].map(async () => {
        const proxy = await startRequestProxy(t, cluster, () => undefined);
        return { weeder: scene.begin(t, { flags, kubeconfig: proxy.kubeconfig }), requests: proxy.requests };
      }),
    );
    await scene.put('web', { word: 'one' });
    await scene.make('Deployment', 'web');
    await scene.untilAdopted('Deployment', 'web');
    await scene.put('web', { word: 'two' });
    await scene.untilDone('Deployment', 'web', 1);
    const leads = ({ weeder }: (typeof replicas)[number]) => weeder.log.find('this replica leads').length;
    const [behind, leader] = replicas.toSorted((one, other) => leads(one) - leads(other));
    assert(behind && leader);
    assert.deepEqual([leads(leader), leads(behind)], [1, 0]);
    assert.ok(writesIn(leader.requests).length >= 3);
    assert.deepEqual(writesIn(behind.requests), []);
  });

  test('with shards each workload is restarted once, by the shard that owns its namespace', async (t) => {
    const scenes = await Promise.all([1, 2, 3, 4].map(() => setRestartScene(t, 'shard')));
    const keys = await testNamespace(t, 'keys');
    const names = scenes.map(({ ns }) => ns.name);
    const [scene] = scenes;
    assert(scene);
    const shards = await Promise.all(
      [0, 1].map(async (index) => {
        const { requests, kubeconfig } = await startRequestProxy(t, scene.ns.cluster, () => undefined);
        const config = scene.config({ rules: [{ kinds: ['Deployment'] }], hashKey: { namespace: keys.name } });
        const flags = [`--namespaces=${names.join(',')}`, `--shard=${index}/2`];
        return { requests, weeder: await scene.start(t, { config, flags, kubeconfig }) };
      }),
    );
    await Promise.all(
      scenes.map(async (restartScene) => {
        await restartScene.put('web', { word: 'one' });
        await restartScene.make('Deployment', 'web', { spec: { replicas: 1 } });
        await restartScene.untilAdopted('Deployment', 'web');
        await restartScene.put('web', { word: 'two' });
        await restartScene.untilDone('Deployment', 'web', 1);
      }),
    );
    for (const name of names) {
      const writers = shards.map(({ requests }) => writesIn(requests).some((each) => each.includes(`/${name}/`)));
      assert.deepEqual(
        writers,
        [0, 1].map((index) => ownsNamespace({ index, count: 2 }, name)),
        name,
      );
    }
  });
});
