import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { seededRandom } from '@weeder/embedded-cluster';
import { isObject, objectOf } from '@weeder/kube-runtime/base';
import { settled } from '@weeder/kube-runtime/testing';
import { labelName, ownerOf } from '../../src/observer/objects/fieldManagers.ts';
import { folder, sharedCli } from '../support/cli.ts';
import { recordObserved } from '../support/recording/recordedObserver.ts';
import { readLines } from '../support/recording/recording.ts';
import { playRecording } from '../support/replay/replayAgain.ts';
import { configMap, deployment, type ObserverWorld, refusal } from '../support/world/observerWorld.ts';

const second = 1_000;
const marker = 'hunter2-the-marker';
const rejection = refusal('permanent', 'No.');
const path = (name: string) => join(folder, name);

const settings = (value: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings' },
  data: { a: value, b: 'same' },
});
const web = (image: string) => deployment('web', image, { replicas: 1 });

/** Created, drifted, corrected, changed back by another manager, updated, pruned, without a label, paused, deleted. */
async function aMorning(world: ObserverWorld): Promise<void> {
  world.requestTime = 20;
  world.apply('site', { manifests: [settings('1'), web('app:1')] });
  await world.pass(10 * second);
  world.edit('ConfigMap/settings', { data: { a: 'by hand' } });
  await world.pass(10 * second);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    world.edit('ConfigMap/settings', { data: { a: `again ${attempt}` } });
    await world.pass(3 * second);
  }
  world.remove('Deployment/web');
  await world.pass(40 * second);
  world.apply('site', { manifests: [settings('2'), web('app:2')] });
  await world.pass(20 * second);
  world.edit('Deployment/web', { metadata: { labels: { 'weeder.dev/application': null } } });
  await world.pass(1200 * second);
  await world.restart();
  world.apply('other', { manifests: [settings('3')] });
  await world.pass(60 * second);
  world.edit('Deployment/web', { spec: { replicas: 4 } });
  await world.pass(5 * second);
  world.apply('site', { manifests: [settings('2')] });
  await world.pass(20 * second);
  world.deleteApplication('site');
  await world.pass(60 * second);
}

test('a replay repeats the recorded decisions of the observer', async () => {
  const file = path('observed.jsonl');
  const world = await recordObserved(file, aMorning);
  assert.equal(world.object('Deployment/web'), undefined);
  assert.ok(world.eventsOf('resource.corrected').length >= 4);
  const replayed = await sharedCli(['replay', file]);
  assert.equal(replayed.code, 0, replayed.stdout + replayed.stderr);
  for (const words of [
    'applied',
    'drift detected',
    'corrected',
    'missing',
    'correction back-off',
    'ownership conflict',
    'deleted',
    'write requested',
  ])
    assert.ok(replayed.stdout.includes(words), `${words} in ${replayed.stdout}`);
});

test('objects are handed over and kept in the same way while weeder records, and a replay repeats it', async () => {
  const file = path('observed-given-up.jsonl');
  const owners: unknown[] = [];
  const kept = { ...configMap('kept'), metadata: { name: 'kept', annotations: { 'helm.sh/resource-policy': 'keep' } } };
  const world = await recordObserved(file, async (its) => {
    its.stored = ({ kind, metadata }) => {
      const { name, labels } = objectOf(metadata);
      if (kind === 'ConfigMap' && name === 'settings') owners.push(objectOf(labels)[labelName]);
    };
    its.apply('site', { manifests: [settings('1'), kept, web('app:1')] });
    await its.pass(10 * second);
    its.apply('other', { manifests: [settings('1')] });
    await its.pass(10 * second);
    its.apply('site', { manifests: [web('app:1')] });
    await its.pass(60 * second);
  });
  const [site, other] = ['site', 'other'].map((name) => ownerOf({ namespace: 'shop', name }).label);
  assert.deepEqual([owners[0], owners.at(-1), owners.includes(undefined)], [site, other, false]);
  assert.notEqual(world.object('ConfigMap/kept'), undefined);
  const replayed = await sharedCli(['replay', file]);
  assert.equal(replayed.code, 0, replayed.stdout + replayed.stderr);
  assert.match(replayed.stdout, /released .*settings +to shop\/other\n/);
  assert.match(replayed.stdout, /released .*kept +helm\.sh\/resource-policy: keep\n/);
});

