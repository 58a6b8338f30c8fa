import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DependencyList } from '@weeder/live-page';
import { serviceView } from '@weeder/live-page/scenes';
import { dependencyList } from '../../../src/ui/views/dependencyViews.ts';
import type { Dependant } from '../../../src/weeder/dependants.ts';
import { backOff, type PodOptions } from '../../support/objects/objects.ts';
import { openPage } from '../../support/page/openPage.ts';
import { type Shown, shown } from '../../support/page/servedPage.ts';
import { minute } from '../../support/world/simulation.ts';

/** No window is open at the start. */
const onStart = 'never' as const;
const web = { podSelectors: [{ matchLabels: { app: 'web' } }], onStart };
const names = ({ services }: DependencyList) => services.map(({ namespace, service }) => `${namespace}/${service}`);

async function listed({ served }: Shown, query: Readonly<Record<string, string>> = {}): Promise<DependencyList> {
  return JSON.parse(await (await fetch(`${served.url}dependencies?${new URLSearchParams(query)}`)).text());
}

function declaring(name: string, label: string, namespace = 'shop'): PodOptions {
  return { name, namespace, containers: [backOff()], labels: { 'weeder.dev/depends-on': label } };
}

test('a service has the podSelectors of the config with their namespaces, and the workloads that declare it', async () => {
  const declared = { namespaces: 'all' as const, onStart, services: new Set(['shop/db', 'shop/missing']) };
  const services = [{ name: 'db', ...web, dependantNamespaces: ['shop', 'other'] }];
  await using page = await shown({ services, declared }, (before) => {
    before.slice({ service: 'db', namespace: 'shop', ready: [true] });
    before.put({ name: 'web', namespace: 'shop', labels: { app: 'web' }, containers: [backOff()] });
    before.put(declaring('mail', 'db'));
  });
  const list = await listed(page);
  assert.deepEqual(names(list), ['shop/missing', 'shop/db']);
  const [missing, db] = list.services;
  assert.deepEqual([db?.view.exists, missing?.view.exists, missing?.view.isReady], [true, false, false]);
  assert.deepEqual(list.namespaces, ['other', 'shop']);
  assert.deepEqual(
    list.dependants.map(({ id, by, namespaces, crashLooping }) => ({ id, by, namespaces, crashLooping })),
    [
      { id: 'pods with app=web in shop, other', by: 'configured', namespaces: ['shop', 'other'], crashLooping: 1 },
      { id: 'ReplicaSet shop/kapi', by: 'declared', namespaces: ['shop'], crashLooping: 1 },
    ],
  );
});

test('an outage, its crash-looping dependants, and the window after the recovery are listed', async () => {
  const services = [
    { name: 'db', ...web, onStart: 'never' as const },
    { name: 'idle', ...web },
  ];
  await using page = await shown({ services }, (before) => {
    for (const service of ['db', 'idle']) before.slice({ service, namespace: 'shop', ready: [true] });
  });
  const { at } = page;
  const stateOf = async () => {
    const { services: views, counts } = await listed(page);
    const view = views.find(({ service }) => service === 'db')?.view;
    const { all: total, notReady, window, crashLooping } = counts;
    return [view?.isReady, view?.window?.number, view?.crashLooping, [total, notReady, window, crashLooping].join()];
  };
  assert.deepEqual(await stateOf(), [true, undefined, 0, '2,0,0,0']);
  at.slice({ service: 'db', namespace: 'shop', ready: [false] });
  at.put({ name: 'web', namespace: 'shop', labels: { app: 'web' }, containers: [backOff()] });
  await at.clock.pass(1000);
  assert.deepEqual(await stateOf(), [false, undefined, 1, '2,1,0,2']);
  assert.deepEqual(names(await listed(page, { show: 'notReady' })), ['shop/db']);
  at.slice({ service: 'db', namespace: 'shop', ready: [true] });
  await at.clock.pass(1000);
  assert.deepEqual(await stateOf(), [true, 1, 0, '2,0,1,0']);
  assert.deepEqual(names(await listed(page, { show: 'window' })), ['shop/db']);
  await at.clock.pass(5 * minute);
  assert.deepEqual(await stateOf(), [true, undefined, 0, '2,0,0,0']);
});

test('the list is the same with an open page, which polls the services', async () => {
  await using page = await shown({ services: [{ name: 'db', ...web }] }, (before) => {
    before.slice({ service: 'db', namespace: 'shop', ready: [true] });
  });
  const before = await listed(page);
  await using open = await openPage(page.served.url);
  await open.received('services', ({ services }) => services.length === 1);
  assert.deepEqual(await listed(page), before);
  assert.equal(before.services[0]?.view?.isReady, true);
});

