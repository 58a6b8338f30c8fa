import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import { networkFailure } from '../../src/client/networkFailure.ts';
import { endSilentConnections } from '../../src/client/silentConnections.ts';
import { serverCertificate } from '../../testing/faultyServer.ts';
import { misbehavingServer } from '../../testing/misbehavingServer.ts';
import { httpProxy } from '../../testing/proxies.ts';
import { until } from '../../testing/until.ts';

suite('silent connections', { concurrency: true }, () => {
  const tls = { ca: serverCertificate };
  const pings = { h2Options: { pingInterval: 20 } };

  for (const way of ['directly', 'through a proxy'] as const) {
    test(`an HTTP/2 connection made ${way} is closed if PING is not answered, and only then`, async (t) => {
      await using proxy = await httpProxy();
      await using server = await misbehavingServer('h2');
      const { host } = new URL(server.url);
      t.after(endSilentConnections(host, 100));
      const dispatcher: Dispatcher =
        way === 'directly'
          ? new Agent({ ...pings, connect: tls })
          : new ProxyAgent({ ...pings, uri: `http://127.0.0.1:${proxy.port}`, requestTls: tls });
      t.after(() => dispatcher.destroy());
      const query = { watch: true, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
      const request = { origin: server.url, path: '/api/v1/pods', query, method: 'GET' } as const;
      const { body } = await dispatcher.request({ ...request, bodyTimeout: 0 });
      let failure: unknown;
      body.on('error', (error) => {
        failure = error;
      });
      body.resume();

      const began = performance.now();
      await until('many checks have passed', () => performance.now() - began > 2_000);
      assert.equal(failure, undefined, 'a watch without events stays open');
      server.freeze();
      await until('it has ended', () => failure !== undefined);
      const silent = { type: 'timeout', message: 'the connection does not respond', silentMs: 400 };
      assert.deepEqual(networkFailure(failure), silent);
      const again = await dispatcher.request({ origin: server.url, path: '/api/v1/pods', method: 'GET' });
      assert.equal(again.statusCode, 200);
      await again.body.dump();
    });
  }

  test('a connection to another host is not closed', async (t) => {
    await using server = await misbehavingServer('h2');
    t.after(endSilentConnections('127.0.0.1:1', 20));
    const dispatcher = new Agent({ ...pings, connect: tls });
    t.after(() => dispatcher.destroy());
    const query = { watch: true, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
    const { body } = await dispatcher.request({ origin: server.url, path: '/api/v1/pods', query, method: 'GET' });
    let isOver = false;
    body.on('error', () => {
      isOver = true;
    });
    server.freeze();
    const began = performance.now();
    await until('many checks have passed', () => performance.now() - began > 1_000);
    assert.equal(isOver, false);
  });
});
