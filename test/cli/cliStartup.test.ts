import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { misbehavingServer, until } from '@weeder/kube-runtime/testing';
import { freePort } from '../support/api/freePort.ts';
import { config, file, kubeconfig, logOf, type Running, startCli } from '../support/cli.ts';
import { embedded } from '../support/world/embedded.ts';

/** Starts weeder against this server, with its health on `port`. */
function start(t: TestContext, server: string, port: number, ...args: readonly string[]): Running {
  return startWith(t, file(`${port}.kubeconfig`, kubeconfig(server)), config, port, ...args);
}

function startWith(t: TestContext, path: string, config: string, port: number, ...args: readonly string[]): Running {
  const health = `--health-bind-addr=127.0.0.1:${port}`;
  const weeder = startCli([
    `--config-file=${config}`,
    `--kubeconfig=${path}`,
    health,
    '--metrics-bind-addr=0',
    ...args,
  ]);
  t.after(() => weeder.child.kill('SIGKILL'));
  return weeder;
}

/** The response to a probe; undefined if there is none. */
async function probe(port: number, path: string, method = 'GET'): Promise<string | undefined> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method }).catch(() => undefined);
  return answer && `${answer.status} ${await answer.text()}`.trim();
}

/** Waits for a line of the log. */
function untilLogged(weeder: Running, msg: string): Promise<void> {
  // The last line may not be complete yet.
  const lines = () => logOf({ stdout: weeder.stdout().slice(0, weeder.stdout().lastIndexOf('\n') + 1) });
  return until(msg, () => lines().some((line) => line['msg'] === msg));
}

async function ready(port: number): Promise<void> {
  for (let answer: string | undefined; answer !== '200 ok'; await pause(20)) answer = await probe(port, '/readyz');
}

suite('startup', { concurrency: 3 }, () => {
  test('while weeder waits for its API server it is live but not ready, with the reason; afterwards it is ready', async (t) => {
    const server = await misbehavingServer('http');
    t.after(() => server.close());
    const heal = server.failAll((answer) => {
      answer.head(503, { 'content-type': 'text/plain' });
      answer.end('starting');
    });
    const port = await freePort();
    const weeder = start(t, server.url, port);
    await untilLogged(weeder, 'waiting for the API server');
    assert.equal(await probe(port, '/healthz'), '200 ok');
    assert.equal(await probe(port, '/healthz', 'HEAD'), '200');
    const unready =
      /^503 \[\+\]ping ok\n\[-\]manager failed: connecting to the API server\n\[\+\]config ok: .*\nreadyz check failed$/;
    assert.match((await probe(port, '/readyz')) ?? '', unready);
    assert.match((await probe(port, '/readyz?verbose')) ?? '', unready);
    assert.equal(await probe(port, '/metricz'), '404 not found: this server has /healthz, /readyz and /debug/actors');
    heal();
    await untilLogged(weeder, 'caches synced, starting controller');
    assert.equal(await probe(port, '/readyz'), '200 ok');
    const started = logOf({ stdout: weeder.stdout() }).find(({ msg }) => msg === 'weeder started');
    assert.partialDeepStrictEqual(started, { server: server.url, context: 'here', user: 'me' });
    assert.match(String(started?.['credentials']), new RegExp(`/${port}\\.kubeconfig$`));

    weeder.child.kill('SIGTERM');
    const { code, signal, stderr } = await weeder.ended;
    assert.deepEqual([code, signal, stderr], [0, null, '']);
    await untilLogged(weeder, 'weeder stopped');
    assert.equal(await probe(port, '/healthz'), undefined);
  });

  test('with the config of a fresh install weeder is ready, and one line says what it watches; it applies the first service', async (t) => {
    await using cluster = await embedded();
    const port = await freePort();
    const text = readFileSync(new URL('../../deploy/base/weeder.yaml', import.meta.url), 'utf8');
    const path = file('fresh.yaml', text);
    const weeder = startWith(t, cluster.kubeconfig, path, port);
    await ready(port);
    const lines = logOf({ stdout: weeder.stdout() }).map(({ level, msg, docs }) => [level, msg, docs]);
    assert.deepEqual(
      lines.filter(([, msg]) => String(msg).includes('to the config file')),
      [
        [
          'info',
          'only services are watched that pods declare by the label weeder.dev/depends-on: for more, add servicesAndDependantSelectors, podCreation, restartControl or observer to the config file, which is applied without a restart',
          'docs/reference/configuration.md',
        ],
      ],
    );
    assert.ok(lines.every(([level]) => level === 'info'));
    assert.equal(await probe(port, '/readyz'), '200 ok');
    const service = 'servicesAndDependantSelectors: {db: {podSelectors: [{matchLabels: {app: web}}]}}\n';
    writeFileSync(path, service);
    await untilLogged(weeder, 'config applied');
    await until('the streams of the service are open', () =>
      cluster.server.requests.latest.some(({ verb, url }) => verb === 'watch' && url.includes('endpointslices')),
    );
    weeder.child.kill('SIGTERM');
    assert.equal((await weeder.ended).code, 0);
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`${signal} ends the wait for an API server, with exit code 0`, async (t) => {
      const weeder = start(t, 'http://127.0.0.1:9', await freePort(), '--api-server-timeout=0');
      await untilLogged(weeder, 'waiting for the API server');
      const signalledAt = performance.now();
      weeder.child.kill(signal);
      const { code, stderr } = await weeder.ended;
      // Without the signal it would wait forever.
      assert.ok(performance.now() - signalledAt < 10_000);
      assert.deepEqual([code, stderr], [0, '']);
    });
  }

  test('weeder continues to run when its output is closed', async (t) => {
    const server = await misbehavingServer('http');
    t.after(() => server.close());
    const port = await freePort();
    const weeder = start(t, server.url, port, '--log-level=debug');
    weeder.child.stdout.destroy();
    await ready(port);
    server.cutConnections();
    const before = server.requests.length;
    await until('the streams are opened again', () => server.requests.length > before);
    assert.equal(await probe(port, '/readyz'), '200 ok');
    weeder.child.kill('SIGTERM');
    assert.deepEqual((await weeder.ended).code, 0);
  });
});
