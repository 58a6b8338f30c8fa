import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { file, folder, offlineCli } from '../support/cli.ts';
import { recordObserved } from '../support/recording/recordedObserver.ts';
import { recordIncident } from '../support/recording/recording.ts';
import { configMap, type ObserverWorld } from '../support/world/observerWorld.ts';

const second = 1_000;
const services = { servicesAndDependantSelectors: { db: { podSelectors: [{ matchLabels: { app: 'web' } }] } } };
const without = 'without the section observer no application would have been managed';

/** Applied, drifted and corrected, deleted. */
async function aMorning(world: ObserverWorld): Promise<void> {
  // A response comes after its request, and its stream event not before it.
  world.requestTime = 1;
  world.apply('web', { manifests: [configMap('settings')] });
  await world.pass(10 * second);
  world.edit('ConfigMap/settings', { data: { key: 'b' } });
  await world.pass(10 * second);
  world.deleteApplication('web');
  await world.pass(10 * second);
}

async function whatIf(config: object, recording: string): Promise<string> {
  const { code, stdout, stderr } = await offlineCli([
    'replay',
    '--config',
    file('c.yaml', JSON.stringify(config)),
    recording,
  ]);
  assert.equal(stderr, '');
  assert.equal(code, 0, stdout);
  return stdout.replaceAll(/ {2,}/g, '  ');
}

test('with the section observer the replay repeats the recorded decisions about applications, up to the recording’s end', async () => {
  const path = join(folder, 'same.jsonl');
  await recordObserved(path, aMorning);
  const text = await whatIf({ ...services, observer: {} }, path);
  assert.match(text, /^ *\+0\.00\ds {2}00:00:00\.00\d {2}applied {2}shop\/web ConfigMap shop\/settings {2}created\n/);
  assert.match(
    text,
    /\+10\.00\ds .* drift detected .*\.data\.key\n.*\+10\.00\ds .* corrected {2}shop\/web ConfigMap shop\/settings/,
  );
  assert.match(text, /\+20\.00\ds .* deleted {2}shop\/web ConfigMap shop\/settings\n/);
  assert.doesNotMatch(text, /written|requested|failed|without the section|applications/);

  // As after a crash, while a second correction waits: no response is recorded, and that is not a failure.
  await recordObserved(path, async (world) => {
    world.apply('web', { manifests: [configMap('settings')] });
    await world.pass(10 * second);
    for (const value of ['b', 'c']) {
      world.edit('ConfigMap/settings', { data: { key: value } });
      await world.pass(100);
    }
  });
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const unended = lines.filter((line) => !line.includes('"in":"stop"'));
  assert.notDeepEqual(unended, lines);
  const cut = await whatIf({ ...services, observer: {} }, file('cut.jsonl', `${unended.join('\n')}\n`));
  assert.match(cut, / correction backs off {2}shop\/web ConfigMap shop\/settings/);
  assert.doesNotMatch(cut, /failed/);
});

test('without the section the report lists what would not have been done, with unknown consequences', async () => {
  const path = join(folder, 'none.jsonl');
  await recordObserved(path, aMorning);
  const text = await whatIf(services, path);
  const rows = [
    ['applied', '00:00:00', 'created'],
    ['corrected', '00:00:10', '\\.data\\.key'],
    ['deleted', '00:00:20', ''],
  ].map(
    ([was, then, what]) => `shop/web ConfigMap shop/settings {2}${then}\\.00\\d {2}${was}${what && ` {2}${what}`}\n`,
  );
  assert.match(text, new RegExp(`\nof application {2}then {2}was\n${rows.join('')}${without}: none of this would`));
  assert.match(
    text,
    /not known from the recording:\n[\s\S]* what would have become of applications without an observer\n$/,
  );
  assert.doesNotMatch(text, /^ *\+/m, 'nothing of it is in the timeline');
});

test('the report states if nothing was done to the resources of an application', async () => {
  const path = join(folder, 'nothing.jsonl');
  await recordObserved(path, async (world) => {
    world.apply('web', { mode: 'detect', manifests: [configMap('settings')] });
    await world.pass(second);
  });
  assert.ok((await whatIf(services, path)).includes(`\n${without}, and nothing was done to their resources then\n`));
});

test('the report states if the observer was not recorded, or not all the time, or ran in a dry run', async () => {
  const { file: none } = await recordIncident(join(folder, 'weeder.jsonl'));
  const observer = { ...services, observer: {} };
  assert.match(
    await whatIf(observer, none),
    /\n {2}the application observer was not recorded: nothing is known of appl/,
  );
  assert.doesNotMatch(await whatIf(services, none), /application|observer/);

  const path = join(folder, 'changed.jsonl');
  await recordObserved(path, aMorning);
  const [header = '', ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  const rewritten = async (its: readonly string[]) => {
    writeFileSync(path, `${its.join('\n')}\n`);
    return whatIf(observer, path);
  };
  const dry = await rewritten([header.replace('"isDryRun":false', '"isDryRun":true'), ...lines]);
  assert.match(dry, /\n {2}applications were managed in a dry run: what corrections would have come to\n/);
  const later = `{"t":60000,"in":"config","config":${JSON.stringify(services)}}`;
  assert.match(await rewritten([header, ...lines, later]), /\n {2}applications were not managed all the time, as/);
});

test('a file that begins in the middle names the applications that it does not show in full', async () => {
  const path = join(folder, 'midway.jsonl');
  await recordObserved(
    path,
    async (world) => {
      world.apply('web', { manifests: [configMap('settings')] });
      await world.pass(10 * second);
      for (let round = 0; round < 20; round += 1) {
        world.edit('ConfigMap/settings', { data: { key: `${round}` } });
        await world.pass(20 * second);
      }
    },
    { limit: 4 * 1024 },
  );
  assert.match(
    await whatIf({ observer: {} }, path),
    /\n {2}what was under way when the file begins, until it was over: shop\/web\n/,
  );
});

test('watch events do not show applications, and the report states that if the config has them', async () => {
  const events = file(
    'events.jsonl',
    '{"ts":"2026-11-21T06:20:40.737Z","type":"ADDED","object":{"kind":"Pod","metadata":{"name":"a","namespace":"b"}}}\n',
  );
  const sentences =
    /not known from watch events:\n {2}nothing is known of applications: record with weeder run --record\n/;
  const config = file('events.yaml', JSON.stringify({ ...services, observer: {} }));
  assert.match((await offlineCli(['replay', '--config', config, events])).stdout, sentences);
  const weeding = file('weeding.yaml', JSON.stringify(services));
  assert.doesNotMatch((await offlineCli(['replay', '--config', weeding, events])).stdout, /not known from/);
});
