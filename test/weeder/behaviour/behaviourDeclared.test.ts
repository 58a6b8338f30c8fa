import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDeclared } from '../../../src/config/serviceLookup.ts';
import { backOff, type PodOptions, running, terminated } from '../../support/objects/objects.ts';
import { configFor, minute, type SimulationOptions } from '../../support/world/simulation.ts';
import { ends, world } from '../../support/world/world.ts';

const up = { service: 'db', ready: [true] };
const down = { service: 'db', ready: [false] };

/** A crash-looping pod that declares these dependencies and nothing else selects. */
function declaring(
  name: string,
  label: string,
  options: PodOptions & { readonly annotation?: string } = {},
): PodOptions {
  const { annotation, ...rest } = options;
  return {
    name,
    containers: [backOff()],
    labels: { 'weeder.dev/depends-on': label },
    annotations: annotation === undefined ? {} : { 'weeder.dev/depends-on-services': annotation },
    ...rest,
  };
}

/** A weeder without configured services, for which pods declare these. */
function declaredWorld(services: readonly string[] = ['shoot-1/db'], options: SimulationOptions = {}) {
  return world({ services: [], ...options, declared: { services: new Set(services), ...options.declared } });
}

test('when a declared service recovers, the crash-looping pods that declare it are deleted, and no others', async () => {
  const at = declaredWorld();
  at.put(declaring('web', 'db'));
  at.put(declaring('silent', '', { annotation: 'redis, db', containers: [terminated(at.clock.now() - 10_000)] }));
  at.put(declaring('healthy', 'db', { containers: [running(4)] }));
  at.put(declaring('of-another', 'redis'));
  at.put(declaring('of-another-namespace', 'db.shoot-2'));
  at.put(declaring('bare', 'db', { isBare: true }));
  at.put(declaring('ignored', 'db', { annotations: { 'weeder.dev/ignore': 'true' } }));
  at.put({ name: 'undeclared', labels: { app: 'web' }, containers: [backOff()] });
  at.slice(up);
  await at.clock.pass(1000);
  assert.deepEqual(at.deletedNames().sort(), ['silent', 'web']);
  assert.deepEqual(
    at
      .eventsOf('pod.skipped')
      .map(({ pod, reason }) => `${pod.name} ${reason}`)
      .sort(),
    ['bare barePod', 'ignored ignored'],
  );
  at.put(declaring('late', 'db'));
  await ends(at);
  assert.deepEqual(at.deletedNames().at(-1), 'late');
});

test('pods of other namespaces declare a service with its namespace', async () => {
  const at = declaredWorld();
  at.put(declaring('near', 'db.shoot-1'));
  at.put(declaring('far', 'db.shoot-1', { namespace: 'shoot-2' }));
  at.put(declaring('its-own', 'db', { namespace: 'shoot-2' }));
  at.slice({ ...up, namespace: 'shoot-2' });
  await at.clock.pass(1000);
  assert.deepEqual(at.deletedNames(), [], 'shoot-2/db is not watched');
  at.slice(up);
  await ends(at);
  assert.deepEqual(at.deletedNames().sort(), ['far', 'near']);
});

test('only pods of the namespaces in the section are dependants', async () => {
  const at = declaredWorld(['shoot-1/db'], { declared: { namespaces: ['shoot-2'] } });
  at.put(declaring('near', 'db'));
  at.put(declaring('far', 'db.shoot-1', { namespace: 'shoot-2' }));
  at.slice(up);
  await ends(at);
  assert.deepEqual(at.deletedNames(), ['far']);
});

test('the settings of the section apply to declared services', async () => {
  const declared = { watchDuration: minute, barePods: 'delete', deletion: 'evict', whileNotReady: 'delete' } as const;
  const at = declaredWorld(['shoot-1/db'], { declared });
  at.put(declaring('bare', 'db', { isBare: true }));
  at.slice(up);
  await at.clock.pass(1000);
  at.slice(down);
  at.put(declaring('web', 'db'));
  await at.clock.pass(minute);
  assert.deepEqual(
    at.deletions.map(({ name, how }) => `${name} ${how}`),
    ['bare evict', 'web evict'],
  );
  assert.equal(at.eventsOf('window.closed').length, 1);
});

test('a service that is configured and declared keeps its settings, and has the dependants of both', async () => {
  const settings = { name: 'db', podSelectors: [{ matchLabels: { uses: 'db' } }], watchDuration: minute };
  const at = world({ service: settings, declared: { services: new Set(['shoot-1/db']), watchDuration: 10 * minute } });
  at.put({ name: 'selected', labels: { uses: 'db' }, containers: [backOff()] });
  at.put(declaring('declaring', 'db'));
  at.put(declaring('both', 'db', { labels: { uses: 'db', 'weeder.dev/depends-on': 'db' } }));
  at.put(declaring('far', 'db.shoot-1', { namespace: 'shoot-2' }));
  at.slice(up);
  await at.clock.pass(minute);
  assert.deepEqual(at.deletedNames().sort(), ['both', 'declaring', 'far', 'selected']);
  assert.deepEqual(
    at.eventsOf('window.closed').map(({ deleted }) => deleted),
    [4],
  );
});

test('without the section the label has no effect', async () => {
  const at = world({ service: { name: 'db', podSelectors: [{ matchLabels: { uses: 'db' } }] } });
  at.put(declaring('web', 'db'));
  at.slice(up);
  await ends(at);
  assert.deepEqual(at.deletedNames(), []);
});

