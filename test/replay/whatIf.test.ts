import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { file, folder, oneSentence, sharedCli } from '../support/cli.ts';
import { recordObserved } from '../support/recording/recordedObserver.ts';
import { recordIncident } from '../support/recording/recording.ts';
import { configMap } from '../support/world/observerWorld.ts';

/** The recorded incident: a 2m window, kapi-0 and kapi-1 deleted in it, debug skipped. */
async function incident(name: string): Promise<string> {
  return (await recordIncident(join(folder, name))).file;
}

const configWith = (name: string, settings: string, more = '') =>
  file(
    name,
    `${settings}servicesAndDependantSelectors:\n  etcd-main-client:\n    podSelectors: [{matchLabels: {role: apiserver}}]\n${more}`,
  );

async function whatIf(config: string, ...files: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await sharedCli(['replay', '--config-file', config, ...files]);
  assert.equal(stderr, '');
  assert.equal(code, 0);
  return stdout;
}

const withSingleSpaces = (text: string) => text.replaceAll(/ {2,}/g, '  ');

test('with its own config a recording gives the timeline and the savings, and lists what it cannot show', async () => {
  const stdout = withSingleSpaces(
    await whatIf(configWith('own.yaml', 'watchDuration: 2m\n'), await incident('own.jsonl')),
  );
  assert.match(stdout, /\+100\.000s {2}00:01:40\.000 {2}window opened {2}shoot-1\/etcd-main-client #1 {2}2m0s\n/);
  assert.match(stdout, /\+100\.000s .*pod deleted .*shoot-1\/kapi-0 {2}delete, CrashLoopBackOff, restarts 4\n/);
  assert.match(stdout, /\+102\.000s .*pod deleted .*shoot-1\/kapi-1 {2}delete, in unreported back-off, restarts 3\n/);
  assert.match(stdout, /deletion skipped .*shoot-1\/debug {2}barePod\n/);
  assert.match(stdout, /\nshoot-1\/kapi-0 {2}00:01:40\.000 {2}\+0\.000s {2}40s {2}unknown\n/);
  assert.match(
    stdout,
    /\n2 pods, .* of back-off saved\n\nnot known from the recording:\n {2}2 pods were deleted then: what they would have done is unknown\n$/,
  );
});

test('another config leads to other decisions: bare pods, length of the window, deletions during the outage', async () => {
  const path = await incident('other.jsonl');
  const settings = 'watchDuration: 1m\nbarePods: delete\nwhileNotReady: delete\n';
  const stdout = withSingleSpaces(await whatIf(configWith('other.yaml', settings), path));
  assert.match(stdout, /window opened .* 1m0s\n/);
  assert.match(stdout, /pod deleted .*shoot-1\/debug {2}delete/);
  assert.match(stdout, /\+160\.000s .*window closed .*3 deleted, 0 skipped, 0 failed\n/);
});

test('with a pace, a replay has the deletions one after the other in recorded time', async () => {
  const path = await incident('pace.jsonl');
  const settings = 'barePods: delete\npace: {pods: 1, per: 2s}\n';
  const stdout = withSingleSpaces(await whatIf(configWith('pace.yaml', settings), path));
  const times = ['kapi-0', 'debug', 'kapi-1'].map(
    (name) => new RegExp(`\\+(\\S+)s .*pod deleted .*shoot-1/${name} `).exec(stdout)?.[1],
  );
  assert.deepEqual(times, ['100.000', '102.000', '104.000']);
});

test('a config with onStart: always opens a window at the recorded start, unlike the recorded weeder', async () => {
  const path = await incident('start.jsonl');
  const stdout = withSingleSpaces(await whatIf(configWith('start.yaml', 'watchDuration: 2m\nonStart: always\n'), path));
  assert.match(stdout, /^ *\+0\.000s {2}00:00:00\.000 {2}window opened {2}shoot-1\/etcd-main-client #1 {2}2m0s\n/);
});

test('services and pods that were not watched are listed, and nothing is assumed about them', async () => {
  const path = await incident('unknown.jsonl');
  const more = [
    '  redis:\n    podSelectors: [{matchLabels: {app: web}}]\n',
    '  etcd-events-client:\n    podSelectors: [{matchLabels: {role: apiserver}}]\n',
  ].join('');
  const config = file(
    'unknown.yaml',
    `servicesAndDependantSelectors:\n  etcd-main-client:\n    podSelectors: [{matchLabels: {role: scheduler}}]\n${more}`,
  );
  const stdout = await whatIf(config, path);
  const [, unknown = ''] = stdout.split('not known from the recording:\n');
  assert.deepEqual(unknown.trimEnd().split('\n'), [
    '  service redis was not watched: its state is unknown',
    '  service etcd-events-client was not watched: its state is unknown',
    '  pods role=scheduler were not watched: only those that a watched selector also selects are known',
    '  pods app=web were not watched: only those that a watched selector also selects are known',
    '  2 pods were deleted then: what they would have done is unknown',
  ]);
  assert.match(stdout, /\nweeder would have deleted no pod\n/);
});

test('files of a rotated recording are replayed together, and the newest alone opens no window for a service that was ready before', async () => {
  const { file: path } = await recordIncident(join(folder, 'rotated.jsonl'), { limit: 30_000, repeats: 20 });
  const config = configWith('rotated.yaml', 'watchDuration: 2m\nonStart: always\n');
  const [both, newest] = [await whatIf(config, `${path}.1`, path), await whatIf(config, path)];
  const countOf = (text: string) => text.match(/window opened/g)?.length ?? 0;
  assert.ok(countOf(both) > countOf(newest) && countOf(newest) >= 1, `${countOf(both)} ${countOf(newest)}`);
});

test('a config that cannot be used is reported, and so are recordings mixed with watch events', async () => {
  const path = await incident('bad.jsonl');
  assert.match(
    oneSentence(await sharedCli(['replay', '--config-file=none.yaml', path]), 1),
    /^none\.yaml: there is no such file\./,
  );
  const event = file('event.jsonl', '{"type":"ADDED","object":{"kind":"Pod"}}\n');
  const args = ['replay', '--config-file', configWith('x.yaml', ''), path, event];
  assert.match(
    oneSentence(await sharedCli(args), 1),
    /^\.\/event\.jsonl:1: found no recording; recordings and watch events/,
  );
});

test('restarts and applications are not decided again, and the output says so', async () => {
  const [objects, restarts, applications] = ['objects without pods', 'restarts', 'applications'].map(
    (what) => `  ${what}: only deletions are decided again with another config\n`,
  );
  const path = await incident('others.jsonl');
  const without = await whatIf(configWith('weeder-only.yaml', ''), path);
  assert.doesNotMatch(without, /decided again/);
  const config = configWith('all.yaml', 'observer: {}\nrestartControl: {}\npodCreation: {}\n');
  assert.ok((await whatIf(config, path)).endsWith(`${objects}${restarts}${applications}`));
  const observed = join(folder, 'observed.jsonl');
  await recordObserved(observed, async (world) => {
    world.apply('web', { manifests: [configMap('settings')] });
    await world.pass(10_000);
  });
  const stdout = await whatIf(configWith('unlike.yaml', ''), observed);
  assert.ok(stdout.includes(`${applications}`) && !stdout.includes(`${restarts}`), stdout);
});
