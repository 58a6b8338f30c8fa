import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadKubeConfig } from '@weeder/kube-runtime/access';
import { assertMeets, propertyRuns } from '@weeder/kube-runtime/testing';
import { Command, CommanderError } from 'commander';
import fc from 'fast-check';
import { servePages } from '../../src/base/http.ts';
import { listen } from '../../src/base/listen.ts';
import { booleanFlags, readArguments, usageProblem } from '../../src/cli/flags/commandLine.ts';
import { addRunFlags, type RunFlags } from '../../src/cli/flags/runFlags.ts';
import { healthPage } from '../../src/telemetry/health.ts';
import { byteEdit, edited, editedBytes, oddValue, valueEdit } from '../support/fuzz.ts';
import { shown } from '../support/page/servedPage.ts';

const folder = mkdtempSync(join(tmpdir(), 'weeder-fuzz-inputs-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const kubeconfig = {
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1:6443', 'insecure-skip-tls-verify': true } }],
  users: [
    { name: 'u', user: { token: 't', as: 'a', 'as-groups': ['g'], 'as-user-extra': { k: ['v'] } } },
    { name: 'e', user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: './get', args: ['a'] } } },
  ],
  contexts: [
    { name: 'one', context: { cluster: 'c', user: 'u', namespace: 'n' } },
    { name: 'two', context: { cluster: 'c', user: 'e' } },
  ],
  'current-context': 'one',
};

/** The cluster that these bytes name, or one sentence; loading never throws. */
function assertLoads(bytes: string | Uint8Array, context: string | undefined): boolean {
  const path = join(folder, 'kubeconfig');
  writeFileSync(path, bytes);
  const loaded = loadKubeConfig({ kubeconfig: path, context }, {}, folder);
  if (loaded.ok) {
    assert.match(loaded.value.server, /^https?:\/\/[^/]/);
    if (context !== undefined) assert.equal(loaded.value.context, context);
    return true;
  }
  assert.match(loaded.error.code, /^KUBECONFIG_/);
  assert.match(loaded.error.message, /^[^\n]+\.$/, 'one sentence');
  assert.doesNotMatch(loaded.error.message, /undefined|\n\s+at /);
  return false;
}

test('any kubeconfig is a cluster, or one sentence', async () => {
  const contexts = fc.constantFrom(undefined, 'one', 'two', '__proto__');
  await assertMeets({ loaded: 10 }, 300, (met) =>
    fc.property(fc.array(valueEdit, { minLength: 1, maxLength: 3 }), contexts, (edits, context) => {
      if (assertLoads(JSON.stringify(edited(kubeconfig, edits)) ?? '', context)) met.loaded += 1;
    }),
  );
  await assertMeets({ loaded: 10 }, 300, (met) =>
    fc.property(fc.array(byteEdit, { minLength: 1, maxLength: 3 }), (edits) => {
      if (assertLoads(editedBytes(Buffer.from(JSON.stringify(kubeconfig, null, 2)), edits), undefined)) met.loaded += 1;
    }),
  );
});

const longs = addRunFlags(new Command('run')).options.map(({ long }) => long ?? '');

/** The flags, or one sentence. */
function flagsOf(words: readonly string[]): (RunFlags & Readonly<Record<string, unknown>>) | string {
  const program = new Command();
  const command = addRunFlags(program.command('run'))
    .exitOverride()
    .configureOutput({ writeErr: () => {}, writeOut: () => {} });
  try {
    command.parse(readArguments(words).words.slice(1), { from: 'user' });
    return command.opts();
  } catch (error) {
    assert(error instanceof CommanderError, String(error));
    return error.exitCode === 0 ? 'help' : usageProblem(error, 'run', program).message;
  }
}