test('a search finds services with all their dependants, and dependants with their services; a namespace, both', async () => {
  const declared = { namespaces: 'all' as const, onStart, services: new Set(['shop/db', 'shop/cache', 'base/db']) };
  await using page = await shown({ services: [], declared }, (before) => {
    for (const key of declared.services) {
      const [namespace = '', service = ''] = key.split('/');
      before.slice({ service, namespace, ready: [true] });
    }
    before.put({ ...declaring('api', 'db'), isBare: true });
    before.put({ ...declaring('mail', 'cache'), isBare: true });
    before.put({ ...declaring('far', 'db.base', 'other'), isBare: true });
  });
  const search = async (query: Readonly<Record<string, string>>) => {
    const list = await listed(page, query);
    assert.deepEqual([list.total, list.found], [3, list.services.length]);
    return list.services.map(({ namespace, service, dependants }) => [`${namespace}/${service}`, ...dependants].join());
  };
  assert.deepEqual(await search({ search: 'DB' }), ['base/db,Pod other/far', 'shop/db,Pod shop/api']);
  assert.deepEqual(await search({ search: 'shop mail' }), ['shop/cache,Pod shop/mail']);
  assert.deepEqual(await search({ search: 'db api' }), ['shop/db,Pod shop/api']);
  assert.deepEqual(await search({ search: 'nothing' }), []);
  assert.deepEqual(await search({ namespace: 'other' }), ['base/db,Pod other/far']);
  assert.deepEqual(await search({ namespace: 'shop' }), ['shop/cache,Pod shop/mail', 'shop/db,Pod shop/api']);
  assert.deepEqual(await search({ namespace: 'base', search: 'api' }), []);
  assert.deepEqual((await listed(page, { namespace: 'other' })).namespaces, ['base', 'other', 'shop']);
});

test('of a thousand services 200 are sent, and a search that finds one of them sends all its dependants', async () => {
  const keys = Array.from({ length: 1_000 }, (_, index) => `shop/db-${String(index).padStart(4, '0')}`);
  const declared = { namespaces: 'all' as const, services: new Set(keys) };
  await using page = await shown({ services: [], declared }, (before) => {
    for (const key of keys) before.slice({ service: key.slice('shop/'.length), namespace: 'shop', ready: [true] });
    for (let n = 0; n < 60; n += 1) before.put({ ...declaring(`web-${n}`, 'db-0999'), isBare: true });
  });
  const firstPage = await listed(page);
  assert.deepEqual([firstPage.total, firstPage.found, firstPage.services.length], [1_000, 1_000, 200]);
  for (const query of [{ search: 'db-0999' }, { show: 'crashLooping' }]) {
    const { found, services, dependants } = await listed(page, query);
    assert.deepEqual([found, services[0]?.total, services[0]?.dependants.length, dependants.length], [1, 60, 60, 60]);
  }
});

test('of a thousand services the last one by name is sent first, if it is the one that is down', async () => {
  const keys = Array.from({ length: 1_000 }, (_, index) => `db-${String(index).padStart(4, '0')}`);
  await using page = await shown({ services: keys.map((name) => ({ name, ...web })) }, (before) => {
    for (const service of keys) before.slice({ service, namespace: 'shop', ready: [service !== 'db-0999'] });
  });
  const { services } = await listed(page);
  assert.deepEqual([services.length, services[0]?.service, services[1]?.service], [200, 'db-0999', 'db-0000']);
});

test('of the many dependants of many services a part is sent, those that crash-loop first', async () => {
  const podSelectors = Array.from({ length: 30 }, (_, n) => ({ matchLabels: { app: `web-${n + 10}` } }));
  await using page = await shown({ services: [{ name: 'db', podSelectors, onStart }] }, (before) => {
    for (let n = 0; n < 100; n += 1) before.slice({ service: 'db', namespace: `shop-${n}`, ready: [true] });
    before.put({ name: 'web', namespace: 'shop-7', labels: { app: 'web-39' }, containers: [backOff()] });
  });
  const { services } = await listed(page);
  assert.ok(services.every(({ total, dependants }) => total === 30 && dependants.length === 20));
  const crashing = services.find(({ namespace }) => namespace === 'shop-7');
  const [first = '', ...others] = crashing?.dependants ?? [];
  assert.deepEqual([first, crashing?.sources[0]], ['pods with app=web-39 in shop-7', 'podSelectors[29]']);
  assert.deepEqual(others, others.toSorted());
  assert.deepEqual(
    crashing?.sources.slice(1),
    others.map((_, n) => `podSelectors[${n}]`),
  );
});

test('a workload has the id of its actor, if restart control manages it; pods of a podSelector have none', async () => {
  const workload = (name: string, source: 'label' | undefined): Dependant => {
    return { by: 'declared', source, name, namespaces: ['shop'], pods: () => [] };
  };
  const selected = {
    ...workload('app=web', undefined),
    by: 'configured',
    source: { position: 0, line: undefined },
  } as const;
  const dependants = [workload('Deployment shop/web', 'label'), workload('Deployment shop/api', undefined), selected];
  const { services, dependants: views } = await dependencyList(
    [{ namespace: 'shop', service: 'db', dependants }],
    () => serviceView('db'),
    new Set(['deployment/shop/web', 'shop/db']),
    { search: '', namespace: '', show: 'all' },
    () => undefined,
  );
  assert.deepEqual(
    views.map(({ name, actor }) => [name, actor]),
    [
      ['Deployment shop/api', undefined],
      ['Deployment shop/web', 'deployment/shop/web'],
      ['app=web', undefined],
    ],
  );
  assert.deepEqual(services[0]?.sources, ['', 'label', 'podSelectors[0]']);
});
