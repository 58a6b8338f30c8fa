import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { arrayOf, objectOf } from '@weeder/kube-runtime/base';
import { until } from '@weeder/kube-runtime/testing';
import type { ApplicationList } from '@weeder/live-page';
import { file, folder, oneSentence, sharedCli, startCli } from '../support/cli.ts';
import { openPage } from '../support/page/openPage.ts';
import { overviewOf } from '../support/page/overviewOf.ts';
import { recordObserved } from '../support/recording/recordedObserver.ts';
import { recordRestarts } from '../support/recording/recordedRestarts.ts';
import { recordIncident } from '../support/recording/recording.ts';
import { configMap as observedMap } from '../support/world/observerWorld.ts';
import { configMap, withEnv } from '../support/world/restartWorld.ts';

const etcd = file(
  'etcd.yaml',
  'watchDuration: 2m\nservicesAndDependantSelectors:\n  etcd-main-client:\n    podSelectors: [{matchLabels: {role: apiserver}}]\n',
);

/** `weeder replay --ui` on a small recording: its page, and the way to control it. */
async function replaying(name: string) {
  const { file: path } = await recordIncident(join(folder, name));
  return showing(path);
}

async function showing(...files: readonly string[]) {
  const weeder = startCli(['replay', ...files, '--ui-bind-addr', '127.0.0.1:0']);
  await until('the page is served', () => /http:\S+/.test(weeder.stdout()));
  const url = /http:\S+/.exec(weeder.stdout())?.[0] ?? '';
  const post = (body: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${url}replay`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
  const control = async (command: object) => assert.equal((await post(JSON.stringify(command))).status, 204);
  return { weeder, url, post, control };
}

test('a recording opens paused at its first incident, is stepped through, sought in both directions and played to its end, until Ctrl-C', async (t) => {
  const { weeder, url, control } = await replaying('steps.jsonl');
  t.after(() => weeder.child.kill('SIGKILL'));
  await using viewer = await openPage(url);
  assert.equal((await viewer.received('hello')).mode, 'replay');
  const { now, startsAt, endsAt, isPlaying } = await viewer.received('clock');
  assert.deepEqual([isPlaying, now, endsAt > now], [false, startsAt + 10_000, true]);
  const { services } = await viewer.received('services');
  assert.deepEqual(
    services.map(({ isReady, since }) => [isReady, since]),
    [[false, now]],
  );
  const { moments } = await viewer.received('history');
  const whats = moments.map(({ what }) => what);
  assert.deepEqual([whats[0], whats.at(-1)], ['service.ready', 'window.closed'], 'the history is the whole recording');

  await control({ do: 'seek', to: startsAt });
  await viewer.received('moment', ({ moment }) => moment.what === 'service.ready' && moment.t === startsAt);
  await control({ do: 'step' });
  await viewer.received('moment', ({ moment }) => moment.what === 'service.notReady' && moment.t === now);
  await control({ do: 'seek', to: startsAt + 101_000 });
  await viewer.received('moment', ({ moment }) => moment.what === 'window.opened' && moment.t === startsAt + 100_000);
  const { service } = await viewer.received('service', (message) => message.service.window !== undefined);
  assert.deepEqual(service.window, { number: 1, openedAt: startsAt + 100_000, closesAt: startsAt + 220_000 });

  const before = viewer.messages.length;
  await control({ do: 'seek', to: startsAt + 50_000 });
  const since = () => viewer.messages.slice(before);
  await until('the pages get everything again, and the history is the same', () =>
    since().some((message) => message.type === 'history' && isDeepStrictEqual(message.moments, moments)),
  );
  await viewer.received('clock', ({ now }) => now === startsAt + 50_000);

  await control({ do: 'speed', speed: 1000 });
  await control({ do: 'play' });
  await viewer.received('clock', (clock) => clock.isPlaying);
  await viewer.received('clock', (clock) => !clock.isPlaying && clock.now === endsAt);
  weeder.child.kill('SIGINT');
  const { code, stderr } = await weeder.ended;
  assert.deepEqual([code, stderr], [0, '']);
});

test('a recording of restart control shows its workloads, their actors and its restarts at the time that is displayed', async (t) => {
  const path = join(folder, 'restarts.jsonl');
  await recordRestarts(path, async (world) => {
    world.putSource(configMap('settings'), { a: '1' });
    world.putWorkload('web', withEnv('settings', 'a'));
    await world.pass(10_000);
    world.putSource(configMap('settings'), { a: '2' });
    await world.pass(60_000);
  });
  const { weeder, url, control } = await showing(path);
  t.after(() => weeder.child.kill('SIGKILL'));
  await using viewer = await openPage(url);
  const { startsAt } = await viewer.received('clock');
  const workloads = async () => {
    const list = objectOf(await (await fetch(`${url}workloads`)).json());
    return arrayOf(list['workloads'])
      .map(objectOf)
      .map(({ id, state, sources, cause }) => [id, state, sources, cause]);
  };
  assert.deepEqual(await workloads(), []);
  await control({ do: 'seek', to: startsAt + 12_000 });
  const web = 'deployment/shop/web';
  assert.deepEqual(await workloads(), [[web, 'stale', ['ConfigMap settings#a'], '']]);
  await control({ do: 'step' });
  await viewer.received(
    'moment',
    ({ moment }) => moment.what === 'workload.restarted' && moment.about === 'Deployment shop/web',
  );
  const actors = await (await fetch(`${url}actors?machine=rollout`)).text();
  assert.match(actors, /"id":"deployment\/shop\/web\/rollout"[^}]*"states":\["active","active.rolling"\]/);
  assert.equal((await workloads())[0]?.[1], 'rolling');
  await control({ do: 'seek', to: startsAt + 60_000 });
  assert.deepEqual(await workloads(), [[web, 'current', ['ConfigMap settings#a'], 'ConfigMap settings (a)']]);
  await control({ do: 'seek', to: startsAt });
  assert.deepEqual((await workloads()).length, 0);
});

test('in a recording of hours, the history has the events of its beginning and of its end', async (t) => {
  const path = join(folder, 'hours.jsonl');
  await recordRestarts(path, async (world) => {
    world.putSource(configMap('settings'), { a: '1' });
    world.putWorkload('web', withEnv('settings', 'a'));
    await world.pass(10_000);
    world.putSource(configMap('settings'), { a: '2' });
    await world.pass(3 * 3_600_000);
    world.putSource(configMap('settings'), { a: '3' });
    await world.pass(60_000);
  });
  const { weeder, url } = await showing(path);
  t.after(() => weeder.child.kill('SIGKILL'));
  await using viewer = await openPage(url);
  const { startsAt } = await viewer.received('clock');
  const { moments } = await viewer.received('history');
  const restarts = moments.filter(({ what }) => what === 'workload.restarted').map(({ t }) => t - startsAt);
  assert.equal(restarts.length, 2);
  assert.ok((restarts[0] ?? 0) < 60_000 && (restarts[1] ?? 0) > 3 * 3_600_000, restarts.join());
});

test('a recording of applications shows their diffs, actors and corrections at the time that is displayed', async (t) => {
  const path = join(folder, 'applications.jsonl');
  const password = 'aHVudGVyMg==';
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, data: { password } };
  await recordObserved(path, async (world) => {
    world.apply('web', { manifests: [observedMap('settings'), secret] });
    await world.pass(10_000);
    for (const value of ['b', 'c']) {
      world.edit('ConfigMap/settings', { data: { key: value } });
      await world.pass(100);
    }
    world.edit('Secret/login', { data: { password: 'aHVudGVyMw==' } });
    await world.pass(60_000);
  });
  const { weeder, url, control } = await showing(path);
  t.after(() => weeder.child.kill('SIGKILL'));
  await using viewer = await openPage(url);
  const { startsAt } = await viewer.received('clock');
  const textNow = async () => (await fetch(`${url}applications`)).text();
  const resources = async () => {
    const { applications = [] }: ApplicationList = JSON.parse(await textNow());
    return applications
      .flatMap((each) => each.resources)
      .map(({ id, state, drifts, corrected, conflictingManager }) => ({
        ...{ id, state, drifts, corrected },
        ...(conflictingManager === undefined ? {} : { conflictingManager }),
      }));
  };
  const [login, settings] = ['Secret shop/login', 'ConfigMap shop/settings'];
  const inSync = (id: string, corrected: number) => ({ id, state: 'inSync', drifts: [], corrected });
  await control({ do: 'seek', to: startsAt });
  assert.deepEqual(await resources(), []);
  await control({ do: 'seek', to: startsAt + 9_000 });
  assert.deepEqual(await resources(), [inSync(settings, 0), inSync(login, 0)]);
  await control({ do: 'seek', to: startsAt + 11_000 });
  const drifts = [{ path: '.data.key', type: 'changed', desired: '"a"', found: '"c"' }];
  assert.deepEqual(await resources(), [
    { id: settings, state: 'drifted.waiting', drifts, corrected: 1, conflictingManager: 'editor/Update' },
    inSync(login, 1),
  ]);
  const shown = await viewer.received('moment', ({ moment }) => moment.what === 'resource.corrected');
  assert.deepEqual(shown.moment.about, 'Application shop/web');
  const actors = await (await fetch(`${url}actors?machine=resource`)).text();
  assert.match(actors, /"id":"application\/shop\/web \/ConfigMap\/shop\/settings"[^}]*drifted\.waiting/);
  assert.doesNotMatch(await textNow(), /aHVudGVy|"~/);
  await control({ do: 'seek', to: startsAt + 60_000 });
  assert.deepEqual(await resources(), [inSync(settings, 2), inSync(login, 1)]);
  await control({ do: 'seek', to: startsAt });
  assert.deepEqual(await resources(), []);
  await control({ do: 'step' });
  await viewer.received('moment', ({ moment }) => moment.what === 'resource.applied' && moment.t === startsAt + 1);
});

test('a replay accepts commands in JSON, from its own page only, and no unknown ones', async (t) => {
  const { weeder, url, post } = await replaying('commands.jsonl');
  t.after(() => weeder.child.kill('SIGKILL'));
  const pause = '{"do":"pause"}';
  const origin = url.slice(0, -1);
  assert.equal((await post(pause, { origin })).status, 204);
  assert.equal((await post(pause, { origin: 'http://evil.example' })).status, 403);
  assert.equal((await post(pause, { 'sec-fetch-site': 'cross-site' })).status, 403);
  assert.equal((await post(pause, { 'content-type': 'text/plain' })).status, 415);
  for (const body of [
    '',
    'x',
    '{"do":"delete"}',
    '{"do":"speed","speed":-1}',
    '{"do":"seek"}',
    `"${'x'.repeat(9000)}"`,
  ])
    assert.equal((await post(body)).status, 400, body.slice(0, 30));
  assert.equal((await fetch(`${url}replay`)).status, 405);
});

test('a decision that differs is among the moments, with the sentence that the terminal prints', async (t) => {
  const { file: path } = await recordIncident(join(folder, 'differs.jsonl'));
  const altered = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => !line.includes('"out":"pod.skipped"'));
  const { weeder, url } = await showing(file('altered-differs.jsonl', altered.join('\n')));
  t.after(() => weeder.child.kill('SIGKILL'));
  await using viewer = await openPage(url);
  const { startsAt } = await viewer.received('clock');
  const { moments } = await viewer.received('history');
  const index = moments.findIndex(({ what }) => what === 'decision.differs');
  const { t: at, ...difference } = moments[index] ?? assert.fail('no difference');
  assert.deepEqual(difference, {
    what: 'decision.differs',
    words: 'deletion skipped (replayed, not recorded)',
    about: 'shoot-1/etcd-main-client',
    pod: 'shoot-1/debug',
    detail: 'barePod',
  });
  assert.equal(at, startsAt + 100_000);
  assert.equal(moments.filter(({ what }) => what === 'decision.differs').length, 1);
  assert.ok(moments.every((moment, n) => moment.t >= (moments[n - 1]?.t ?? 0)));
});

test('watch events of kubectl are shown as a dry run: what weeder would have done', async (t) => {
  const names = ['not-ready-exit5-pod-events.jsonl', 'not-ready-exit5-slice-events.jsonl'];
  const files = names.map((name) => join(import.meta.dirname, '../data/recorded', name));
  const { weeder, url, control } = await showing('--config-file', etcd, ...files);
  t.after(() => weeder.child.kill('SIGKILL'));
  await using viewer = await openPage(url);
  const { mode, isDryRun } = await viewer.received('hello');
  assert.deepEqual([mode, isDryRun], ['replay', true]);
  const { now, startsAt, endsAt } = await viewer.received('clock');
  const { moments } = await viewer.received('history');
  const deletion = moments.find(({ what }) => what === 'pod.deleted');
  assert.partialDeepStrictEqual(deletion, { words: 'pod would be deleted', isDryRun: true });
  assert.deepEqual([now - startsAt, (deletion?.t ?? 0) - startsAt, endsAt - startsAt], [12_718, 138_558, 258_558]);
  const pod = 'demo/kapi-5c5d9545d8-r299k';
  const { services } = await viewer.received('services');
  assert.deepEqual(
    services.map(({ service, isReady }) => [service, isReady]),
    [['etcd-main-client', false]],
  );
  await control({ do: 'seek', to: startsAt + 200_000 });
  const { service } = await viewer.received('service', (message) => message.service.window !== undefined);
  assert.equal(service.deleted, 1);
  const podPage = await (await fetch(`${url}object?type=pod&id=${pod}`)).text();
  assert.match(podPage, /would be deleted/i);
  const { did } = await overviewOf(url);
  assert.equal(did.isDryRun, true);
  assert.equal(did.counts.find(({ words }) => words === 'pods deleted')?.count, 1);
  await control({ do: 'seek', to: startsAt });
  await viewer.received('services', (message) => message.services.every(({ isReady }) => isReady));
  weeder.child.kill('SIGINT');
  const { code, stderr } = await weeder.ended;
  assert.deepEqual([code, stderr], [0, '']);
});

test('the page shows a recording with its own config only, and watch events only with a config', async () => {
  const event = '{"ts":"2026-01-01T00:00:00Z","type":"ADDED","object":{"kind":"Pod","metadata":{"name":"a"}}}\n';
  assert.match(
    oneSentence(await sharedCli(['replay', file('events.jsonl', event), '--ui']), 2),
    /^Watch events contain no config: /,
  );
  const { file: path } = await recordIncident(join(folder, 'own.jsonl'));
  assert.match(
    oneSentence(await sharedCli(['replay', path, '--ui', '--config-file', path]), 2),
    /with its own config\. /,
  );
});
