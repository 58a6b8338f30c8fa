import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import type { KubeClient } from '@weeder/kube-runtime/client';
import { answerWith, calling, type Fault } from '@weeder/kube-runtime/testing';
import { readHashKeys } from '../../../src/restart/digest/hashKeys.ts';
import { restartApi } from '../../../src/restart/requests/restartApi.ts';
import { base64, holds, secretObject } from '../../support/objects/sourceObjects.ts';

const marker = 'correct-horse-battery-staple';
const secret = { kind: 'Secret', namespace: 'shop', name: 'password' } as const;
const workload = { kind: 'Deployment', namespace: 'shop', name: 'web' } as const;
const signal = new AbortController().signal;

const whole = JSON.stringify(secretObject({ password: marker }));
const status = (code: number, reason: string, message: string, details: object = {}) =>
  JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message, details });
const cause = { reason: marker, field: marker, message: marker };

/** All the ways in which a server or a proxy may return the Secret instead of a proper response. */
const garbage: Readonly<Record<string, Fault>> = {
  'a Secret that is cut off': answerWith(200, whole.slice(0, -20)),
  'a Secret that is cut off, over a connection that breaks': (answer) => {
    answer.head(200, { 'content-length': String(whole.length) });
    answer.write(whole.slice(0, -20));
    answer.cut();
  },
  'the value alone': answerWith(200, marker),
  'the value as JSON': answerWith(200, JSON.stringify(marker)),
  'another Secret': answerWith(200, JSON.stringify(secretObject({ password: marker }, { name: marker }))),
  'a list of it': answerWith(200, JSON.stringify({ kind: 'SecretList', items: [secretObject({ password: marker })] })),
  HTML: answerWith(200, `<html><title>${marker}</title></html>`, { 'content-type': 'text/html' }),
  '500 with the Secret': answerWith(500, whole),
  '500 with the value': answerWith(500, `failed at ${base64(marker)}`),
  '502 with HTML': answerWith(502, `<html><title>${marker}</title>`, { 'content-type': 'text/html' }),
  '404 with the Secret': answerWith(404, whole),
  '302 with the Secret': answerWith(302, whole),
  ...Object.fromEntries(
    [400, 401, 403, 405, 410, 422, 429, 500, 503].map((code) => [
      `${code} with the value in its Status`,
      answerWith(
        code,
        status(code, marker, `cannot get resource "${marker}" in API group "${marker}"`, { causes: [cause] }),
      ),
    ]),
  ),
};

const requests: Readonly<Record<string, (client: KubeClient) => Promise<unknown>>> = {
  'a source': (client) => restartApi(client).readSource(secret, signal),
  'the key': (client) => readHashKeys(client, secret, signal),
};

for (const [what, request] of Object.entries(requests)) {
  test(`whatever response arrives in place of ${what}, the result contains none of it`, async () => {
    await using it = await calling('http');
    for (const [name, fault] of Object.entries(garbage)) {
      const restore = it.server.failAll(fault);
      const answer = await request(it.client);
      restore();
      const text = inspect(answer, { depth: 20 });
      assert(!holds(text, marker), `${name}: ${text}`);
      assert.match(text, /refused|ok: false|notFound/, name);
    }
    assert(!holds(inspect(it.events, { depth: 20 }), marker));
  });
}

test('creating the key may be refused with the key in the response: the error does not contain it', async () => {
  await using it = await calling('http');
  let sent = '';
  it.server.failAll((answer, request, _proceed) => {
    if (request.method === 'GET')
      return answerWith(404, status(404, 'NotFound', 'not found'))(answer, request, _proceed);
    sent = request.body;
    answerWith(422, status(422, 'Invalid', `Invalid value: ${request.body}`))(answer, request, _proceed);
  });
  const text = inspect(await readHashKeys(it.client, secret, signal), { depth: 20 });
  const [, key = ''] = /"key":"([^"]{40,})"/.exec(sent) ?? [];
  assert.equal(Buffer.from(key, 'base64').length, 32);
  assert(!text.includes(key), text);
  assert.match(text, /HASH_KEY_UNAVAILABLE/);
});

test('a workload is not confidential: the error for a refused patch contains the server’s message', async () => {
  await using it = await calling('http');
  it.server.failNext(answerWith(422, status(422, 'Invalid', `refused: ${marker}`)));
  assert(holds(inspect(await restartApi(it.client).patchWorkload(workload, {}, signal)), marker));
});

test('the value itself is in the content that was read, where it belongs', async () => {
  await using it = await calling('http');
  it.server.failNext(answerWith(200, whole));
  const answer = await restartApi(it.client).readSource(secret, signal);
  assert.equal(answer.type === 'ok' && answer.value.content.data.get('password')?.toString(), marker);
});
