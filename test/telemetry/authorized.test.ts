import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { ApiResult } from '@weeder/kube-runtime/client';
import { listen, virtualClock } from '@weeder/kube-runtime/testing';
import { pino } from 'pino';
import { sendText, servePages } from '../../src/base/http.ts';
import { createAuthorized } from '../../src/telemetry/authorized.ts';

/** A page that an API server authorizes: `token` is the account `reader`, and may get /metrics while `isAllowed`. */
async function authorizedPage() {
  const clock = virtualClock();
  const seen: string[] = [];
  const logged: string[] = [];
  const scene = { isAllowed: true, isConnected: true, isUp: true };
  const review = (spec: JsonObject): JsonObject => {
    if ('token' in spec)
      return spec['token'] === 'good'
        ? { authenticated: true, user: { username: 'reader', groups: ['all'] } }
        : { authenticated: false };
    assert.deepEqual(spec, {
      user: 'reader',
      uid: undefined,
      groups: ['all'],
      extra: undefined,
      nonResourceAttributes: { path: '/metrics', verb: 'get' },
    });
    return { allowed: scene.isAllowed };
  };
  const client = {
    server: 'https://cluster',
    async call({ path, body }: { readonly path: string; readonly body?: unknown }): Promise<ApiResult> {
      seen.push(path.split('/').at(-1) ?? '');
      if (!scene.isUp) return { ok: false, failure: { type: 'network', message: 'connection refused' } };
      return { ok: true, status: 201, body: { status: review(objectOf(objectOf(body)['spec'])) } };
    },
  };
  const authorized = createAuthorized({
    client: () => (scene.isConnected ? client : undefined),
    clock,
    logger: pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) }),
  });
  const page = authorized((_url, request, response) => sendText(request, response, 200, 'numbers'));
  const server = createServer(servePages({ '/metrics': page }, (error) => assert.fail(String(error))));
  const port = await listen(server);
  return {
    ...{ clock, seen, logged, scene },
    async get(authorization?: string): Promise<string> {
      const headers = authorization === undefined ? {} : { authorization };
      const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers });
      return `${answer.status} ${await answer.text()}`;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

test('a client without a token, or with a wrong one, is refused, and none of the page is sent', async () => {
  await using at = await authorizedPage();
  for (const header of [undefined, '', 'Bearer', 'Basic good', 'good'])
    assert.match(await at.get(header), /^401 this page needs the token of an account/);
  assert.deepEqual(at.seen, [], 'no review is requested');
  assert.match(await at.get('Bearer wrong'), /^401 /);
  assert.deepEqual(at.seen, ['tokenreviews']);
});

test('an account that may get the path reads the page, and the decision is valid for a minute', async () => {
  await using at = await authorizedPage();
  assert.deepEqual(await Promise.all([at.get('Bearer good'), at.get('bearer good')]), ['200 numbers', '200 numbers']);
  assert.deepEqual(at.seen, ['tokenreviews', 'subjectaccessreviews']);
  at.scene.isAllowed = false;
  await at.clock.pass(59_000);
  assert.equal(await at.get('Bearer good'), '200 numbers');
  await at.clock.pass(2_000);
  assert.equal(await at.get('Bearer good'), '403 reader may not get the nonResourceURL /metrics\n');
  assert.equal(at.seen.length, 4);
});

test('a denial is valid for ten seconds', async () => {
  await using at = await authorizedPage();
  at.scene.isAllowed = false;
  assert.match(await at.get('Bearer good'), /^403 /);
  at.scene.isAllowed = true;
  await at.clock.pass(9_000);
  assert.match(await at.get('Bearer good'), /^403 /);
  await at.clock.pass(2_000);
  assert.equal(await at.get('Bearer good'), '200 numbers');
});

test('without the API server no client reads the page, the log has the cause, and the next request is reviewed again', async () => {
  await using at = await authorizedPage();
  at.scene.isConnected = false;
  assert.match(
    await at.get('Bearer good'),
    /^503 weeder cannot authorize this request, because the API server is unreachable/,
  );
  at.scene.isConnected = true;
  at.scene.isUp = false;
  assert.match(await at.get('Bearer good'), /^503 /);
  assert.match(at.logged.join(''), /https:\/\/cluster cannot be reached: connection refused/);
  at.scene.isUp = true;
  assert.equal(await at.get('Bearer good'), '200 numbers');
});
