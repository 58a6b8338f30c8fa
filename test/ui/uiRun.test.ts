import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpointSlices, leases, namespaces, pods } from '@weeder/embedded-cluster/resources';
import { until } from '@weeder/kube-runtime/testing';
import type { DependencyList, SuggestionList } from '@weeder/live-page';
import { config, file, logOf, startCli } from '../support/cli.ts';
import { openPage } from '../support/page/openPage.ts';
import { overviewOf } from '../support/page/overviewOf.ts';
import { embedded, made } from '../support/world/embedded.ts';

const noServers = ['--health-bind-addr=0', '--metrics-bind-addr=0'];
const baseFlags = ['--config-file', config, ...noServers];
const running = 'caches synced, starting controller';

test('weeder run --ui serves the page on loopback, shows what happens, and exits while a page hangs', async (t) => {
  await using cluster = await embedded();
  const { store } = cluster.server;
  made(store.create(namespaces, { metadata: { name: 'shop' } }));
  const labels = { 'kubernetes.io/service-name': 'db' };
  const slice = (ready: boolean) => ({
    metadata: { name: 'db-a', namespace: 'shop', labels },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready } }],
  });
  made(store.create(endpointSlices, slice(false)));
  const weeder = startCli([...baseFlags, `--kubeconfig=${cluster.kubeconfig}`, '--ui-bind-addr=:0']);
  t.after(() => weeder.child.kill('SIGKILL'));
  await until('weeder runs', () => weeder.stdout().includes(running));
  const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(weeder.stdout())?.[0] ?? '';
  assert.match(await (await fetch(url)).text(), /^<!doctype html>/);
  await using viewer = await openPage(url, '?actor=shop/db');
  const { process } = await viewer.received('process', ({ process }) => process.version !== undefined);
  assert.deepEqual([process.cluster, process.namespaces, process.streams], ['embedded', 'all namespaces', []]);
  assert.match(process.version ?? '', /^v1\.\d+/);
  assert.match(process.config.hash, /^[0-9a-f]{8}$/);
  await viewer.received('services', ({ services }) => services.every(({ exists, isReady }) => exists && !isReady));
  made(store.patch(endpointSlices, 'shop', 'db-a', slice(true)));
  await viewer.received('moment', ({ moment }) => moment.what === 'window.opened' && moment.about === 'shop/db');
  await viewer.received('service', ({ service }) => service.state === 'ready.windowOpen.settled');
  await viewer.received(
    'actor',
    ({ actor }) => actor.machine === 'endpoint' && actor.states.includes('ready.windowOpen'),
  );
  viewer.hang();
  weeder.child.kill('SIGTERM');
  const { code, stderr } = await weeder.ended;
  assert.deepEqual([code, stderr], [0, '']);
});

test('the page of a running weeder has the workloads that declare a service, also if none of their pods crash-loops', async (t) => {
  await using cluster = await embedded();
  const { store } = cluster.server;
  made(store.create(namespaces, { metadata: { name: 'shop' } }));
  made(
    store.create(pods, {
      metadata: {
        name: 'web-0',
        namespace: 'shop',
        labels: { 'weeder.dev/depends-on': 'db' },
        annotations: { 'weeder.dev/depends-on-services': 'cache' },
      },
      spec: { containers: [{ name: 'web', image: 'web' }] },
    }),
  );
  const declaring = file('declaring.yaml', 'declaredDependencies: {}');
  const flags = ['--config-file', declaring, ...noServers, `--kubeconfig=${cluster.kubeconfig}`];
  const weeder = startCli([...flags, '--ui-bind-addr=:0']);
  t.after(() => weeder.child.kill('SIGKILL'));
  await until('weeder runs', () => weeder.stdout().includes(running));
  const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(weeder.stdout())?.[0] ?? '';
  const { services, dependants }: DependencyList = JSON.parse(await (await fetch(`${url}dependencies`)).text());
  assert.deepEqual(
    services.map(({ namespace, service, sources, view: { exists } }) => ({ namespace, service, sources, exists })),
    [
      { namespace: 'shop', service: 'cache', sources: ['annotation'], exists: false },
      { namespace: 'shop', service: 'db', sources: ['label'], exists: false },
    ],
  );
  assert.deepEqual(
    dependants.map(({ id, by, crashLooping }) => ({ id, by, crashLooping })),
    [{ id: 'Pod shop/web-0', by: 'declared', crashLooping: 0 }],
  );
});

