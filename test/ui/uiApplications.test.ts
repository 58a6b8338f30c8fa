import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectOf, systemClock } from '@weeder/kube-runtime/base';
import { type ApplicationList, type ApplicationView, observerDisplay, type ResourceView } from '@weeder/live-page';
import { createActorTimes } from '../../src/actors/actorTimes.ts';
import { describeActors } from '../../src/actors/debugActors.ts';
import { createLivePage } from '../../src/ui/livePage.ts';
import { serveLivePage } from '../../src/ui/serve.ts';
import { shownOf } from '../support/page/servedPage.ts';
import { configMap, type ObserverWorld, observerWorld, refusal } from '../support/world/observerWorld.ts';

const second = 1_000;
const minute = 60 * second;

/** The live page of the application observer in simulated time. */
async function shownApplications() {
  let world: ObserverWorld | undefined;
  const times = createActorTimes({ now: () => world?.clock.now() ?? 0 });
  world = await observerWorld({ inspect: times.inspect });
  const onBroken = (error: unknown) => assert.fail(String(error));
  const live = createLivePage({ clock: world.clock, pace: systemClock, onBroken });
  live.watch({
    actors: () => world.core.actors(),
    since: times.since,
    shown: shownOf({ observer: world.core }),
  });
  const served = await serveLivePage({ host: '127.0.0.1', port: 0 }, { live, onBroken, onRefused: onBroken });
  if (!served.ok) throw new Error(served.error.message);
  const { url, close } = served.value;
  const textOf = async (search = '') => (await fetch(`${url}applications?search=${encodeURIComponent(search)}`)).text();
  const list = async (search?: string): Promise<ApplicationList> => JSON.parse(await textOf(search));
  const only = async (): Promise<[ApplicationView, ResourceView]> => {
    const [application] = (await list()).applications;
    const [resource] = application?.resources ?? [];
    return application === undefined || resource === undefined ? assert.fail('it is shown') : [application, resource];
  };
  return { world, live, url, times, textOf, list, only, [Symbol.asyncDispose]: close };
}

test('a drift is shown with its desired and live value while its correction waits, and then among the corrections', async () => {
  await using shown = await shownApplications();
  const { world, only } = shown;
  world.apply('web', { manifests: [configMap('one')] });
  await world.pass(2 * second);
  const [application, inSync] = await only();
  assert.equal(inSync.observed, 1, 'without the ownership label, as in explain');
  assert.deepEqual(
    [application.id, application.actor, application.state],
    ['shop/web', 'application/shop/web', 'observing'],
  );
  assert.deepEqual([inSync.id, inSync.state, inSync.drifts, inSync.corrected], ['ConfigMap shop/one', 'inSync', [], 0]);
  world.edit('ConfigMap/one', { data: { key: 'b' } });
  await world.pass(100);
  assert.equal((await only())[1].corrected, 1);
  world.edit('ConfigMap/one', { data: { key: 'c' } });
  await world.pass(100);
  const [contested, waiting] = await only();
  assert.equal(contested.state, 'contested', 'the application, while the correction waits');
  assert.deepEqual(waiting.drifts, [{ path: '.data.key', type: 'changed', desired: '"a"', found: '"c"' }]);
  assert.match(waiting.state, /^drifted/);
  assert.ok((waiting.until ?? 0) > world.clock.now());
  await world.pass(5 * second);
  const [well, after] = await only();
  assert.equal(well.state, 'observing');
  assert.deepEqual([after.state, after.drifts, after.corrected], ['inSync', [], 2]);
  assert.deepEqual(
    after.corrections.map(({ drifts }) => drifts[0]?.found),
    ['"c"', '"b"'],
    'the newest first',
  );
  world.stop();
});