/** The stream of ConfigMaps is lost, changes go unreported, and it resumes. */
async function anOutage(world: ObserverWorld): Promise<void> {
  world.requestTime = 20;
  world.apply('site', { manifests: [settings('1')] });
  await world.pass(10 * second);
  const sink = () => [...world.core.needs.values()].find(({ kind }) => kind === 'ConfigMap')?.sink;
  for (const value of ['one', 'other']) {
    sink()?.lost?.();
    world.sendsEvents = false;
    world.edit('ConfigMap/settings', { data: { a: value } });
    world.sendsEvents = true;
    await world.pass(60 * second);
    sink()?.resumed?.();
    await world.pass(700 * second);
  }
}

test('a replay repeats the checks and corrections that were made while a stream was lost', async () => {
  const file = path('observed-lost.jsonl');
  const world = await recordObserved(file, anOutage, { limit: 3 * 1024, oldFiles: 9 });
  assert.equal(world.eventsOf('resource.corrected').length, 2);
  const parts = filesOf(file);
  assert.ok(parts.some((part) => readFileSync(part, 'utf8').includes('"in":"lost"')));
  const result = await sharedCli(['replay', ...parts]);
  assert.equal(result.code, 0, result.stdout + result.stderr);
});

test('a correction that is missing from the recording, or not repeated, is reported as a difference, with exit code 1', async () => {
  const file = path('observed-to-change.jsonl');
  await recordObserved(file, aMorning);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const corrections = lines.filter((line) => line.includes('"out":"resource.corrected"'));
  assert.ok(corrections.length >= 4);
  const other = path('observed-changed.jsonl');
  const write = (its: readonly string[]) => writeFileSync(other, `${its.join('\n')}\n`);
  write(lines.filter((line) => line !== corrections[0]));
  const extra = await sharedCli(['replay', other]);
  assert.equal(extra.code, 1);
  assert.match(extra.stdout, /^1 decision differs[\s\S]*^\+ .*corrected .*\(replayed, not recorded\)$/m);
  // The edit that was corrected first is replaced by another one: of a field that is not observed.
  const edit = lines.findIndex((line) => line.includes('by hand') && line.includes('"in":"MODIFIED"'));
  write(lines.map((line, index) => (index === edit ? line.replace('"a":"by hand"', '"a":"1","c":"by hand"') : line)));
  assert.notDeepEqual(await playRecording(other), []);
});

/** The files of a rotated recording, oldest first. */
function filesOf(file: string): string[] {
  const old = [9, 8, 7, 6, 5, 4, 3, 2, 1].map((part) => `${file}.${part}`).filter((each) => existsSync(each));
  return [...old, file];
}

test('the files of a recording are replayed together, and each of them alone', async () => {
  const file = path('observed-rotated.jsonl');
  await recordObserved(file, aMorning, { limit: 12 * 1024, oldFiles: 9 });
  const parts = filesOf(file);
  assert.ok(parts.length > 3, String(parts.length));
  const result = await sharedCli(['replay', ...parts]);
  assert.equal(result.code, 0, result.stdout + result.stderr);
  assert.ok(result.stdout.includes('correction back-off'));
  let alone = 0;
  for (const part of parts.slice(1)) {
    const replayed = await sharedCli(['replay', part]);
    assert.equal(replayed.code, 0, part + replayed.stdout + replayed.stderr);
    if (/ (?:corrected|deleted) /.test(replayed.stdout)) alone += 1;
  }
  assert.ok(alone > 0, 'a later file alone decides something');
});

