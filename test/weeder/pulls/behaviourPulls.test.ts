import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backOff, type ContainerState, notPulled, type PodOptions, running } from '../../support/objects/objects.ts';
import { minute, type SimulationOptions } from '../../support/world/simulation.ts';
import { ends, world } from '../../support/world/world.ts';

const startTime = Date.UTC(2026, 0, 1);
const registry = 'images/registry';
const up = { namespace: 'images', service: 'registry', ready: [true] };
const down = { ...up, ready: [false] };
const waiting = (reason: string): ContainerState => ({ state: { waiting: { reason } } });
const completed: ContainerState = { state: { terminated: { exitCode: 0, reason: 'Completed' } } };

/** A pod that waits for its image, and declares these services. */
function pulling(name: string, options: PodOptions = {}, label = 'registry.images'): PodOptions {
  const labels = { app: name, 'weeder.dev/depends-on': label };
  return { name, phase: 'Pending', containers: [notPulled()], labels, ...options };
}

function registryWorld(options: SimulationOptions = {}, services: readonly string[] = [registry]) {
  return world({ services: [], ...options, declared: { ...options.declared, services: new Set(services) } });
}

/** The names of the pods that are deleted when the registry recovers. */
async function deletedOf(pods: readonly PodOptions[], services?: readonly string[]): Promise<string[]> {
  const at = registryWorld({}, services);
  at.slice(down);
  for (const each of pods) at.put(each);
  at.slice(up);
  await ends(at);
  return at.deletedNames().sort();
}

test('when a declared registry recovers, the pods that wait for its images are deleted, each once', async () => {
  const at = registryWorld();
  at.slice(down);
  at.put(pulling('web'));
  at.put(pulling('failed', { containers: [notPulled({ reason: 'ErrImagePull' })] }));
  at.put(pulling('of-its-init', { initContainers: [notPulled()], containers: [waiting('PodInitializing')] }));
  at.put(pulling('of-one-of-two', { containers: [notPulled(), waiting('ContainerCreating')] }));
  await at.clock.pass(minute);
  assert.deepEqual(at.timeline(), []);
  at.slice(up);
  await ends(at);
  assert.deepEqual(at.deletedNames(), ['web', 'failed', 'of-its-init', 'of-one-of-two']);
  assert.deepEqual(
    at.eventsOf('pod.deleted').map(({ pod, service }) => [service, pod.cause, pod.message]),
    ['ImagePullBackOff', 'ErrImagePull', 'ImagePullBackOff', 'ImagePullBackOff'].map((reason) => [
      'registry',
      'imagePull',
      `${reason}: dial tcp 10.96.0.12:5000: connect: connection refused`,
    ]),
  );
});