test('while a new manifest is refused the page shows why, and compares with the last known good manifest', async () => {
  await using shown = await shownApplications();
  const { world, only } = shown;
  world.apply('web', { manifests: [configMap('one', 'old')] });
  await world.pass(2 * second);
  const no = refusal('permanent', 'No such key.');
  world.rejects = ({ data }) => (objectOf(data)['key'] === 'new' ? no : undefined);
  world.apply('web', { manifests: [configMap('one', 'new')] });
  await world.pass(2 * second);
  const [stalled, refused] = await only();
  assert.equal(stalled.state, 'refused');
  assert.deepEqual((await shown.list('shop/web refused')).found, 1);
  const reason = 'The API server refused ConfigMap shop/one (422): No such key.';
  assert.deepEqual([refused.state, refused.reason, refused.drifts], ['usingLastApplied', reason, []]);
  world.edit('ConfigMap/one', { data: { key: 'b' } });
  await world.pass(100);
  world.edit('ConfigMap/one', { data: { key: 'c' } });
  await world.pass(100);
  const [, drifted] = await only();
  assert.deepEqual([drifted.state, drifted.reason], ['drifted.waiting', reason]);
  assert.deepEqual(drifted.drifts, [{ path: '.data.key', type: 'changed', desired: '"old"', found: '"c"' }]);
  world.stop();
});

test('the page has the names of the keys of a Secret, and no values, neither in drifts nor in corrections', async () => {
  await using shown = await shownApplications();
  const { world, only, textOf } = shown;
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one' }, data: { password: 'aHVudGVyMg==' } };
  world.apply('web', { mode: 'detect', manifests: [secret] });
  world.put({ ...secret, metadata: { name: 'one', namespace: 'shop' }, data: { password: 'aHVudGVyMw==' } });
  await world.pass(2 * second);
  assert.equal((await only())[0].state, 'drifted');
  assert.deepEqual((await only())[1].drifts, [{ path: '.data.password', type: 'changed' }]);
  world.apply('web', { manifests: [secret] });
  await world.pass(2 * second);
  world.edit('Secret/one', { data: { password: 'aHVudGVyNA==' } });
  await world.pass(2 * second);
  assert.equal((await only())[1].corrected, 1);
  assert.doesNotMatch(await textOf(), /aHVudGVy/);
  world.stop();
});

test('of 101 applications the last one by name comes first, if it is the one that is refused', async () => {
  await using shown = await shownApplications();
  const { world, list } = shown;
  const names = Array.from({ length: 100 }, (_, n) => `app-${n + 100}`);
  for (const name of names) world.apply(name, { manifests: [configMap(name)] });
  await world.pass(minute);
  const ids = async () => (await list()).applications.map(({ id }) => id);
  assert.deepEqual(
    await ids(),
    names.map((name) => `shop/${name}`),
  );
  world.edit('ConfigMap/app-150', { data: { key: 'b' } });
  world.apply('app-200', { manifests: [configMap('app-200')] });
  await world.pass(2 * second);
  assert.deepEqual([(await ids()).length, ...(await ids()).slice(0, 2)], [100, 'shop/app-200', 'shop/app-100']);
  world.stop();
});

test('of 101 applications the one that is invalid comes before those that are paused, also after a drift', async () => {
  await using shown = await shownApplications();
  const { world, list } = shown;
  const paused = Array.from({ length: 100 }, (_, n) => `app-${n}`);
  for (const name of paused) world.apply(name, { mode: 'detect', manifests: [configMap(name)] });
  await world.pass(minute);
  for (const name of paused)
    world.apply(name, { mode: 'detect', manifests: [configMap(name)], pausedUntil: '2100-01-01T00:00:00Z' });
  // A namespace may have 100.
  world.apply('zz', { manifests: [configMap('zz')] });
  await world.pass(minute);
  const { found, applications } = await list();
  assert.deepEqual(
    [found, ...applications.slice(0, 3).map(({ id, state }) => `${id} ${state}`)],
    [101, 'shop/zz invalid', 'shop/app-0 paused', 'shop/app-1 paused'],
  );
  world.stop();
});