test('a replay repeats the deletion of an object under another API version than it was applied in', async () => {
  const file = path('observed-versions.jsonl');
  const widget = (version: string) =>
    ({ group: 'example.org', version, kind: 'Widget', plural: 'widgets', isNamespaced: true }) as const;
  const world = await recordObserved(file, async (world) => {
    world.requestTime = 20;
    world.serve(widget('v1'));
    const one = { apiVersion: 'example.org/v1', kind: 'Widget', metadata: { name: 'one' } };
    world.apply('site', { manifests: [one, settings('1')] });
    await world.pass(10 * second);
    world.serve(widget('v2'));
    world.apply('site', { manifests: [settings('1')] });
    await world.pass(10 * second);
  });
  assert.equal(world.object('Widget/one'), undefined);
  assert.match(readFileSync(file, 'utf8'), /"request":"findServed example\.org\/Widget"/);
  const replayed = await sharedCli(['replay', file]);
  assert.equal(replayed.code, 0, replayed.stdout + replayed.stderr);
  assert.match(replayed.stdout, / deleted .*Widget/);
});

test('a replay repeats the result of a dry-run apply, also from a file that begins in the middle', async () => {
  const file = path('observed-dry-runs.jsonl');
  const world = await recordObserved(
    file,
    async (world) => {
      world.requestTime = 20;
      world.apply('site', { manifests: [settings('1'), web('app:1')] });
      await world.pass(300 * second);
      world.admit = (object) =>
        object['kind'] === 'ConfigMap' ? { ...object, data: { a: 'mirrored', b: 'same' } } : object;
      await world.pass(1200 * second);
      world.edit('Deployment/web', { spec: { replicas: 2 } });
      await world.pass(1200 * second);
      world.admit = (object) => object;
      await world.pass(1200 * second);
    },
    { limit: 16 * 1024, oldFiles: 9 },
  );
  assert.equal(world.eventsOf('resource.desiredStateChanged').length, 2);
  const parts = filesOf(file);
  assert.ok(parts.length > 2, String(parts.length));
  const result = await sharedCli(['replay', ...parts]);
  assert.equal(result.code, 0, result.stdout + result.stderr);
  assert.equal(result.stdout.match(/ desired state changed /g)?.length, 2);
  const alone = await Promise.all(parts.slice(1).map((part) => sharedCli(['replay', part])));
  for (const replayed of alone) assert.equal(replayed.code, 0, replayed.stdout + replayed.stderr);
  assert.ok(alone.some(({ stdout }) => stdout.includes(' desired state changed ')));
});

test('no secret value is in a recording, wherever it was, and the recording can still be replayed', async () => {
  const file = path('observed-marked.jsonl');
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': `{"password":"${marker}"}` };
  const login = (password: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'login', annotations: { note: marker } },
    stringData: { password },
    data: { more: Buffer.from(marker).toString('base64') },
  });
  const inner = {
    apiVersion: 'weeder.dev/v1alpha1',
    kind: 'Application',
    metadata: { name: 'inner' },
    spec: { manifests: [login(marker)] },
  };
  const odd = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'odd' }, data: `x: ${marker}` };
  const schema = [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, data: { password: marker } }];
  const world = await recordObserved(file, async (world) => {
    world.requestTime = 20;
    world.apply('site', { manifests: [login(marker), settings('1')] }, { annotations });
    world.apply('outer', { manifests: [inner] }, { annotations });
    world.apply('wrong', { manifests: [login(marker), odd], observerSchema: schema });
    await world.pass(10 * second);
    world.edit('Secret/login', { data: { password: Buffer.from(`${marker}-changed`).toString('base64') } });
    await world.pass(10 * second);
    await world.restart();
    world.edit('Secret/login', { data: { password: null } });
    await world.pass(60 * second);
    world.apply('site', { manifests: [login(`${marker}-2`), settings('1')] }, { annotations });
    await world.pass(10 * second);
  });
  assert.equal(world.eventsOf('resource.corrected').length, 2);
  const text = readFileSync(file, 'utf8');
  const encodings = (['utf8', 'base64', 'base64url', 'hex'] as const).map((each) => Buffer.from(marker).toString(each));
  for (const encoding of encodings) assert.ok(!text.includes(encoding.slice(0, 16)), encoding);
  assert.ok(text.includes('Secret shop/login'));
  assert.deepEqual(await playRecording(file), []);
});

