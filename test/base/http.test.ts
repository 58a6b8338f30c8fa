import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { listen } from '@weeder/kube-runtime/testing';
import { sendText, servePages } from '../../src/base/http.ts';

const broken: unknown[] = [];
const pages = servePages(
  {
    '/good': ({ searchParams }, request, response) =>
      sendText(request, response, 200, `good ${searchParams.get('a') ?? ''}`),
    '/bad': () => {
      throw new Error('bad');
    },
  },
  (error) => broken.push(error),
);
const server = createServer(pages);
const port = await listen(server);
after(() => server.close());

/** The status of the response to a request with exactly this target; undefined if the connection was closed. */
async function answerTo(target: string, method = 'GET'): Promise<string | undefined> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`${method} ${target} HTTP/1.1\r\nHost: weeder\r\nConnection: close\r\n\r\n`);
  return /^HTTP\/1\.1 (\d+)/.exec(await text(socket))?.[1];
}

test('a page is found by its path, whatever the query; an unknown path is a 404', async () => {
  for (const target of ['/good', '/good?a=b', '/good?//', '/good?a=%', '/./good']) {
    assert.equal(await answerTo(target), '200', target);
  }
  for (const target of ['/', '/goods', '/good/', '/__proto__', '/constructor', '*', 'http://other/good', 'good']) {
    assert.match((await answerTo(target)) ?? '', /^4/, target);
  }
});

test('a path that begins with two slashes is a path, not a host, and does not end the process', async () => {
  for (const target of ['//', '///', '//good', '//[', '//a:99999', '/\\', '//%', '//good/good', '/\\good']) {
    assert.equal(await answerTo(target), '404', target);
  }
});

test('only GET and HEAD are allowed, and an exception in a page is reported', async () => {
  assert.equal(await answerTo('/good', 'POST'), '405');
  assert.equal(await answerTo('/good', 'HEAD'), '200');
  assert.equal(await answerTo('/bad'), '500');
  assert.deepEqual(broken, [new Error('bad')]);
});
