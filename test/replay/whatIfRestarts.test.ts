import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { file, folder, offlineCli } from '../support/cli.ts';
import { restartConfig } from '../support/objects/restartSettings.ts';
import { recordRestarts } from '../support/recording/recordedRestarts.ts';
import { recordIncident } from '../support/recording/recording.ts';
import { configMap, type RestartWorld, withEnv } from '../support/world/restartWorld.ts';

const second = 1_000;
const source = configMap('settings');

/** Two changes 8 s apart, a release with a change, and another weeder in between; `other` is not managed. */
async function aMorning(world: RestartWorld): Promise<void> {
  world.putSource(source, { a: '1', b: '1' });
  world.putSource(configMap('others'), { a: '1' });
  await world.pass(10 * second);
  world.putWorkload('web', withEnv('settings', 'a'));
  world.putWorkload('other', withEnv('others', 'a'), { annotations: { 'weeder.dev/restart-on-change': 'false' } });
  await world.pass(50 * second);
  world.putSource(source, { a: '2', b: '1' });
  await world.pass(8 * second);
  world.putSource(source, { a: '3', b: '1' });
  world.putSource(configMap('others'), { a: '2' });
  await world.pass(112 * second);
  await world.restart();
  world.putSource(source, { a: '3', b: '2' });
  await world.pass(59 * second);
  world.putSource(source, { a: '4', b: '2' });
  world.patchTemplate('web', { metadata: { annotations: { release: '2' } } });
  await world.pass(120 * second);
}

async function whatIf(restartControl: object | undefined, recording: string): Promise<string> {
  const services = { servicesAndDependantSelectors: { db: { podSelectors: [{ matchLabels: { app: 'web' } }] } } };
  const config = file('asked.yaml', JSON.stringify(restartControl === undefined ? services : { restartControl }));
  const { code, stdout, stderr } = await offlineCli(['replay', '--config', config, recording]);
  assert.equal(stderr, '');
  assert.equal(code, 0);
  return stdout.replaceAll(/ {2,}/g, '  ');
}

/** At which seconds this was reported of web. */
function timesOf(what: string, text: string): string[] {
  const lines = new RegExp(`^ *\\+([\\d.]+)s {2}\\S+ {2}${what} {2}deployment/shop/web`, 'gm');
  return [...text.matchAll(lines)].map(([, time = '']) => time);
}

test('with its own config a recording leads to the restarts that were made, and with another quiet period to others', async () => {
  const path = join(folder, 'otherwise.jsonl');
  const world = await recordRestarts(path, aMorning);
  assert.deepEqual(
    world.rollouts.map(({ at }) => Math.round(at / second)),
    [65, 125, 239],
  );
  const own = await whatIf([{}], path);
  assert.deepEqual(timesOf('restarted', own), ['65.001', '125.001']);
  assert.match(own, /restarted {2}deployment\/shop\/web {2}dryRun, attempt 1, configmap\/shop\/settings \(a\)\n/);
  assert.equal(timesOf('restart skipped', own).length, 1);
  const later = await whatIf([{ quietPeriod: '10s' }], path);
  assert.deepEqual(timesOf('restarted', later), ['78.001']);
  assert.doesNotMatch(later, /configmap\/shop\/others/);
  assert.match(
    later,
    /not known from the recording:\n {2}how long the rollout of a restart would have taken: it counts/,
  );
});

test('a workload that was not managed at the time is simulated as well, with a note that its sources were not read', async () => {
  const path = join(folder, 'otherwise-other.jsonl');
  const selector = { matchLabels: { tier: 'none' } };
  const config = restartConfig();
  const unmanaged = { ...config, rules: config.rules.map((rule) => ({ ...rule, selector })) };
  await recordRestarts(path, aMorning, { config: unmanaged });
  const text = await whatIf([{ minInterval: '10s' }], path);
  assert.deepEqual(timesOf('restarted', text), ['65.001', '75.001', '185.002']);
  const unread = 'the content of configmap/shop/settings was not read: each write of it counts as a change\n';
  assert.ok(text.endsWith(`  ${unread}`), text);
  assert.doesNotMatch(await whatIf([{ namespaces: ['elsewhere'] }], path), /deployment\/shop|settings/);
});

test('the report states if restart control was not recorded, and without its section does not mention it', async () => {
  const { file: path } = await recordIncident(join(folder, 'otherwise-weeder.jsonl'));
  assert.match(await whatIf([{}], path), /restart control was not recorded: nothing is known of workloads\n/);
  const restarts = join(folder, 'otherwise-none.jsonl');
  await recordRestarts(restarts, aMorning);
  assert.doesNotMatch(await whatIf(undefined, restarts), /restart|deployment/);
});