test('a replay repeats the use of the last applied manifest while a new one is refused, also from each file alone', async () => {
  const file = path('observed-last-applied.jsonl');
  const world = await recordObserved(
    file,
    async (world) => {
      world.requestTime = 20;
      world.apply('site', { manifests: [settings('1'), web('app:1')] });
      await world.pass(10 * second);
      world.rejects = ({ data }) => (data === undefined ? undefined : rejection);
      world.apply('site', { manifests: [settings('2'), web('app:2')] });
      await world.pass(10 * second);
      world.rejects = ({ data }) => (isObject(data) && data['a'] === '2' ? rejection : undefined);
      for (let times = 0; times < 3; times += 1) {
        world.edit('ConfigMap/settings', { data: { a: `by hand ${times}` } });
        await world.pass(700 * second);
      }
      world.remove('ConfigMap/settings');
      await world.pass(10 * second);
      world.rejects = () => undefined;
      await world.pass(1200 * second);
      world.edit('ConfigMap/settings', { data: { a: 'by hand' } });
      await world.pass(10 * second);
    },
    { limit: 12 * 1024, oldFiles: 9 },
  );
  assert.deepEqual([world.eventsOf('resource.corrected').length, world.eventsOf('resource.refused').length], [4, 1]);
  assert.deepEqual(objectOf(world.object('ConfigMap/settings')?.['data'])['a'], '2');
  const parts = filesOf(file);
  assert.ok(parts.length > 2, String(parts.length));
  const result = await sharedCli(['replay', ...parts]);
  assert.equal(result.code, 0, result.stdout + result.stderr);
  for (const part of parts) assert.deepEqual(await playRecording(part), [], part);
});

test('a replay repeats when each application looks its ServiceAccount up, although the timers of the recorded run were late', async () => {
  const file = path('observed-accounts.jsonl');
  const names = ['one', 'two', 'three', 'four'];
  const world = await recordObserved(
    file,
    async (world) => {
      world.missingAccounts.add('shop/deployer');
      const apply = (name: string, value: string) =>
        world.apply(name, { serviceAccountName: 'deployer', manifests: [configMap(`settings-${name}`, value)] });
      for (const name of names) apply(name, '0');
      for (let round = 1; round < 40; round += 1) {
        await world.pass(700);
        // The process is busy, and what streams deliver comes before the timers that are due.
        world.clock.suspend(80);
        apply('four', String(round));
        await settled();
      }
      await world.pass(120 * second);
      world.missingAccounts.clear();
      await world.pass(120 * second);
    },
    { random: seededRandom(1) },
  );
  assert.equal(world.eventsOf('application.serviceAccountNotFound').length >= names.length, true);
  assert.equal(world.eventsOf('resource.applied').length, names.length);
  assert.deepEqual(await playRecording(file), []);
});

test('a replay handles what came in one turn of the event loop without a pause, as the recorded run did', async () => {
  const file = path('observed-turns.jsonl');
  await recordObserved(file, async (world) => {
    world.apply('site', { manifests: [configMap('settings', '1')] });
    await world.pass(10 * second);
    world.edit('ConfigMap/settings', { data: { key: 'by hand' } });
    // Time passes while the first of them is read.
    world.clock.suspend(0.2);
    world.apply('site', { manifests: [configMap('settings', '2')] });
    await world.pass(10 * second);
  });
  assert.deepEqual(await playRecording(file), []);
});

test('a replay holds back a timer that was due when an input came and fired later, or was cleared by the input', async () => {
  const file = path('observed-late-timers.jsonl');
  await recordObserved(file, async (world) => {
    world.missingAccounts.add('shop/deployer');
    const apply = (name: string, value: string) =>
      world.apply(name, { serviceAccountName: 'deployer', manifests: [configMap(`settings-${name}`, value)] });
    for (const name of ['one', 'two']) apply(name, '0');
    for (let round = 1; round < 20; round += 1) {
      await world.pass(100);
      // The next attempt for both is due now: the change of one clears its timer, and that of the other is late.
      world.clock.suspend(10_000);
      apply('one', String(round));
      await world.pass(20 * second);
    }
    world.missingAccounts.clear();
    await world.pass(60 * second);
  });
  const late = readLines(file).filter((line) => line['in'] === 'timer');
  assert.ok(late.length >= 20, String(late.length));
  assert.deepEqual(await playRecording(file), []);
});