test('no application is shown as well that has an error or a resource that is not, and one without is', async () => {
  await using shown = await shownApplications();
  const { world, list } = shown;
  const no = refusal('permanent', 'No such key.');
  world.rejects = ({ data }) => (objectOf(data)['key'] === 'bad' ? no : undefined);
  world.apply('detect', { mode: 'detect', manifests: [configMap('absent')] });
  world.apply('refused', { manifests: [configMap('bad', 'bad')] });
  world.apply('errors', { manifests: [configMap('fine'), configMap('twice'), configMap('twice')] });
  world.apply('well', { manifests: [configMap('good')] });
  world.apply('claiming', { manifests: [configMap('good')] });
  await world.pass(minute);
  const { applications } = await list();
  for (const { id, state, errors, resources } of applications) {
    const isWell = errors.length === 0 && resources.every((each) => observerDisplay(each.state).health === 'healthy');
    assert.equal(observerDisplay(state).health, isWell ? 'healthy' : 'degraded', `${id} ${state}`);
  }
  assert.deepEqual(
    applications.map(({ id, state }) => `${id} ${state}`),
    [
      'shop/claiming claimed',
      'shop/detect missing',
      'shop/errors invalid',
      'shop/refused refused',
      'shop/well observing',
    ],
  );
  world.stop();
});

test('a search finds applications by words of names, kinds and states, and actors beside an endpoint of the same name', async () => {
  await using shown = await shownApplications();
  const { world, list, live, times } = shown;
  for (const name of ['web', 'api']) world.apply(name, { manifests: [configMap(name), configMap(`${name}-2`)] });
  await world.pass(2 * second);
  const wholeList = await list();
  assert.deepEqual([wholeList.total, wholeList.applications.map(({ id }) => id)], [2, ['shop/api', 'shop/web']]);
  assert.deepEqual(await list('  '), wholeList);
  assert.deepEqual(
    (await list('configmap WEB-2 in sync')).applications.map(({ id }) => id),
    ['shop/web'],
  );
  assert.deepEqual([(await list('nothing')).found, (await list('nothing')).total], [0, 2]);
  const { actors } = await live.actors({ search: '', machine: '', order: 'tree', offset: 0, limit: 100 });
  assert.deepEqual(
    actors.map(({ id, machine }) => `${machine} ${id}`),
    [
      'application application/shop/api',
      'resource application/shop/api /ConfigMap/shop/api',
      'resource application/shop/api /ConfigMap/shop/api-2',
      'application application/shop/web',
      'resource application/shop/web /ConfigMap/shop/web',
      'resource application/shop/web /ConfigMap/shop/web-2',
    ],
  );
  const debugged = [...describeActors(world.core.actors(), { since: times.since, startedAt: times.startedAt })];
  assert.deepEqual(
    debugged.map(({ id }) => id).toSorted(),
    actors.map(({ id }) => id),
  );
  world.stop();
});

test('the page shows applies, drifts and corrections without values, and refuses POST', async () => {
  await using shown = await shownApplications();
  const { world, url } = shown;
  world.apply('web', { manifests: [configMap('one')] });
  await world.pass(2 * second);
  world.edit('ConfigMap/one', { data: { key: 'hush' } });
  await world.pass(100);
  const { observerMoment } = await import('../../src/observer/contribution/observerMoment.ts');
  const moments = world.events.flatMap((event) => observerMoment(event, 5) ?? []);
  assert.deepEqual(
    moments.filter(({ what }) => what === 'resource.corrected'),
    [
      {
        t: 5,
        what: 'resource.corrected',
        words: 'corrected',
        about: 'Application shop/web',
        page: { type: 'application', id: 'shop/web' },
        detail: 'ConfigMap shop/one: .data.key',
      },
    ],
  );
  assert.doesNotMatch(JSON.stringify(moments), /hush/);
  assert.equal((await fetch(`${url}applications`, { method: 'POST' })).status, 405);
  world.stop();
});
