import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { secrets } from '@weeder/embedded-cluster/resources';
import { type Clock, objectOf, systemClock } from '@weeder/kube-runtime/base';
import { until } from '@weeder/kube-runtime/testing';
import { openShop } from '../../src/demo/restart/shop.ts';
import { file, folder, kubeconfig, sharedCli, startCli } from '../support/cli.ts';
import { readLines } from '../support/recording/recording.ts';

const marker = 'hunter2-the-marker';
/** In the cluster everything takes a tenth of its time, with the real times of day: weeder knows no other. */
const fastClock: Clock = {
  ...systemClock,
  setTimeout: (callback, delay) => systemClock.setTimeout(callback, delay / 10),
};
const restartControl = [{ namespaces: ['shop'], quietPeriod: '1s', minInterval: '1s' }];

test('run --record records restart control, its replay repeats the decisions, and the file has no value of a Secret', async (t) => {
  const shop = openShop(fastClock, 1);
  t.after(() => shop.stop());
  const listening = await shop.server.listen();
  t.after(() => listening.close());
  const path = join(folder, 'shop.jsonl');
  const words = ['--config-file', file('shop.yaml', JSON.stringify({ restartControl }))];
  const access = ['--kubeconfig', file('shop.kubeconfig', kubeconfig(listening.url))];
  const noServers = ['--health-bind-addr=0', '--metrics-bind-addr=0'];
  await until('the shop is open', () => shop.isSettled());
  const weeder = startCli([...words, ...access, ...noServers, '--record', path], { env: { POD_NAMESPACE: 'weeder' } });
  t.after(() => weeder.child.kill('SIGKILL'));
  const count = (text: string) => weeder.stdout().split(text).length - 1;
  await until('all five are adopted', () => count('workload adopted') === 5);

  shop.change('ConfigMap', 'features', { discounts: marker });
  await until('the change is rolled out', () => count('workload rolled out') === 1);
  shop.change('Secret', 'db-password', { password: marker });
  await until('the new password is rolled out', () => count('workload rolled out') === 3);
  shop.remove('ConfigMap', 'features');
  await until('the missing source is reported', () => count('restart blocked') === 1);
  weeder.child.kill('SIGTERM');
  const ended = await weeder.ended;
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  assert.equal(shop.rollouts.length, 3);

  const restarted = readLines(path).filter((line) => line['out'] === 'workload.restarted');
  assert.equal(restarted.length, 3);
  const replayed = await sharedCli(['replay', path]);
  assert.match(replayed.stdout, /restarted +statefulset\/shop\/db +rollout, attempt 1, secret\/shop\/db-password/);
  // On a busy machine a timer may be late, which is marked with `~`: it is the same decision.
  assert.match(replayed.stdout, /the same decisions as recorded|decisions? differs? from the recorded ones/);
  assert.doesNotMatch(replayed.stdout, /\(recorded, not replayed\)|\(replayed, not recorded\)/);

  const text = readFileSync(path, 'utf8');
  assert.ok(text.includes('secret/shop/db-password'));
  const [{ data = {} } = {}] = shop.server.store
    .list(secrets, { namespace: 'weeder' })
    .map((object) => ({ data: objectOf(object['data']) }));
  const keys = Object.values(data).map((value) => String(value));
  assert.equal(keys.length, 1, 'the hash key');
  const encodings = (['utf8', 'base64', 'base64url', 'hex'] as const).map((each) => Buffer.from(marker).toString(each));
  for (const secret of [...encodings.map((each) => each.slice(0, 16)), 'first', ...keys.map((key) => key.slice(0, 16))])
    assert.ok(!text.includes(secret), secret);
});
