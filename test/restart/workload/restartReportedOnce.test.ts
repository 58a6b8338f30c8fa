import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@weeder/kube-runtime/base';
import type { ApiRequest } from '@weeder/kube-runtime/client';
import { restartConfig } from '../../support/objects/restartSettings.ts';
import {
  configMap,
  namespace,
  type RestartWorld,
  restartWorld,
  stateOn,
  withEnv,
} from '../../support/world/restartWorld.ts';

const second = 1_000;
const source = configMap('settings');
const login = { kind: 'Secret', namespace, name: 'login' } as const;
const onlyConfigMaps = restartConfig({ sourceKinds: new Set(['ConfigMap'] as const) });

const withSecret: JsonObject = {
  containers: [
    {
      name: 'app',
      image: 'app:1',
      envFrom: [{ secretRef: { name: 'login' } }, { configMapRef: { name: 'settings' } }],
    },
  ],
};

async function deployed(
  config = restartConfig(),
  spec = withEnv('settings', 'a'),
  annotations: Readonly<Record<string, string>> = {},
): Promise<RestartWorld> {
  const world = await restartWorld(config);
  world.putSource(source, { a: '1' });
  world.putSource(login, { password: 'one' });
  await world.pass(10 * second);
  world.putWorkload('web', spec, { annotations });
  await world.pass(10 * second);
  return world;
}

const refusal = {
  reason:
    'its pods cannot be listed, and its rollout is followed by its status alone: https://api.test refused (403): refused.',
  failure: 'forbidden',
};

const isEviction = ({ path }: ApiRequest) => path.endsWith('/eviction');
const noEvictions = (request: ApiRequest) => (isEviction(request) ? { status: 429 } : undefined);
const noLists = (request: ApiRequest) => (request.path.endsWith('/pods') ? { status: 403 } : noEvictions(request));

function refusalsIn(world: RestartWorld): readonly object[] {
  return world.eventsOf('workload.refused').map(({ reason, failure }) => ({ reason, failure }));
}

test('if the pods cannot be listed, the rollout is followed by the status, and that is reported', async () => {
  const world = await deployed();
  world.rolloutTime = 60 * second;
  world.putSource(source, { a: '2' });
  await world.pass(10 * second);
  assert.equal(world.rollouts.length, 1);
  world.fault = noLists;
  await world.pass(40 * second);
  assert.deepEqual(world.control.counts().states, { rolling: 1 });
  await world.pass(20 * second);
  assert.deepEqual(refusalsIn(world), [refusal]);
  assert.equal(world.eventsOf('workload.rolledOut').length, 1);
  assert.deepEqual(world.control.counts().states, { current: 1 });
});

test('if pods cannot be listed during evictions, that is reported once, and no pod counts as new', async () => {
  const world = await deployed(restartConfig({ rule: { strategy: 'evict' } }));
  world.putSource(source, { a: '2' });
  world.fault = noEvictions;
  await world.pass(20 * second);
  world.fault = noLists;
  await world.pass(40 * second);
  assert.deepEqual(refusalsIn(world).slice(1), [refusal]);
  assert.deepEqual(world.eventsOf('workload.rolledOut'), []);
  world.fault = () => undefined;
  await world.pass(20 * second);
  assert.equal(world.eventsOf('workload.rolledOut').length, 1);
  assert.equal(world.evicted.length, 1);
});

test('a used Secret that sourceKinds excludes is reported once, and restarts nothing', async () => {
  const world = await deployed(onlyConfigMaps, withSecret);
  world.putSource(login, { password: 'two' });
  await world.pass(60 * second);
  assert.deepEqual(
    world.eventsOf('dependency.notFollowed').map(({ source: each, workload }) => [each, workload.name]),
    [[login, 'web']],
  );
  assert.equal(world.rollouts.length, 0);
  world.putSource(source, { a: '2' });
  await world.pass(60 * second);
  assert.equal(world.rollouts.length, 1);
});

test('an excluded source that an annotation names is reported too; a followed source is not', async () => {
  const annotations = { 'weeder.dev/also-depends-on': 'secret/login,configmap/settings' };
  const world = await deployed(onlyConfigMaps, withEnv('settings', 'a'), annotations);
  assert.deepEqual(
    world.eventsOf('dependency.notFollowed').map(({ source: each }) => each.name),
    ['login'],
  );
  const other = await deployed(restartConfig(), withSecret, annotations);
  assert.deepEqual(other.eventsOf('dependency.notFollowed'), []);
});

test('a weeder does not change states that were written with an unknown key, and reports that once', async () => {
  const world = await deployed();
  world.putWorkload('api', withEnv('settings', 'a'));
  await world.pass(10 * second);
  const states = ['web', 'api'].map((name) => stateOn(world.workload(name)));
  world.changeKey(9);
  world.configure(restartConfig({ rules: [] }));
  world.stop();
  await world.restart();
  await world.pass(60 * second);
  assert.deepEqual(
    ['web', 'api'].map((name) => stateOn(world.workload(name))),
    states,
  );
  assert.equal(world.eventsOf('state.foreign').length, 1);
  assert.deepEqual(world.eventsOf('workload.released'), []);
});

test('weeder removes its own state when no rule matches any more', async () => {
  const world = await deployed();
  world.configure(restartConfig({ rules: [] }));
  await world.pass(60 * second);
  assert.equal(stateOn(world.workload('web')), undefined);
  assert.equal(world.eventsOf('workload.released').length, 1);
  assert.deepEqual(world.eventsOf('state.foreign'), []);
});