test('a pod that has run anything is left alone, whatever its images wait for', async () => {
  const started = { ...notPulled(), restarts: 1 };
  const ended = { ...notPulled(), lastState: { terminated: { exitCode: 1 } } };
  const left = await deletedOf([
    pulling('one-runs', { containers: [notPulled(), running()] }),
    pulling('init-completed', { initContainers: [completed] }),
    pulling('sidecar-runs', { initContainers: [{ ...running(), spec: { restartPolicy: 'Always' } }] }),
    pulling('ready', { conditions: { Ready: 'True' }, phase: 'Running' }),
    pulling('restarted', { containers: [started] }),
    pulling('ended', { containers: [ended] }),
    pulling('phase-running', { phase: 'Running' }),
    pulling('terminating', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
  ]);
  assert.deepEqual(left, []);
});

test('a pod whose image does not come from a service that it declares is left alone', async () => {
  const from = (image: string) => ({ containers: [notPulled({ image })] });
  const services = [registry, 'images/other', 'shoot-1/db', 'io/docker'];
  const deleted = await deletedOf(
    [
      pulling('with-domain', from('registry.images.svc.cluster.local/web:1')),
      pulling('of-a-digest', from(`registry.images.svc:5000/web@sha256:${'0'.repeat(64)}`)),
      pulling('of-another', from('other.images.svc:5000/web:1')),
      pulling('of-another-namespace', from('registry.shop.svc:5000/web:1')),
      pulling('of-a-longer-name', from('registry.images.svcs:5000/web:1')),
      pulling('of-a-subdomain', from('a.registry.images.svc:5000/web:1')),
      pulling('by-address', from('10.96.0.12:5000/web:1')),
      pulling('by-node-port', from('localhost:32000/web:1')),
      pulling('by-short-name', from('registry.images:5000/web:1')),
      pulling('of-docker-hub', from('web:1'), 'docker.io'),
      pulling('declares-only-a-database', {}, 'db'),
      pulling('two-registries', {
        containers: [notPulled(), notPulled({ image: 'other.images.svc:5000/web:1' })],
      }),
      { ...pulling('undeclared'), labels: { app: 'web' } },
    ],
    services,
  );
  assert.deepEqual(deleted, ['of-a-digest', 'with-domain']);
});

test('a pod that waits for another reason, or for one more, is left alone', async () => {
  const by = (error: string) => ({ containers: [notPulled({ error })] });
  const deleted = await deletedOf([
    pulling('not-found', by('registry.images.svc:5000/web:1: not found')),
    pulling('denied', by('unexpected status: 403 Forbidden')),
    pulling('certificate', by('tls: failed to verify certificate: x509: certificate has expired')),
    pulling('unsaid', by('')),
    pulling('and-a-secret', { containers: [notPulled(), waiting('CreateContainerConfigError')] }),
    pulling('and-not-found', { containers: [notPulled(), notPulled({ error: 'web:1: not found' })] }),
    pulling('never', { containers: [waiting('ErrImageNeverPull')] }),
  ]);
  assert.deepEqual(deleted, []);
});

test('the protections of crash-looping pods apply', async () => {
  const at = registryWorld();
  at.put(pulling('bare', { isBare: true }));
  at.put(pulling('ignored', { annotations: { 'weeder.dev/ignore': 'true' } }));
  at.slice(up);
  await ends(at);
  assert.deepEqual(at.deletedNames(), []);
  assert.deepEqual(
    at.eventsOf('pod.skipped').map(({ pod, reason }) => `${pod.name} ${reason}`),
    ['bare barePod', 'ignored ignored'],
  );
});

test('a podSelector does not select a pod that waits for its image', async () => {
  const at = world({ declared: { services: new Set() } });
  at.put({ ...pulling('web'), labels: { role: 'apiserver', 'weeder.dev/depends-on': 'etcd-main-client' } });
  at.slice({ ready: [true] });
  await ends(at);
  assert.deepEqual(at.deletedNames(), []);
});

test('the reason lasts over statuses without one, until a status has another', async () => {
  const at = registryWorld();
  const silent = { containers: [notPulled({ error: '' })] };
  for (const name of ['web', 'then-not-found', 'then-pulled']) {
    at.put(pulling(name, { containers: [notPulled({ reason: 'ErrImagePull' })] }));
    at.put(pulling(name, silent));
  }
  at.put(pulling('then-not-found', { containers: [notPulled({ error: 'web:1: not found' })] }));
  at.put(pulling('then-not-found', silent));
  at.put(pulling('then-pulled', { phase: 'Running', containers: [running()] }));
  at.relistPods();
  at.slice(up);
  await ends(at);
  assert.deepEqual(at.deletedNames(), ['web']);
});

test('replacements that cannot pull either are deleted in rounds', async () => {
  const at = registryWorld({ startTime });
  at.put(pulling('web-1', { created: at.clock.now() }));
  at.slice(up);
  await at.clock.pass(1000);
  for (const name of ['web-2', 'web-3', 'web-4']) {
    const created = at.clock.now();
    // The kubelet reports the first failure, and that it waits, and the next failure.
    for (let report = 0; at.deletedNames().at(-1) !== name && report < 50; report += 1) {
      const reason = report % 2 === 0 ? 'ErrImagePull' : 'ImagePullBackOff';
      at.put(pulling(name, { created, containers: [notPulled({ reason })] }));
      await at.clock.pass(1000);
    }
  }
  await ends(at);
  assert.deepEqual(at.timeline(), ['web-1@0', 'web-2@10000', 'web-3@30000', 'web-4@70000']);
});

test('a late deletion does not interrupt a pull, unless the kubelet has reported meanwhile that it failed', async () => {
  const at = registryWorld({ startTime, declared: { pace: { pods: 1, per: 6000 } } });
  const created = at.clock.now();
  for (const name of ['web-1', 'web-2', 'web-3', 'web-4']) at.put(pulling(name, { created }));
  await at.clock.pass(20_000);
  at.slice(up);
  await at.clock.pass(30_000);
  assert.deepEqual(at.timeline(), ['web-1@20000', 'web-2@26000']);
  assert.deepEqual(
    at.eventsOf('deletion.pending').map(({ pod, reason }) => `${pod.name} ${reason}`),
    ['web-3 restartIsSooner', 'web-4 restartIsSooner'],
  );
  at.put(pulling('web-3', { created, containers: [notPulled({ reason: 'ErrImagePull' })] }));
  at.put(pulling('web-4', { created, phase: 'Running', containers: [running()] }));
  await ends(at);
  assert.deepEqual(at.timeline(), ['web-1@20000', 'web-2@26000', 'web-3@50000']);
});

test('a kubelet that has tried for long has a long back-off, and is assumed to be in it for longer', async () => {
  const at = registryWorld({ startTime, declared: { pace: { pods: 1, per: 20_000 } } });
  const created = at.clock.now();
  for (const name of ['web-1', 'web-2', 'web-3', 'web-4', 'web-5']) at.put(pulling(name, { created }));
  await at.clock.pass(4 * minute);
  at.slice(up);
  await ends(at);
  assert.deepEqual(at.timeline(), ['web-1@240000', 'web-2@260000', 'web-3@280000']);
  assert.deepEqual(
    at.eventsOf('deletion.expired').map(({ pod, reason }) => `${pod.name} ${reason}`),
    ['web-4 restartIsSooner', 'web-5 restartIsSooner'],
  );
});

test('services that the image does not come from hold nothing, because a pull does not need them', async () => {
  const at = registryWorld({}, [registry, 'shoot-1/db']);
  at.slice({ service: 'db', ready: [true] });
  at.slice({ service: 'db', ready: [false] });
  const annotations = { 'weeder.dev/depends-on-services': 'db, registry.images' };
  at.put(pulling('web', { annotations }, ''));
  at.put(pulling('crashed', { annotations, phase: 'Running', containers: [backOff()] }, ''));
  at.slice(up);
  await at.clock.pass(1000);
  assert.deepEqual(at.deletedNames(), ['web']);
  at.slice({ service: 'db', ready: [true] });
  await ends(at);
  assert.deepEqual(at.deletedNames(), ['web', 'crashed']);
});

test('no log is read of a container that has never run', async () => {
  const read: string[] = [];
  const at = registryWorld({
    readLog: async ({ name }) => {
      read.push(name);
      return [];
    },
  });
  at.put(pulling('web'));
  at.put(pulling('crashed', { phase: 'Running', containers: [backOff()] }));
  at.slice(up);
  await ends(at);
  assert.deepEqual(read, ['crashed']);
  assert.deepEqual(at.deletedNames().sort(), ['crashed', 'web']);
});

test('a registry that recovers every few seconds has few deletions, and none of pods of another registry', async () => {
  const at = registryWorld({ startTime }, [registry, 'tenant/registry']);
  const image = 'registry.tenant.svc/web:1';
  at.put(pulling('of-another'));
  let pods = 0;
  for (let second = 0; second < 600; second += 5) {
    if (at.deletions.length === pods) {
      pods += 1;
      at.put(
        pulling(`web-${pods}`, { created: at.clock.now(), containers: [notPulled({ image })] }, 'registry.tenant'),
      );
    }
    at.slice({ ...down, namespace: 'tenant' });
    at.slice({ ...up, namespace: 'tenant' });
    await at.clock.pass(5000);
  }
  await ends(at);
  assert.ok(at.deletions.length <= 7, `${at.deletions.length} deletions in ten minutes`);
  assert.ok(at.deletions.length >= 2);
  assert.deepEqual(
    at.deletedNames().filter((name) => !name.startsWith('web-')),
    [],
  );
});