test('while a declared service is down again, deletions are held until it recovers', async () => {
  const at = declaredWorld();
  at.slice(up);
  at.slice(down);
  at.put(declaring('web', 'db'));
  await at.clock.pass(minute);
  assert.deepEqual(at.deletedNames(), []);
  at.slice(up);
  await ends(at);
  assert.deepEqual(at.deletedNames(), ['web']);
});

test('a pod whose label changes is a dependant of the new service, and of the old one no more', async () => {
  const at = declaredWorld(['shoot-1/db', 'shoot-1/redis']);
  at.put(declaring('to', 'redis', { isBare: false }));
  at.put(declaring('from', 'db'));
  at.put(declaring('from', 'redis'));
  at.put(declaring('to', 'db'));
  at.slice(up);
  await ends(at);
  assert.deepEqual(at.deletedNames(), ['to']);
  assert.deepEqual([at.weeder.crashLooping('shoot-1', 'db'), at.weeder.crashLooping('shoot-1', 'redis')], [0, 1]);
});

test('a pod whose label changes before its deletion is due is no longer deleted', async () => {
  const at = declaredWorld(['shoot-1/db', 'shoot-1/redis']);
  at.slice(up);
  const containers = [terminated(at.clock.now())];
  at.put(declaring('web', 'db', { containers }));
  await at.clock.pass(1000);
  at.put(declaring('web', 'redis', { containers }));
  await ends(at);
  assert.deepEqual(at.deletedNames(), []);
  assert.deepEqual(
    at.eventsOf('pod.removed').map(({ service }) => service),
    ['db'],
  );
});

test('a pod that declares two recovering services is deleted once, and counts for the first window', async () => {
  const at = declaredWorld(['shoot-1/db', 'shoot-1/redis']);
  at.slice(up);
  at.slice({ service: 'redis' });
  at.put(declaring('web', 'db', { annotation: 'redis', containers: [terminated(at.clock.now())] }));
  await ends(at);
  assert.deepEqual(at.deletedNames(), ['web']);
  assert.deepEqual(
    at.eventsOf('window.closed').map(({ deleted }) => deleted),
    [1, 0],
  );
});

test('a service that is declared while weeder runs counts from then on, and the windows of others are unaffected', async () => {
  const at = declaredWorld(['shoot-1/redis'], { readySince: () => 0 });
  const redeclare = (...services: readonly string[]) =>
    at.weeder.configure(withDeclared(configFor({ services: [], declared: {} }), new Set(services)));
  at.slice({ service: 'redis' });
  at.slice(down);
  await at.clock.pass(1000);
  redeclare('shoot-1/redis', 'shoot-1/db');
  at.put(declaring('web', 'db'));
  at.put(declaring('cache', 'redis'));
  await at.clock.pass(1000);
  assert.deepEqual(at.deletedNames(), ['cache']);
  at.slice(up);
  await at.clock.pass(1000);
  assert.deepEqual(at.deletedNames(), ['cache', 'web']);
  redeclare('shoot-1/db');
  await ends(at);
  assert.deepEqual(
    at.eventsOf('window.closed').map(({ service, window }) => `${service} ${window}`),
    ['redis 1', 'db 1'],
  );
  assert.equal(at.weeder.counts().endpoints, 1);
});

test('if the section is added or removed, open windows gain or lose the declared dependants', async () => {
  const service = { name: 'db', podSelectors: [{ matchLabels: { uses: 'db' } }] };
  const at = world({ service, readySince: () => 0 });
  at.slice(up);
  at.put(declaring('first', 'db'));
  await at.clock.pass(1000);
  assert.deepEqual(at.deletedNames(), []);
  at.weeder.configure(configFor({ service, declared: { services: new Set(['shoot-1/db']) } }));
  await at.clock.pass(1000);
  assert.deepEqual(at.deletedNames(), ['first']);
  at.weeder.configure(configFor({ service }));
  at.put(declaring('second', 'db'));
  await ends(at);
  assert.deepEqual(at.deletedNames(), ['first']);
  assert.equal(at.eventsOf('window.closed').length, 1);
});

test('a dependant that never started is named when the window closes', async () => {
  const at = declaredWorld();
  at.put(declaring('unpulled', 'db', { containers: [{ state: { waiting: { reason: 'ImagePullBackOff' } } }] }));
  at.put(declaring('other', 'redis', { containers: [{ state: { waiting: { reason: 'ImagePullBackOff' } } }] }));
  at.slice(up);
  await ends(at);
  const [closed] = at.eventsOf('window.closed');
  assert.deepEqual(
    closed?.neverStarted?.map(({ name }) => name),
    ['unpulled'],
  );
});

test('a declared service that was never seen does not exist, and neither does a name of the config', async () => {
  const at = world({
    service: { name: 'db', namespaces: ['a'] },
    declared: { services: new Set(['b/db', 'b/redis']) },
  });
  at.slice({ service: 'db', namespace: 'b' });
  const services = [...at.weeder.services()].map(({ namespace, service, exists }) => ({ namespace, service, exists }));
  assert.deepEqual(services, [
    { namespace: 'b', service: 'db', exists: true },
    { namespace: 'b', service: 'redis', exists: false },
    { namespace: '', service: 'db', exists: false },
  ]);
});
