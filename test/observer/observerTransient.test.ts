import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import type { Refusal } from '@weeder/kube-runtime/testing';
import { observerTable } from '../../src/observer/report/observerTable.ts';
import { configMap, type ObserverWorld, observerWorld } from '../support/world/observerWorld.ts';

const second = 1_000;
const minute = 60 * second;

const gone = 'request to convert CR to an invalid group/version: example.org/v1alpha1';
const unknownQuota = 'configmaps "one" is forbidden: status unknown for quota: few, resources: count/configmaps';
const noAccount = 'error looking up service account shop/default: serviceaccount "default" not found';
const exceeded = 'configmaps "one" is forbidden: exceeded quota: few, requested: a=1, used: a=1, limited: a=1';

/** Responses that end by themselves. */
const transient: Readonly<Record<string, Refusal>> = {
  'a 429 without Retry-After': { status: 429, message: 'too many requests' },
  'a 500 of managed fields in a version that is gone': { status: 500, message: gone },
  'a 500 of etcd': { status: 500, message: 'etcdserver: leader changed' },
  'a 403 of a quota whose use is not counted yet': { status: 403, message: unknownQuota },
  'a 403 of admission that is starting': {
    status: 403,
    message: 'configmaps "one" is forbidden: not yet ready to handle request',
  },
  'a 403 in a namespace whose default ServiceAccount is not yet created': {
    status: 403,
    message: `pods "one" is forbidden: ${noAccount}`,
  },
  'a 404 of a namespace that is not yet created': {
    status: 404,
    message: 'namespaces "shop" not found',
    details: { name: 'shop', kind: 'namespaces' },
  },
};

/** Responses that require action by a user, although some resemble the others. */
const lasting: Readonly<Record<string, Refusal>> = {
  'a 403 of a quota that is exceeded': { status: 403, message: exceeded },
  'a 403 of a ServiceAccount that does not exist': {
    status: 403,
    message:
      'pods "one" is forbidden: error looking up service account shop/deployer: serviceaccount "deployer" not found',
  },
  'a 403 of a webhook that quotes the words': {
    status: 403,
    message: `admission webhook "w" denied the request: ${unknownQuota}`,
  },
  'a 422': { status: 422, message: 'no', details: { causes: [{ reason: 'FieldValueInvalid', field: 'data' }] } },
};

function tries(world: ObserverWorld, what: string): readonly number[] {
  return world.requests.filter((each) => each.what === what && each.key === 'ConfigMap/one').map(({ at }) => at);
}

/** The notes of the Warnings about failures. */
function warnings(world: ObserverWorld): readonly string[] {
  const contents = [
    ...world.eventsOf('resource.failed').map((event) => observerTable['resource.failed'].event?.(event, undefined)),
    ...world.eventsOf('resource.refused').map((event) => observerTable['resource.refused'].event?.(event, undefined)),
  ];
  return contents.flatMap((content) => (content?.type === 'Warning' ? [content.note] : []));
}

/** The application `web` whose ConfigMap has been applied and was then edited; its correction gets this response. */
async function correcting(answer: Refusal): Promise<ObserverWorld> {
  const world = await observerWorld();
  world.apply('web', { manifests: [configMap('one', 'ours')] });
  await world.pass(2 * second);
  world.refusals.set('correct', answer);
  world.edit('ConfigMap/one', { data: { key: 'theirs' } });
  await world.pass(second / 10);
  return world;
}

for (const [what, answer] of Object.entries(transient))
  test(`${what} is retried within seconds, for a new object and for a correction, without a Warning`, async () => {
    const created = await observerWorld();
    created.refusals.set('create', answer);
    created.apply('web', { manifests: [configMap('one')] });
    await created.pass(second);
    assert.ok(tries(created, 'create').length >= 2, `${tries(created, 'create')}`);
    const corrected = await correcting(answer);
    await corrected.pass(second);
    assert.ok(tries(corrected, 'correct').length >= 2, `${tries(corrected, 'correct')}`);
    for (const world of [created, corrected]) {
      assert.deepEqual(warnings(world), []);
      assert.deepEqual(world.eventsOf('resource.refused'), []);
      assert.ok(world.eventsOf('resource.failed').length > 0);
      world.refusals.clear();
      await world.pass(3 * second);
      assert.equal(world.condition('web', 'InSync'), 'True');
      world.stop();
    }
    assert.equal(objectOf(corrected.object('ConfigMap/one')?.['data'])['key'], 'ours');
  });

for (const [what, answer] of Object.entries(lasting))
  test(`${what} is a Warning`, async () => {
    const world = await correcting(answer);
    assert.equal(warnings(world).length, 1, JSON.stringify(warnings(world)));
    world.stop();
  });

for (const [where, wait] of [
  ['header', 40],
  ['Status', 400],
] as const)
  test(`after a 429 nothing is tried again before its Retry-After of ${wait} s in the ${where}, whatever happens to the object`, async () => {
    const details = { retryAfterSeconds: wait };
    const asked = where === 'Status' ? { details } : { headers: { 'retry-after': String(wait) } };
    const world = await correcting({ status: 429, message: 'too many requests', ...asked });
    const [first = 0] = tries(world, 'correct');
    for (let passed = 0; passed < wait - 2; passed += 1) {
      world.edit('ConfigMap/one', { data: { key: `theirs ${passed}` } });
      await world.pass(second);
    }
    assert.deepEqual(tries(world, 'correct'), [first]);
    assert.deepEqual([warnings(world), world.eventsOf('resource.refused')], [[], []]);
    await world.pass(3 * second);
    const [, next = 0] = tries(world, 'correct');
    assert.ok(next - first >= wait * second && next - first < (wait + 1) * second, `${next - first} ms`);
    world.refusals.clear();
    await world.pass((wait + 1) * second);
    assert.equal(objectOf(world.object('ConfigMap/one')?.['data'])['key'], 'ours');
    world.stop();
  });

test('in a namespace that is being deleted an apply is tried again every five seconds, without a Warning', async () => {
  const ending = { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] };
  const message = 'configmaps "one" is forbidden: unable to create new content in namespace shop';
  const world = await observerWorld();
  world.refusals.set('create', { status: 403, message, details: ending });
  world.apply('web', { manifests: [configMap('one')] });
  await world.pass(minute);
  const count = tries(world, 'create').length;
  assert.ok(count >= 11 && count <= 14, String(count));
  assert.deepEqual([warnings(world), world.eventsOf('resource.terminating').length], [[], 1]);
  world.refusals.clear();
  await world.pass(6 * second);
  assert.equal(world.condition('web', 'InSync'), 'True');
  world.stop();
});

for (const [what, wait] of [
  ['a 429 waits for its Retry-After', 40],
  ['another failure is tried again after growing pauses', undefined],
] as const)
  test(`a deletion of an application that is refused with ${what}`, async () => {
    const world = await observerWorld();
    world.apply('web', { manifests: [configMap('one')] });
    await world.pass(2 * second);
    const headers = wait === undefined ? {} : { 'retry-after': String(wait) };
    world.refusals.set('delete', { status: wait === undefined ? 500 : 429, message: 'no', headers });
    world.deleteApplication('web');
    await world.pass(39 * second);
    const count = tries(world, 'delete').length;
    assert.ok(wait === undefined ? count > 5 : count === 1, String(count));
    world.refusals.clear();
    await world.pass(minute);
    assert.equal(world.application('web'), undefined);
    world.stop();
  });
