import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backOff, type PodOptions, running } from '../../support/objects/objects.ts';
import { configFor, minute, type SimulationOptions } from '../../support/world/simulation.ts';
import { ends, type World, world } from '../../support/world/world.ts';

/** A crash-looping pod that declares these services. */
function declaring(name: string, services: readonly string[]): PodOptions {
  return {
    name,
    containers: [backOff()],
    labels: { app: name, 'weeder.dev/depends-on': '' },
    annotations: { 'weeder.dev/depends-on-services': services.join(', ') },
  };
}

function declaredWorld(services: readonly string[], options: SimulationOptions = {}, before?: (at: World) => void) {
  const declared = { services: new Set(services.map((name) => `shoot-1/${name}`)), ...options.declared };
  return world({ services: [], ...options, declared }, before);
}

const up = (service: string) => ({ service, ready: [true] });
/** Its pods run, and none is ready. */
const starting = (service: string) => ({ service, ready: [false] });
/** It has no pods. */
const empty = (service: string) => ({ service, ready: [] });

test('a first installation of three levels settles with one deletion of each pod, level by level', async () => {
  const at = declaredWorld(['db', 'api'], {}, (before) => {
    before.slice(starting('db'));
    before.slice(starting('api'));
  });
  const replicas = (name: string) => [`${name}-0`, `${name}-1`];
  for (const name of replicas('api')) at.put(declaring(name, ['db']));
  for (const name of replicas('web')) at.put(declaring(name, ['db', 'api']));
  await at.clock.pass(minute);
  assert.deepEqual(at.timeline(), []);
  at.slice(up('db'));
  await at.clock.pass(1_000);
  for (const name of replicas('new-api')) at.put({ ...declaring(name, ['db']), containers: [running()] });
  await at.clock.pass(9_000);
  assert.deepEqual(at.timeline(), ['api-0@60000', 'api-1@60000']);
  const held = { service: 'db', reason: 'dependencyNotReady', heldBy: 'shoot-1/api' };
  assert.partialDeepStrictEqual(
    at.eventsOf('deletion.pending'),
    replicas('web').map((name) => ({ pod: { name }, ...held })),
  );
  at.slice(up('api'));
  await at.clock.pass(1_000);
  for (const name of replicas('new-web')) at.put({ ...declaring(name, ['db', 'api']), containers: [running()] });
  await ends(at);
  assert.deepEqual(at.timeline(), ['api-0@60000', 'api-1@60000', 'web-0@70000', 'web-1@70000']);
});

test('a service that was never ready holds only while it has pods, and no longer than the window', async () => {
  const at = declaredWorld(['db', 'api', 'absent']);
  at.slice(empty('api'));
  at.put(declaring('scaled-to-zero', ['db', 'api']));
  at.put(declaring('of-an-absent-one', ['db', 'absent']));
  at.slice(up('db'));
  await at.clock.pass(1000);
  assert.deepEqual(at.deletedNames().sort(), ['of-an-absent-one', 'scaled-to-zero']);
  at.slice(starting('api'));
  at.put(declaring('of-a-starting-one', ['db', 'api']));
  at.put(declaring('of-one-that-is-scaled-down', ['db', 'api']));
  await at.clock.pass(10_000);
  assert.equal(at.deletions.length, 2);
  at.slice(empty('api'));
  await at.clock.pass(1000);
  assert.deepEqual(at.deletedNames().slice(2).sort(), ['of-a-starting-one', 'of-one-that-is-scaled-down']);
  at.slice(starting('api'));
  at.put(declaring('held', ['db', 'api']));
  await ends(at);
  assert.equal(at.deletions.length, 4);
  assert.partialDeepStrictEqual(at.eventsOf('deletion.expired'), [{ pod: { name: 'held' } }]);
});

test('a service that was never ready does not hold the pods that only a podSelector selects, nor with whileNotReady: delete', async () => {
  const selecting = { name: 'api', podSelectors: [{ matchLabels: { app: 'selected' } }] };
  for (const options of [{ services: [selecting] }, { declared: { whileNotReady: 'delete' } } as const]) {
    const at = declaredWorld(['db', 'api'], options);
    at.slice(starting('api'));
    at.put(declaring('selected', options.services === undefined ? ['db', 'api'] : ['db']));
    at.slice(up('db'));
    await ends(at);
    assert.deepEqual(at.timeline(), ['selected@0']);
  }
});

test('of twenty services, the last one that is not ready holds the pod', async () => {
  const services = Array.from({ length: 20 }, (_, index) => `db-${index + 1}`);
  const at = declaredWorld(services);
  for (const service of services) at.slice(starting(service));
  at.put(declaring('web', services));
  for (const service of services) {
    assert.deepEqual(at.timeline(), []);
    at.slice(up(service));
    await at.clock.pass(1000);
  }
  await ends(at);
  assert.deepEqual(at.timeline(), ['web@19000']);
});

test('two services that depend on each other wait for the kubelet, and then for one another no more', async () => {
  const at = declaredWorld(['db', 'a', 'b']);
  at.slice(starting('a'));
  at.slice(starting('b'));
  at.put(declaring('a', ['db', 'b']));
  at.put(declaring('b', ['db', 'a']));
  at.put(declaring('itself', ['itself', 'db']));
  at.slice(up('db'));
  await at.clock.pass(10_000);
  assert.deepEqual(at.timeline(), ['itself@0'], 'a service without a slice holds no pod, and no pod waits for itself');
  at.slice(up('a'));
  await ends(at);
  assert.deepEqual(at.timeline(), ['itself@0', 'b@10000']);
});

test('a service that the config names while it starts holds from then on, and not when it is removed', async () => {
  const declared = { services: new Set(['shoot-1/db', 'shoot-1/api']) };
  const at = declaredWorld(['db']);
  at.slice(starting('api'));
  at.put(declaring('web', ['db', 'api']));
  at.weeder.configure(configFor({ services: [], declared }));
  at.slice(up('db'));
  await at.clock.pass(10_000);
  assert.deepEqual(at.timeline(), []);
  at.weeder.configure(configFor({ services: [], declared: { services: new Set(['shoot-1/db']) } }));
  await at.clock.pass(1000);
  assert.deepEqual(at.timeline(), ['web@10000']);
  at.slice(up('api'));
  at.weeder.configure(configFor({ services: [], declared }));
  at.put(declaring('later', ['db', 'api']));
  await ends(at);
  assert.deepEqual(at.timeline(), ['web@10000', 'later@11000'], 'it recovered while the config did not name it');
});
