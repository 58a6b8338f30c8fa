import assert from 'node:assert/strict';
import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { ActorPage } from '@weeder/live-page';
import { serveLivePage } from '../../src/ui/serve.ts';
import { backOff } from '../support/objects/objects.ts';
import { openPage } from '../support/page/openPage.ts';
import { shown } from '../support/page/servedPage.ts';

/** The status of a request with these headers, among them those that only browsers set. */
function statusWith(url: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers }, (response) => {
      response.destroy();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end();
  });
}

test('every response has a policy that permits only the resources of the page, and is not cached', async () => {
  await using page = await shown();
  for (const path of ['', 'index.html', 'actors', 'machines/endpoint.svg', 'nowhere']) {
    const { headers } = await fetch(page.served.url + path);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(
      policy,
      /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';/,
    );
    assert.match(policy, /base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
    assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin', path);
    assert.equal(headers.get('cache-control'), 'no-store', path);
  }
});

test('the page, the pictures and the actors can be read, compressed or not, and nothing can be written', async () => {
  await using page = await shown();
  const types = {
    '': 'text/html',
    'machines/endpoint.svg': 'image/svg+xml',
    'machines/endpoint.json': 'application/json',
    actors: 'application/json',
  };
  for (const [path, type] of Object.entries(types)) {
    const compressed = await fetch(page.served.url + path);
    const plain = await fetch(page.served.url + path, { headers: { 'accept-encoding': 'gzip;q=0' } });
    assert.equal(compressed.headers.get('content-encoding'), 'gzip', path);
    assert.equal(plain.headers.get('content-encoding'), null, path);
    assert.equal(plain.headers.get('content-type')?.split(';')[0], type);
    assert.equal(await compressed.text(), await plain.text());
    const head = await fetch(page.served.url + path, { method: 'HEAD' });
    assert.deepEqual([head.status, await head.text()], [200, '']);
    for (const method of ['POST', 'PUT', 'DELETE'])
      assert.equal((await fetch(page.served.url + path, { method })).status, 405, `${method} ${path}`);
  }
  const source = await (await fetch(`${page.served.url}machines/endpoint.json`)).text();
  assert.match(source, /^\{\n {2}"id": "endpoint",/);
  for (const path of [
    'machines/nothing.svg',
    'machines/system.json',
    'replay',
    '../../package.json',
    '%2e%2e/package.json',
    '__proto__',
  ])
    assert.equal((await fetch(page.served.url + path)).status, 404, path);
  assert.equal((await fetch(`${page.served.url}replay`, { method: 'POST', body: '{"do":"play"}' })).status, 404);
});

test('on loopback it accepts only the host names of loopback, which prevents DNS rebinding', async () => {
  await using page = await shown();
  for (const host of ['localhost', 'LOCALHOST:80', `127.0.0.1:${page.served.port}`, '127.9.9.9', '[::1]:1'])
    assert.equal(await statusWith(page.served.url, { host }), 200, host);
  for (const host of [
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.1',
    '[::2]',
    '127.0.0.1@evil',
  ])
    assert.equal(await statusWith(page.served.url, { host }), 403, host);
  await using open = await shown({}, () => {}, '0.0.0.0');
  assert.equal(await statusWith(open.served.url, { host: 'weeder.example' }), 200);
});

test('without a host it is served on loopback, and elsewhere only with an explicit host', async () => {
  await using page = await shown();
  const ignore = () => {};
  const options = { live: page.live, onBroken: ignore, onRefused: ignore };
  const served = await serveLivePage({ host: undefined, port: 0 }, options);
  assert.ok(served.ok);
  const { port, url, close } = served.value;
  assert.equal(url, `http://127.0.0.1:${port}/`);
  assert.equal((await fetch(url)).status, 200);
  const others = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const other = others.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.2';
  await assert.rejects(fetch(`http://${other}:${port}/`));
  await close();
  await using open = await shown({}, () => {}, '0.0.0.0');
  assert.equal((await fetch(`http://${other}:${open.served.port}/`)).status, 200);
});

test('another site can neither read the page nor hold its connections open; a link to the page works', async () => {
  await using page = await shown();
  const statusOf = (path: string, headers: Readonly<Record<string, string>>) =>
    statusWith(page.served.url + path, headers);
  const foreign = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' };
  for (const path of ['', 'events', 'actors', 'page.js']) {
    assert.equal(await statusOf(path, foreign), 403, path);
    assert.equal(await statusOf(path, { ...foreign, 'sec-fetch-site': 'same-site' }), 403, path);
    assert.equal(await statusOf(path, { ...foreign, 'sec-fetch-site': 'same-origin' }), 200, path);
  }
  assert.equal(await statusOf('', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }), 200);
});

test('actors are found by id, state and machine, and listed page by page in a stable order', async () => {
  await using page = await shown(
    { answer: () => ({ type: 'delete.failed', reason: 'no', failure: 'unavailable', retryAfter: 5000 }) },
    (before) => {
      for (const namespace of ['shoot-2', 'shoot-1', 'shoot-10']) before.slice({ namespace, ready: [false] });
      before.put({ containers: [backOff(4)] });
    },
  );
  for (const namespace of ['shoot-2', 'shoot-1', 'shoot-10']) page.at.slice({ namespace, ready: [true] });
  await page.at.clock.pass(1000);
  const getActors = async (query: string): Promise<ActorPage> =>
    JSON.parse(await (await fetch(`${page.served.url}actors?${query}`)).text());
  const ids = async (query: string) => (await getActors(query)).actors.map(({ id }) => id);
  const allIds = [
    'shoot-1/etcd-main-client',
    'shoot-1/etcd-main-client/dependants-1-1',
    'shoot-1/kapi-0/uid-of-shoot-1-kapi-0',
    'shoot-10/etcd-main-client',
    'shoot-10/etcd-main-client/dependants-1-1',
    'shoot-2/etcd-main-client',
    'shoot-2/etcd-main-client/dependants-1-1',
  ];
  assert.deepEqual(await ids(''), allIds);
  assert.deepEqual(
    [...(await ids('limit=3')), ...(await ids('limit=3&offset=3')), ...(await ids('limit=3&offset=6'))],
    allIds,
  );
  assert.equal((await getActors('limit=0')).total, 7);
  const { machines } = await getActors('limit=0&search=nothing');
  assert.deepEqual([...machines].sort(), ['dependants', 'endpoint', 'podDeletion']);
  assert.deepEqual(await ids('search=KAPI'), ['shoot-1/kapi-0/uid-of-shoot-1-kapi-0']);
  assert.deepEqual(await ids('search=backingoff&machine=podDeletion'), ['shoot-1/kapi-0/uid-of-shoot-1-kapi-0']);
  assert.deepEqual(await ids('search=kapi&machine=endpoint'), []);
  assert.deepEqual(await ids('search=shoot-10+dependants-1'), ['shoot-10/etcd-main-client/dependants-1-1']);
  assert.deepEqual((await ids('order=state')).slice(0, 2), ['shoot-1/kapi-0/uid-of-shoot-1-kapi-0', allIds[1]]);
  const [, child] = (await getActors('search=shoot-1/')).actors;
  assert.deepEqual(child, {
    id: 'shoot-1/etcd-main-client/dependants-1-1',
    machine: 'dependants',
    parent: 'shoot-1/etcd-main-client',
    states: ['open', 'open.timer', 'open.timer.running', 'open.pods', 'open.pods.watching'],
    since: page.at.clock.now() - 1000,
    waitsFor: ['after watchDuration (2m0s)', 'podWatch'],
  });
  page.at.slice({ namespace: 'shoot-2', ready: [false] });
  while ((await ids('order=newest'))[0] !== 'shoot-2/etcd-main-client') await pause(20);
});

test('a service has a child for each of its podSelectors, and one where pods may declare it', async () => {
  const podSelectors = ['apiserver', 'scheduler'].map((role) => ({ matchLabels: { role } }));
  const service = { name: 'db', podSelectors, onStart: 'never' } as const;
  await using page = await shown({ service, declared: { services: new Set(['shop/db']) } }, (before) =>
    before.slice({ namespace: 'shop', service: 'db', ready: [false] }),
  );
  const getActors = async (): Promise<ActorPage> => JSON.parse(await (await fetch(`${page.served.url}actors`)).text());
  page.at.slice({ namespace: 'shop', service: 'db', ready: [true] });
  const { actors } = await getActors();
  assert.deepEqual(
    actors.map(({ id, parent, machine }) => [id, parent, machine]),
    [
      ['shop/db', undefined, 'endpoint'],
      ...[1, 2, 3].map((place) => [`shop/db/dependants-1-${place}`, 'shop/db', 'dependants']),
    ],
  );
  const [endpoint, ...children] = actors;
  assert.deepEqual(endpoint?.waitsFor, ['dependants-1-1', 'dependants-1-2', 'dependants-1-3']);
  for (const { states, waitsFor } of children) {
    assert.ok(states.includes('open.timer.running') && states.includes('open.pods.watching'));
    assert.deepEqual(waitsFor, ['after watchDuration (2m0s)', 'podWatch']);
  }
});

test('a page beyond the limit gets an error, and is accepted when another one is closed', async () => {
  await using page = await shown();
  const pages = await Promise.all(Array.from({ length: 16 }, () => openPage(page.served.url)));
  const refused = await fetch(`${page.served.url}events`);
  assert.equal(refused.status, 503);
  assert.match(await refused.text(), /^the maximum number of pages is open: 16/);
  await pages[0]?.[Symbol.asyncDispose]();
  let status = 503;
  while (status === 503) {
    await using again = await openPage(page.served.url);
    status = again.status ?? 0;
  }
  assert.equal(status, 200);
  for (const openedPage of pages) await openedPage[Symbol.asyncDispose]();
});