test('any command line is flags of which none is lost, or one sentence', async () => {
  const value = fc.oneof(
    oddValue.filter((each) => typeof each === 'string' || typeof each === 'number').map(String),
    fc.constantFrom(
      '1h',
      '-1s',
      '10000h',
      ':9644',
      '[::1]:0',
      ':99999',
      '1/3',
      'auto/2',
      '64Mi',
      'a,b',
      'INFO',
      'true',
    ),
    fc.string({ maxLength: 10 }),
  );
  const word = fc.oneof(
    fc.tuple(fc.constantFrom(...longs), value).map(([flag, text]) => [`${flag}=${text}`]),
    fc.tuple(fc.constantFrom(...longs), value).map(([flag, text]) => [flag.slice(1), text]),
    fc.tuple(fc.string({ maxLength: 6 })).map(([text]) => [text]),
  );
  await assertMeets({ taken: 20 }, 1000, (met) =>
    fc.property(fc.array(word, { minLength: 1, maxLength: 3 }), (words) => {
      const given = words.flat();
      const flags = flagsOf(given);
      if (typeof flags === 'string') {
        assert.match(flags, /^[^\n]*[.?]$|^help$/s, flags);
        return;
      }
      met.taken += 1;
      for (const value of Object.values(flags)) assert.ok(typeof value !== 'number' || value >= 0, String(value));
    }),
  );
  assert.ok(booleanFlags.length > 0);
});

/** The first line of the answer; undefined if the connection was closed without one. */
function answerTo(port: number, request: Uint8Array): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(request));
    let answer = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text;
      if (answer.includes('\r\n')) socket.destroy();
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(answer === '' ? undefined : answer.split('\r\n', 1)[0]));
  });
}

test('any request to a server of weeder gets an answer, or the end of the connection, and the next one is answered', async () => {
  const broken: unknown[] = [];
  const pages = { '/healthz': healthPage('healthz', () => []) };
  const onRefused = (error: unknown) => broken.push(error);
  const health = await listen({
    flag: 'f',
    address: { host: '127.0.0.1', port: 0 },
    listener: servePages(pages, onRefused),
    onRefused,
  });
  assert(health.ok);
  await using page = await shown();
  // Not fc.webPath, which first makes a map of all Unicode characters.
  const character = fc.nat(0x10ffff).map((code) => encodeURIComponent(String.fromCodePoint(code).toWellFormed()));
  const unit = fc.oneof(fc.constantFrom(..."azAZ09-._~!$&'()*+,;=:@/"), character);
  const path = fc.string({ unit, maxLength: 30 }).map((text) => `/${text}`);
  const target = fc.oneof(
    fc.constantFrom(
      '/',
      '//',
      '/healthz',
      '/actors',
      '/events',
      '/replay',
      '*',
      '/..',
      '/%',
      '/%00',
      '/\\',
      '///[',
      'http://x',
    ),
    fc.constantFrom(
      '/actors?limit=1e9&offset=-1',
      '/actors?search=%ff',
      '/actors?machine=__proto__',
      '/events?actor=%',
    ),
    path,
    fc.string({ maxLength: 12 }).map((text) => `/${text}`),
  );
  const host = fc.oneof(
    fc.constantFrom('localhost', '127.0.0.1:1', '', '[::1', '[::1]:x', 'a.b', '::', '%'),
    fc.string(),
  );
  const method = fc.constantFrom('GET', 'GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'PRI');
  const requests = fc.tuple(method, target, host, fc.array(byteEdit, { maxLength: 1 }));
  await fc.assert(
    fc.asyncProperty(requests, async ([verb, path, name, edits]) => {
      const request = Buffer.from(`${verb} ${path} HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`, 'latin1');
      for (const port of [health.value.port, page.served.port]) {
        const answer = await answerTo(port, editedBytes(request, edits));
        if (answer !== undefined) assert.match(answer, /^HTTP\/1\.1 (200|4\d\d|501|503) /);
      }
    }),
    propertyRuns(150),
  );
  const usual = Buffer.from('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  assert.equal(await answerTo(health.value.port, usual), 'HTTP/1.1 200 OK');
  assert.deepEqual([...broken, ...page.broken], []);
  await health.value.close();
});
