import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpointSlices, namespaces } from '@weeder/embedded-cluster/resources';
import { config, logOf, startCli } from '../support/cli.ts';
import { openPage } from '../support/page/openPage.ts';
import { until } from '../support/until.ts';
import { embedded, made } from '../support/world/embedded.ts';

const baseFlags = ['--config-file', config, '--health-bind-addr=0', '--metrics-bind-addr=0'];
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
  await viewer.received('services', ({ services }) => services.length === 0);
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
