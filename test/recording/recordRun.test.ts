import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import {
  eventLine,
  isInitialWatch,
  isWatch,
  type MisbehavingServer,
  misbehavingServer,
  type ServerAnswer,
  until,
} from '@weeder/kube-runtime/testing';
import { config, file, folder, kubeconfig, logOf, oneSentence, sharedCli, startCli } from '../support/cli.ts';
import { backOff, pod, slice } from '../support/objects/objects.ts';
import { readLines } from '../support/recording/recording.ts';

/** Lets the server serve a service `db` and a pod that crash-loops without it; returns a way to send changes. */
function serveOutage(server: MisbehavingServer): (kind: string, object: object) => void {
  const watches = new Map<string, ServerAnswer>();
  const kindOf = (path: string) => (path.endsWith('/pods') ? 'Pod' : 'EndpointSlice');
  const initial = { Pod: pod({ labels: { app: 'web' }, containers: [backOff(4)] }), EndpointSlice: outage(false) };
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  server.failAll((answer, request) => {
    const kind = kindOf(request.path);
    answer.head(200);
    if (!isInitialWatch(request)) {
      watches.set(kind, answer);
      return;
    }
    answer.write(eventLine('ADDED', initial[kind]));
    answer.write(eventLine('BOOKMARK', { kind, apiVersion: 'v1', metadata: { resourceVersion: '9', annotations } }));
    answer.end();
  }, isWatch);
  return (kind, object) => watches.get(kind)?.write(eventLine('MODIFIED', object));
}

function outage(isReady: boolean): object {
  return slice({ service: 'db', ready: [isReady] });
}

suite('weeder run --record', { concurrency: true }, () => {
  test('run --record records a recovery over HTTP, and its replay repeats the decisions', async (t) => {
    const server = await misbehavingServer('http');
    t.after(() => server.close());
    const send = serveOutage(server);
    const path = join(folder, 'flight.jsonl');
    const kubeconfigFile = file('record.kubeconfig', kubeconfig(server.url));
    const words = [
      `--config-file=${config}`,
      `--kubeconfig=${kubeconfigFile}`,
      '--health-bind-addr=0',
      '--metrics-bind-addr=0',
      `--record=${path}`,
    ];
    const weeder = startCli(words);
    t.after(() => weeder.child.kill('SIGKILL'));
    await until('weeder runs', () => weeder.stdout().includes('caches synced, starting controller'));
    const deletions = () => server.requests.filter(({ method }) => method === 'DELETE').length;
    await until('the pod is deleted', () => {
      if (deletions() === 0) send('EndpointSlice', outage(true));
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
    const server = await misbehavingServer('http');
    t.after(() => server.close());
    const send = serveOutage(server);
    const path = join(folder, 'small.jsonl');
    const kubeconfigFile = file('small.kubeconfig', kubeconfig(server.url));
    const noServers = ['--health-bind-addr=0', '--metrics-bind-addr=0'];
    const words = [`--config-file=${config}`, `--kubeconfig=${kubeconfigFile}`, ...noServers];
    const weeder = startCli([...words, `--record=${path}`, '--record-limit=64Ki', '--record-files', '2']);
    t.after(() => weeder.child.kill('SIGKILL'));
    await until('weeder runs', () => weeder.stdout().includes('caches synced, starting controller'));
    await until('the oldest file is deleted', () => {
      for (const isReady of [false, true]) send('EndpointSlice', outage(isReady));
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
    const server = await misbehavingServer('http');
    t.after(() => server.close());
    serveOutage(server);
    const kubeconfigFile = file('full.kubeconfig', kubeconfig(server.url));
    const words = [
      `--config-file=${config}`,
      `--kubeconfig=${kubeconfigFile}`,
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
    const server = await misbehavingServer('http');
    const path = file('before.jsonl', 'the one of before');
    const words = [`--config-file=${config}`, '--health-bind-addr=0', `--record=${path}`];
    const ended = await sharedCli(['run', ...words, `--metrics-bind-addr=127.0.0.1:${new URL(server.url).port}`]);
    await server.close();
    assert.match(oneSentence(ended, 1), /^Cannot listen on /);
    assert.equal(readFileSync(path, 'utf8'), 'the one of before');
    assert.ok(!existsSync(`${path}.1`));
  });
});