test('a dependant of the config has the line of its podSelector in the file, also after the lines have changed', async (t) => {
  await using cluster = await embedded();
  const { store } = cluster.server;
  made(store.create(namespaces, { metadata: { name: 'shop' } }));
  const metadata = { name: 'db-a', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'db' } };
  made(store.create(endpointSlices, { metadata, addressType: 'IPv4', endpoints: [] }));
  const entry = ['servicesAndDependantSelectors:', '  db:', '    podSelectors:'];
  const [web, mail] = ['web', 'mail'].map((app) => `      - matchLabels: { app: ${app} }`);
  const lined = file('lined.yaml', [...entry, web, mail].join('\n'));
  const flags = ['--config-file', lined, ...noServers, `--kubeconfig=${cluster.kubeconfig}`];
  const weeder = startCli([...flags, '--ui-bind-addr=:0']);
  t.after(() => weeder.child.kill('SIGKILL'));
  await until('weeder runs', () => weeder.stdout().includes(running));
  const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(weeder.stdout())?.[0] ?? '';
  const sourcesOf = async () => {
    const { services }: DependencyList = JSON.parse(await (await fetch(`${url}dependencies`)).text());
    return services.map(({ dependants, sources }) => dependants.map((id, index) => `${id}: ${sources[index]}`));
  };
  assert.deepEqual(await sourcesOf(), [
    ['pods with app=mail in shop: podSelectors[1] on line 5', 'pods with app=web in shop: podSelectors[0] on line 4'],
  ]);
  // It means the same, in another order.
  file('lined.yaml', ['# changed', ...entry, mail, web].join('\n'));
  weeder.child.kill('SIGHUP');
  await until('the change is in force', () => weeder.stdout().includes('"generation":2'));
  assert.deepEqual(await sourcesOf(), [
    ['pods with app=mail in shop: podSelectors[0] on line 5', 'pods with app=web in shop: podSelectors[1] on line 6'],
  ]);
});

test('the page of a standby says who leads, and has no services', async (t) => {
  await using cluster = await embedded();
  const { store } = cluster.server;
  const renewTime = new Date(Date.now() + 600_000).toISOString().replace('Z', '000Z');
  const acquireTime = '2026-11-21T14:03:07.000000Z';
  const spec = { holderIdentity: 'other_1', leaseDurationSeconds: 600, acquireTime, renewTime };
  made(store.create(leases, { metadata: { name: 'dwd-weeder-leader-election', namespace: 'default' }, spec }));
  const flags = [...baseFlags, '--enable-leader-election', '--leader-election-namespace=default'];
  const weeder = startCli([...flags, `--kubeconfig=${cluster.kubeconfig}`, '--ui-bind-addr=:0']);
  t.after(() => weeder.child.kill('SIGKILL'));
  await until('weeder stands by', () => weeder.stdout().includes('standing by'));
  const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(weeder.stdout())?.[0] ?? '';
  await using viewer = await openPage(url);
  const { holder, heldSince } = await viewer.received('leadership', ({ state }) => state === 'standingBy');
  assert.deepEqual([holder, heldSince], ['other_1', Date.parse(acquireTime)]);
  const { process } = await viewer.received('process');
  assert.ok(process.identity !== '' && process.identity !== holder, process.identity);
  assert.deepEqual((await viewer.received('services')).services, []);
  const { problems, controllers } = await overviewOf(url);
  assert.deepEqual([problems, controllers.map(({ summary }) => summary)], [[], ['', '', '']]);
  const suggestions: SuggestionList = JSON.parse(await (await fetch(`${url}suggestions`)).text());
  assert.deepEqual(suggestions.problems, ['A standby suggests nothing: open the page of the leader.']);
});

test('weeder run serves no page without --ui', async (t) => {
  await using cluster = await embedded();
  const weeder = startCli([...baseFlags, `--kubeconfig=${cluster.kubeconfig}`]);
  t.after(() => weeder.child.kill('SIGKILL'));
  await until('weeder runs', () => weeder.stdout().includes(running));
  weeder.child.kill('SIGTERM');
  const ended = await weeder.ended;
  assert.deepEqual(
    logOf(ended).filter(({ msg }) => msg === 'the live page is served'),
    [],
  );
});
