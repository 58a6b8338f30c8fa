import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { type TestContext, test } from 'node:test';
import { sendText } from '../../src/base/http.ts';
import { listen } from '../../src/base/listen.ts';

/** A server that passes on the errors of its socket, as if the system had reported them. */
async function listening(t: TestContext) {
  const refused: unknown[] = [];
  let server: unknown;
  const started = await listen({
    flag: '--x',
    address: { host: '127.0.0.1', port: 0 },
    listener(request, response) {
      server = Reflect.get(request.socket, 'server');
      sendText(request, response, 200, 'ok');
    },
    onRefused: (error) => refused.push(error.message),
  });
  const { port, close } = started.ok ? started.value : assert.fail(started.error.message);
  t.after(close);
  // Without keep-alive, each request has a connection of its own.
  const request = async () => (await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })).status;
  assert.equal(await request(), 200);
  return {
    port,
    refused,
    request,
    fail(message: string) {
      assert.ok(server instanceof EventEmitter);
      server.emit('error', new Error(message));
    },
  };
}

test('connections that cannot be accepted do not end the process, and are reported once until one is accepted', async (t) => {
  const server = await listening(t);
  for (let times = 0; times < 3; times += 1) server.fail('accept EMFILE');
  assert.deepEqual(server.refused, ['accept EMFILE']);
  assert.equal(await server.request(), 200);
  server.fail('accept ENFILE');
  assert.deepEqual(server.refused, ['accept EMFILE', 'accept ENFILE']);
});

test('a port that is in use is an error that names the flag, and reports no refused connection', async (t) => {
  const { port, refused } = await listening(t);
  const second = await listen({
    flag: '--y',
    address: { host: '127.0.0.1', port },
    listener: () => assert.fail('it does not listen'),
    onRefused: (error) => assert.fail(error),
  });
  assert.equal(
    second.ok ? '' : second.error.message,
    `Cannot listen on 127.0.0.1:${port} (--y): another process listens there already.`,
  );
  assert.deepEqual(refused, []);
});
