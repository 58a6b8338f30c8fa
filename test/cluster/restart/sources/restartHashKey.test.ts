import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, suite, test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import { type Cleanup, suiteCleanup } from '../../support/cleanup.ts';
import { eventually } from '../../support/cluster.ts';
import type { Deployed } from '../../support/deploy/deployment.ts';

import { type DeploymentScene, setDeploymentScene } from '../../support/restart/deploymentScene.ts';

const main = { name: 'main', image: 'registry.invalid/web:1' };

function using(name: string): object {
  return { containers: [{ ...main, envFrom: [{ configMapRef: { name } }] }] };
}

function newKey(): string {
  return randomBytes(32).toString('base64');
}

/** Two adopted workloads, and the hash key of the stopped weeder. */
interface Adopted {
  readonly scene: DeploymentScene;
  readonly web: Deployed;
  readonly shop: Deployed;
  readonly keyId: string;
}

const cases = ['lost', 'empty', 'another', 'rotated', 'malformed'] as const;
type Case = (typeof cases)[number];

/** Lets one weeder adopt the workloads of all cases, and then gives each case its own copy of the key. */
async function adoptAll(t: Cleanup): Promise<ReadonlyMap<Case, Adopted>> {
  const scenes = await Promise.all(cases.map((name) => setDeploymentScene(t, `key-${name}`)));
  const [first, ...others] = scenes;
  assert(first);
  const weeder = await first.start(t, {}, { flags: [`--namespaces=${scenes.map(({ ns }) => ns.name).join(',')}`] });
  const deploy = async (scene: DeploymentScene, name: string) => {
    await scene.make('configmaps', name, { data: { a: '1' } });
    return scene.deploy(name, using(name));
  };
  const entries = await Promise.all(
    scenes.map(async (scene, index): Promise<[Case, Adopted]> => {
      const [web, shop] = await Promise.all([deploy(scene, 'web'), deploy(scene, 'shop')]);
      return [cases[index] ?? 'lost', { scene, web, shop, keyId: (await web.current()).keyId }];
    }),
  );
  await weeder.stop();
  const data = await keyOf(first).read();
  await Promise.all(others.map((scene) => scene.make('secrets', 'weeder-hash-key', { data })));
  return new Map(entries);
}

type Key = ReturnType<typeof keyOf>;

function keyOf({ ns }: DeploymentScene) {
  const path = ns.path('api/v1', 'secrets', 'weeder-hash-key');
  return {
    read: async () => objectOf(objectOf(await ns.cluster.api('GET', path))['data']),
    remove: () => ns.cluster.api('DELETE', path),
    put: (data: object | null) => ns.cluster.api('PATCH', path, { data }),
  };
}

async function untilWrittenAgain(web: Deployed, before: string): Promise<string> {
  const { keyId } = await eventually(
    async (saw) => {
      const now = await web.state();
      saw(now);
      return now !== undefined && now.keyId !== before && now;
    },
    { what: `a state of ${web.name} under another key` },
  );
  return keyId;
}

suite('the Secret with the hash key', { concurrency: true }, () => {
  const t = suiteCleanup();
  let adoptions: ReadonlyMap<Case, Adopted> = new Map();

  before(async () => {
    adoptions = await adoptAll(t);
  });

  function adopted(name: Case): Adopted {
    const adoption = adoptions.get(name);
    assert(adoption, name);
    return adoption;
  }

  for (const [what, title, lose] of [
    ['lost', 'lost', (key: Key) => key.remove()],
    ['empty', 'emptied', (key: Key) => key.put(null)],
    ['another', 'replaced by another one', (key: Key) => key.put({ key: newKey() })],
  ] as const) {
    test(`after a key is ${title}, the states are written again and nothing restarts, and the next change restarts`, async (t) => {
      const { scene, web, shop, keyId } = adopted(what);
      await lose(keyOf(scene));
      await scene.start(t);
      const now = await untilWrittenAgain(web, keyId);
      assert.equal(await untilWrittenAgain(shop, keyId), now);
      await scene.caughtUp();
      assert.deepEqual([await web.rollouts(), await shop.rollouts()], [0, 0]);
      await scene.change('configmaps', 'web', { data: { a: '2' } });
      await web.restarted(1);
      assert.deepEqual((await web.content())?.env, { a: '2' });
      await scene.caughtUp();
      assert.deepEqual([await web.rollouts(), await shop.rollouts()], [1, 0]);
    });
  }

  test('after a rotation with the old key, unchanged workloads are written again, and a change in between is detected', async (t) => {
    const { scene, web, shop, keyId } = adopted('rotated');
    const key = keyOf(scene);
    const { key: old } = await key.read();
    await key.put({ key: newKey(), before: old });
    await scene.change('configmaps', 'web', { data: { a: '2' } });
    await scene.start(t);
    await web.restarted(1);
    assert.deepEqual((await web.content())?.env, { a: '2' });
    const now = await untilWrittenAgain(shop, keyId);
    assert.equal(await untilWrittenAgain(web, keyId), now);
    await scene.caughtUp();
    assert.deepEqual([await web.rollouts(), await shop.rollouts()], [1, 0]);
  });

  test('a malformed key is reported once, and nothing restarts; corrected, the change in between is one rollout', async (t) => {
    const { scene, web, shop, keyId } = adopted('malformed');
    const key = keyOf(scene);
    const { key: right } = await key.read();
    await key.put({ key: Buffer.from('short').toString('base64') });
    const weeder = scene.begin(t, {}, { expects: { errorLines: /no hash key: nothing is restarted/ } });
    const line = await weeder.log.until('no hash key: nothing is restarted');
    assert.match(String(line['reason']), /weeder-hash-key has 5 bytes in key, and a key needs at least 32\./);
    await scene.change('configmaps', 'web', { data: { a: '2' } });
    const reported = await web.reported('RestartBlocked');
    assert.match(reported.join(), /^It is not restarted: the hash key is unavailable\.$/);
    await weeder.log.until('restart blocked', { workload: 'deployment/web' });
    assert.equal(weeder.log.find('restart blocked', { workload: 'deployment/web' }).length, 1);
    assert.deepEqual([await web.rollouts(), await shop.rollouts()], [0, 0]);
    assert.equal((await key.read())['key'], Buffer.from('short').toString('base64'));
    await key.put({ key: right });
    await web.restarted(1);
    await scene.caughtUp();
    assert.deepEqual([await web.rollouts(), await shop.rollouts()], [1, 0]);
    assert.equal((await web.current()).keyId, keyId);
    assert.equal(weeder.log.find('no hash key: nothing is restarted').length, 1);
  });
});
