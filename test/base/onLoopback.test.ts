import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { listen } from '@weeder/kube-runtime/testing';
import { onLoopback, sendText, servePages } from '../../src/base/http.ts';
import { observed } from '../support/objects/observed.ts';

/** The status of a page on loopback for a connection to this address, and its text. */
async function answerAt(address: string): Promise<string> {
  const page = onLoopback((_url, request, response) => sendText(request, response, 200, 'actors'), 'come closer');
  const pages = servePages({ '/actors': page }, (error) => assert.fail(String(error)));
  const server = createServer((request, response) => {
    Object.defineProperty(request.socket, 'localAddress', { value: address });
    pages(request, response);
  });
  const answer = await fetch(`http://127.0.0.1:${await listen(server)}/actors`);
  const text = `${answer.status} ${await answer.text()}`;
  server.closeAllConnections();
  server.close();
  return text;
}

test('a page on loopback is served to connections to a loopback address, and to no others', async () => {
  for (const address of ['127.0.0.1', '127.3.2.1', '::1', '::ffff:127.0.0.1'])
    assert.equal(await answerAt(address), '200 actors', address);
  for (const address of ['10.0.0.7', '::ffff:10.0.0.7', 'fe80::1', '0.0.0.0', '1127.0.0.1', ''])
    assert.equal(await answerAt(address), '403 this page is served on loopback only: come closer\n', address);
});

test('/debug/actors is a page on loopback, unless --debug-actors turns it off', async () => {
  await using loopback = await observed([]);
  assert.equal((await loopback.health('/debug/actors')).status, 200);
  await using none = await observed([], 'none');
  assert.equal(await (await none.health('/debug/actors')).text(), 'not found: this server has /healthz and /readyz\n');
});
