import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { endpointSlices, namespaces, pods } from '@weeder/embedded-cluster/resources';
import { until } from '@weeder/kube-runtime/testing';
import { config, file, folder, logOf, oneSentence, sharedCli, startCli } from '../support/cli.ts';
import { readLines } from '../support/recording/recording.ts';
import { embedded, made } from '../support/world/embedded.ts';

const namespace = 'shoot-1';

/** A server with a service `db` that is down, and a pod that crash-loops without it; the function makes it ready or not. */
async function outage() {
  const cluster = await embedded();
  const { store } = cluster.server;
  made(store.create(namespaces, { metadata: { name: namespace } }));
  made(store.create(endpointSlices, slice(false)));
  const owner = { apiVersion: 'example.dev/v1', kind: 'Fleet', name: 'kapi', uid: 'fleet-1', controller: true };
  const metadata = { name: 'kapi-0', namespace, labels: { app: 'web' }, ownerReferences: [owner] };
  made(store.create(pods, { metadata, spec: { containers: [{ name: 'main', image: 'x:1' }] } }));
  const waiting = { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container' };
  const status = { phase: 'Running', containerStatuses: [{ name: 'main', restartCount: 4, state: { waiting } }] };
  made(store.patch(pods, namespace, 'kapi-0', { status }, { subresource: 'status' }));
  const ready = (isReady: boolean) => void made(store.patch(endpointSlices, namespace, 'db-a', slice(isReady)));
  return { cluster, ready };
}

function slice(ready: boolean) {
  return {
    metadata: { name: 'db-a', namespace, labels: { 'kubernetes.io/service-name': 'db' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready } }],
  };
}

suite('weeder run --record', { concurrency: true }, () => {
  test('run --record records a recovery over HTTP, and its replay repeats the decisions', async (t) => {
    const { cluster, ready } = await outage();
    await using _cluster = cluster;
    const path = join(folder, 'flight.jsonl');
    const words = [
      `--config-file=${config}`,
      `--kubeconfig=${cluster.kubeconfig}`,
      '--health-bind-addr=0',
      '--metrics-bind-addr=0',
      `--record=${path}`,
    ];
    const weeder = startCli(words);
    t.after(() => weeder.child.kill('SIGKILL'));
    await until('weeder runs', () => weeder.stdout().includes('caches synced, starting controller'));
    await until('the pod is deleted', () => {
      if (cluster.server.requests.count('delete', 'pods') === 0) ready(true);
      return weeder.stdout().includes('pod deleted');
    });
    weeder.child.kill('SIGTERM');
    const ended = await weeder.ended;
    assert.equal(ended.code, 0, ended.stdout + ended.stderr);

    const lines = readLines(path);
    assert.equal(lines.filter((line) => line['out'] === 'pod.deleted').length, 1);
    assert.equal(lines.at(-1)?.['out'], 'window.closed');
    const replayed = await sharedCli(['replay', path]);
    assert.equal(replayed.code, 0, replayed.stdout + replayed.stderr);
    assert.match(replayed.stdout, /pod deleted .*shoot-1\/kapi-0 {2}delete, CrashLoopBackOff, restarts 4\n/);
    assert.match(replayed.stdout, /the same decisions as recorded/);
  });

  test('run limits its recording by --record-limit and --record-files, and all of it can be replayed', async (t) => {
    const { cluster, ready } = await outage();
    await using _cluster = cluster;
    const path = join(folder, 'small.jsonl');
    const noServers = ['--health-bind-addr=0', '--metrics-bind-addr=0'];
    const words = [`--config-file=${config}`, `--kubeconfig=${cluster.kubeconfig}`, ...noServers];
    const weeder = startCli([...words, `--record=${path}`, '--record-limit=64Ki', '--record-files', '2']);
    t.after(() => weeder.child.kill('SIGKILL'));
    await until('weeder runs', () => weeder.stdout().includes('caches synced, starting controller'));
    await until('the oldest file is deleted', () => {
      for (const isReady of [false, true]) ready(isReady);
      return existsSync(`${path}.2`) && Number(readLines(`${path}.2`)[0]?.['part']) > 1;
    });
    weeder.child.kill('SIGTERM');
    const ended = await weeder.ended;
    assert.equal(ended.code, 0, ended.stdout + ended.stderr);
    assert.ok(!existsSync(`${path}.3`));
    // What follows from one input stays in the file of that input.
    for (const rotatedFile of [`${path}.1`, `${path}.2`])
      assert.ok(statSync(rotatedFile).size < 128 * 1024, `${statSync(rotatedFile).size}`);
    const replayed = await sharedCli(['replay', `${path}.2`, `${path}.1`, path]);
    assert.equal(replayed.code, 0, replayed.stdout.slice(-2000) + replayed.stderr);
  });

  test('a full disk is logged once, and weeder continues', async (t) => {
    const { cluster } = await outage();
    await using _cluster = cluster;
    const words = [
      `--config-file=${config}`,
      `--kubeconfig=${cluster.kubeconfig}`,
      '--health-bind-addr=0',
      '--metrics-bind-addr=0',
    ];
    const weeder = startCli([...words, '--record', '/dev/full']);
    t.after(() => weeder.child.kill('SIGKILL'));
    const said = 'the recording has stopped; weeder continues';
    await until('the warning', () => weeder.stdout().includes(said));
    await until('weeder runs', () => weeder.stdout().includes('caches synced, starting controller'));
    weeder.child.kill('SIGTERM');
    const ended = await weeder.ended;
    assert.equal(ended.code, 0);
    assert.equal(logOf(ended).filter((line) => line['msg'] === said && line['level'] === 'warn').length, 1);
    assert.ok(statSync('/dev/full').isCharacterDevice());
  });

  test('a recording that cannot be written is reported before anything else happens', async () => {
    const ended = await sharedCli([`--config-file=${config}`, '--record', join(folder, 'none', 'x.jsonl')]);
    assert.match(
      oneSentence(ended, 1),
      /^Cannot record to \.\/none\/x\.jsonl: there is no such directory\. Give a file in a/,
    );
  });

  test('if a port is in use no recording is begun, and the previous one is not changed', async () => {
    await using server = await embedded();
    const path = file('before.jsonl', 'the one of before');
    const words = [`--config-file=${config}`, '--health-bind-addr=0', `--record=${path}`];
    const ended = await sharedCli(['run', ...words, `--metrics-bind-addr=127.0.0.1:${new URL(server.url).port}`]);
    assert.match(oneSentence(ended, 1), /^Cannot listen on /);
    assert.equal(readFileSync(path, 'utf8'), 'the one of before');
    assert.ok(!existsSync(`${path}.1`));
  });
});
