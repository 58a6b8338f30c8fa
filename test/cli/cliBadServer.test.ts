import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createTcpServer, type Server } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import { listen } from '@weeder/kube-runtime/testing';
import { cli, config, type Ended, file, kubeconfig, logOf, oneSentence, sharedCli } from '../support/cli.ts';

const tls = (name: string) => readFileSync(new URL(`../../packages/kube-runtime/testing/tls/${name}`, import.meta.url));
let files = 0;

function listening(t: TestContext, server: Server): Promise<number> {
  t.after(() => server.close());
  return listen(server);
}

async function answering(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  t.after(() => server.closeAllConnections());
  return `http://127.0.0.1:${await listening(t, server)}`;
}

function status(code: number, reason: string, message: string): RequestListener {
  return (_request, response) => {
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message }));
  };
}

/** The command line that runs weeder against this server; `flags` may set how long it waits. */
function wordsFor(server: string, { user, cluster, flags = [] }: Options = {}): readonly string[] {
  files += 1;
  const path = file(`${files}.kubeconfig`, kubeconfig(server, user, cluster));
  return [`--config-file=${config}`, `--kubeconfig=${path}`, '--health-bind-addr=0', '--metrics-bind-addr=0', ...flags];
}

function against(server: string, options?: Options): Promise<Ended> {
  return sharedCli(wordsFor(server, options));
}

interface Options {
  readonly user?: object;
  readonly cluster?: object;
  readonly flags?: readonly string[];
}

suite('a server that weeder cannot work with is reported in one sentence', { concurrency: 3 }, () => {
  test('a web server that responds with HTML is not an API server', async (t) => {
    const server = await answering(t, (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<!doctype html><html><head><title>Sign in</title></head><body></body></html>');
    });
    assert.equal(
      oneSentence(await against(server), 1),
      `${server} sent a response that is not from a Kubernetes API server (200): the response is not JSON, but HTML ("Sign in"). Is this address a Kubernetes API server?`,
    );
  });

  test('a web server that responds with 404 is not an API server', async (t) => {
    const server = await answering(t, (_request, response) => {
      response.writeHead(404, { 'content-type': 'text/html' });
      response.end('<html><title>404 Not Found</title></html>');
    });
    assert.equal(
      oneSentence(await against(server), 1),
      `${server} sent a response that is not from a Kubernetes API server (404): the response was 404 with HTML ("404 Not Found"). Is this address a Kubernetes API server?`,
    );
  });

  test('a web server that redirects to a login page is not an API server', async (t) => {
    const server = await answering(t, (_request, response) => {
      response.writeHead(302, { location: 'https://login.test/' });
      response.end();
    });
    assert.match(
      oneSentence(await against(server), 1),
      /sent a response that is not from a Kubernetes API server \(302\)/,
    );
  });

  test('a wrong or expired token is rejected', async (t) => {
    const server = await answering(t, status(401, 'Unauthorized', 'Unauthorized'));
    assert.equal(
      oneSentence(await against(server), 1),
      `${server} does not accept the credentials (401): Unauthorized. The credentials are wrong or have expired: renew them, or choose others with --kubeconfig or --context.`,
    );
  });

  test('a server certificate of an untrusted authority is reported immediately', async (t) => {
    const server = createSecureServer({ cert: tls('server.crt'), key: tls('server.key') });
    const url = `https://127.0.0.1:${await listening(t, server)}`;
    const other = { 'certificate-authority-data': tls('other-authority.crt').toString('base64') };
    const ended = await against(url, { cluster: other });
    assert.match(
      oneSentence(ended, 1),
      /cannot be reached: the server is not trusted: .+\. Check the address, and the certificate authority of the cluster /,
    );
    assert.equal(ended.stdout, '');
  });

  test('an exec plugin that fails is named, and not what it wrote, which may be a token', async () => {
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh', interactiveMode: 'Never' };
    const ended = await against('https://127.0.0.1:9', {
      user: { exec: { ...exec, args: ['-c', 'echo "session expired, log in again" >&2; exit 3'] } },
    });
    const message = oneSentence(ended, 1);
    assert.match(message, /^There are no credentials for https:\/\/127\.0\.0\.1:9: the exec plugin "sh" .*exit code 3/);
    assert.match(message, /run it to see the 30 bytes that it wrote to standard error/);
    assert.doesNotMatch(message, /session expired/);
  });

  test('an exec plugin that does not exist is reported with its installHint', async () => {
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'no-such-login', installHint: 'get it' };
    const message = oneSentence(await against('https://127.0.0.1:9', { user: { exec } }), 1);
    assert.match(message, /the exec plugin "no-such-login" .*\(get it\)/);
  });
});

suite('weeder waits for a server that does not answer, and logs that once', { concurrency: 4 }, () => {
  const patience = ['--api-server-timeout=1500ms'];
  const waited = (ended: Ended) => logOf(ended).filter(({ msg }) => msg === 'waiting for the API server').length;

  test('a server on which nothing listens', async () => {
    const started = performance.now();
    const ended = await cli(wordsFor('https://127.0.0.1:9', { flags: ['--api-server-timeout=1s'] }));
    assert.ok(performance.now() - started >= 1000);
    assert.equal(
      oneSentence(ended, 1),
      'https://127.0.0.1:9 cannot be reached: the connection was refused. Check that the address is right, that the API server runs, and that it can be reached from here.',
    );
    assert.equal(waited(ended), 1);
  });

  test('a host name that does not resolve', async () => {
    const ended = await cli(wordsFor('https://no-such-host.invalid', { flags: patience }));
    assert.match(oneSentence(ended, 1), /^https:\/\/no-such-host\.invalid cannot be reached: /);
    assert.equal(waited(ended), 1);
  });

  test('a server that accepts the connection and does not respond', async (t) => {
    const server = createTcpServer();
    const url = `http://127.0.0.1:${await listening(t, server)}`;
    const ended = await cli(wordsFor(url, { flags: patience }));
    assert.match(
      oneSentence(ended, 1),
      /did not answer in time: no data was received for 1\.\d+ s\. The API server or the network/,
    );
  });

  test('an overloaded API server, or a proxy without a backend', async (t) => {
    const server = await answering(t, (_request, response) => {
      response.writeHead(503, { 'content-type': 'text/html' });
      response.end('<html><title>Service Unavailable</title></html>');
    });
    const ended = await cli(wordsFor(server, { flags: patience }));
    assert.match(oneSentence(ended, 1), /refused \(503\): the response was 503 with HTML \("Service Unavailable"\)\.$/);
    assert.equal(waited(ended), 1);
  });
});
