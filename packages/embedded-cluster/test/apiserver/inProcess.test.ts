import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer, failure, type PlainRequest, simulatedClock } from '@weeder/embedded-cluster';

const collection = '/api/v1/namespaces/default/configmaps';
const agent = { 'user-agent': 'weeder' };
const json = { ...agent, 'content-type': 'application/json' };
const mergePatch = { ...agent, 'content-type': 'application/merge-patch+json' };
const body = (fields: object) => JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', ...fields });

const requests: readonly PlainRequest[] = [
  { method: 'POST', url: collection, headers: json, body: body({ metadata: { name: 'settings' }, data: { a: '1' } }) },
  { method: 'POST', url: collection, headers: json, body: body({ metadata: { name: 'settings' } }) },
  { method: 'PATCH', url: `${collection}/settings`, headers: mergePatch, body: '{"data":{"a":"2"}}' },
  { method: 'PATCH', url: `${collection}/settings`, headers: mergePatch, body: '{"metadata":{"resourceVersion":"1"}}' },
  { method: 'GET', url: `${collection}?labelSelector=app%3Dweb` },
  { method: 'GET', url: `${collection}/settings` },
  { method: 'DELETE', url: `${collection}/settings`, headers: json, body: '{"preconditions":{"uid":"other"}}' },
  { method: 'DELETE', url: `${collection}/settings` },
  { method: 'GET', url: `${collection}/settings` },
  { method: 'GET', url: '/apis' },
  { method: 'GET', url: '/nothing' },
];

function newServer() {
  return createApiServer({ clock: simulatedClock(), random: () => 0.5 });
}

test('a request in process has the response that it has over HTTP', async (t) => {
  const [plain, overHttp] = [newServer(), newServer()];
  const { url, close } = await overHttp.listen();
  t.after(close);
  for (const request of requests) {
    const { method, headers = {}, body: sent } = request;
    const expected = await fetch(`${url}${request.url}`, {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...(sent === undefined ? {} : { body: sent }),
    });
    const actual = await plain.request(request);
    const ids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
    assert.equal(actual?.status, expected.status, request.url);
    assert.equal(actual.body.replace(ids, ''), (await expected.text()).replace(ids, ''), request.url);
    assert.equal(actual.headers['content-type'], expected.headers.get('content-type'), request.url);
  }
  assert.equal(plain.requests.count('delete', 'configmaps'), 2);
});

test('faults apply in process: a refusal is the response, and a closed connection is none', async () => {
  const server = newServer();
  server.setFaults(({ method }) => ({ refuse: method === 'GET' ? failure(503, undefined, 'starting') : 'cut' }));
  assert.equal((await server.request({ method: 'GET', url: collection }))?.status, 503);
  assert.equal(await server.request({ method: 'DELETE', url: collection }), undefined);
});

test('a watch is served to a response that can take it, and the response of a finite request cannot', async () => {
  const clock = simulatedClock();
  const server = createApiServer({ clock });
  const url = `${collection}?watch=true&timeoutSeconds=60`;
  await assert.rejects(server.request({ method: 'GET', url }), /store\.watch/);
  const written: string[] = [];
  let isEnded = false;
  const response = {
    headersSent: false,
    destroyed: false,
    writableEnded: false,
    flushHeaders() {},
    setHeader() {},
    writeHead() {},
    write: (text: string) => written.push(text) > 0,
    end() {
      isEnded = true;
    },
    once() {},
  };
  assert.equal(await server.respond({ method: 'GET', url }, response), 'responded');
  await server.request({ method: 'POST', url: collection, headers: json, body: body({ metadata: { name: 'later' } }) });
  assert.match(written.join(''), /^\{"type":"ADDED","object":\{"kind":"ConfigMap".*"name":"later"/);
  clock.advance(60_000);
  assert.ok(isEnded);
});
