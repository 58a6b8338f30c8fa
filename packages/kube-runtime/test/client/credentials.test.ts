import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { clusterAccess } from '../../src/access/clusterAccess.ts';
import { virtualClock } from '../../src/base/virtualClock.ts';
import { createKubeClient } from '../../src/client/client.ts';
import { calling, get } from '../../testing/calling.ts';
import { answerWith, serverCertificate, statusBody } from '../../testing/faultyServer.ts';
import { misbehavingServer } from '../../testing/misbehavingServer.ts';
import { until } from '../../testing/until.ts';

test('a token file is read again immediately after a 401, and periodically', async () => {
  const clock = virtualClock();
  await using it = await calling('http', {
    clock,
    user: (folder) => {
      writeFileSync(join(folder, 'token'), 'first\n');
      return { tokenFile: join(folder, 'token'), token: 'never' };
    },
  });
  const sent = () => it.server.requests.at(-1)?.headers['authorization'];
  await it.client.call(get);
  assert.equal(sent(), 'Bearer first');
  writeFileSync(join(it.folder, 'token'), 'second\n');
  await it.client.call(get);
  assert.equal(sent(), 'Bearer first');
  it.server.failNext(answerWith(401, statusBody(401, 'Unauthorized', 'Unauthorized')));
  const refused = await it.client.call(get);
  assert.equal(refused.ok ? '' : refused.failure.type, 'unauthorized');
  await it.client.call(get);
  assert.equal(sent(), 'Bearer second');
  writeFileSync(join(it.folder, 'token'), 'third\n');
  clock.advance(60_000);
  await it.client.call(get);
  assert.equal(sent(), 'Bearer third');
  rmSync(join(it.folder, 'token'));
  clock.advance(60_000);
  await it.client.call(get);
  assert.equal(sent(), 'Bearer third');
});

/** A test exec plugin: counts its runs, and returns a credential with the count. */
function plugin(folder: string, script: string): Readonly<Record<string, unknown>> {
  const path = join(folder, 'plugin.mjs');
  writeFileSync(path, script);
  return {
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: [path],
      env: [{ name: 'ASKED', value: 'yes' }],
    },
  };
}

test('an exec credential is used until it expires or is refused', async () => {
  const clock = virtualClock(Date.UTC(2026, 0, 1));
  await using it = await calling('http', {
    clock,
    user: (folder) =>
      plugin(
        folder,
        `import fs from 'node:fs';
         const file = ${JSON.stringify(join(folder, 'runs'))};
         fs.appendFileSync(file, 'x');
         const { apiVersion, spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
         const token = [process.env.ASKED, spec.interactive, fs.readFileSync(file).length].join('-');
         const expirationTimestamp = new Date(${Date.UTC(2026, 0, 1)} + 600000 * fs.readFileSync(file).length).toISOString();
         console.log(JSON.stringify({ apiVersion, kind: 'ExecCredential', status: { token, expirationTimestamp } }));`,
      ),
  });
  const sent = () => it.server.requests.at(-1)?.headers['authorization'];
  await Promise.all([it.client.call(get), it.client.call(get), it.client.call(get)]);
  assert.equal(sent(), 'Bearer yes-false-1');
  clock.advance(120_000);
  await it.client.call(get);
  assert.equal(sent(), 'Bearer yes-false-1');
  clock.advance(465_000);
  await it.client.call(get);
  assert.equal(sent(), 'Bearer yes-false-2');
  clock.advance(60_000);
  it.server.failNext(answerWith(401, statusBody(401, 'Unauthorized', 'Unauthorized')));
  await it.client.call(get);
  await it.client.call(get);
  assert.equal(sent(), 'Bearer yes-false-3');
});

for (const [what, script, expected] of [
  [
    'fails',
    `console.error('S3CRET has expired'); process.exit(3)`,
    /failed with exit code 3; run it to see the 19 bytes that it wrote to standard error$/,
  ],
  ['prints no JSON', `console.log('S3CRET')`, /printed 7 bytes that are not JSON, in place of an ExecCredential$/],
  ['prints something else', `console.log('{"kind":"Pod"}')`, /printed no ExecCredential with a token/],
] as const) {
  test(`an exec plugin that ${what} is reported in one sentence, and nothing is sent`, async () => {
    await using it = await calling('http', { user: (folder) => plugin(folder, script) });
    const result = await it.client.call(get);
    assert(!result.ok);
    assert.equal(result.failure.type, 'credentials');
    assert.match(result.failure.message, expected);
    assert.doesNotMatch(result.failure.message, /S3CRET/);
    assert.equal(it.server.requests.length, 0);
  });
}

test('a missing exec plugin is reported with its install hint', async () => {
  const exec = { command: 'no-such-plugin-of-weeder', installHint: 'Install it from here.\nSecond line' };
  await using it = await calling('http', { user: () => ({ exec }) });
  const result = await it.client.call(get);
  assert(!result.ok);
  assert.match(
    result.failure.message,
    /^the exec plugin "no-such-plugin-of-weeder" was not found \(Install it from here\.\)$/,
  );
});

test('an exec plugin that the system does not start is reported', async () => {
  const env = [{ name: 'LARGE', value: 'x'.repeat(1 << 18) }];
  await using it = await calling('http', { user: () => ({ exec: { command: process.execPath, env } }) });
  const failed = await it.client.call(get);
  assert.match(failed.ok ? '' : failed.failure.message, /^the exec plugin ".*" could not be run: spawn E2BIG$/);
});

test('a process with as many open files as it may have reports that it cannot run the plugin, and continues', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weeder-full-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const script = [
    `import { openSync } from 'node:fs';`,
    `import { runExecPlugin } from ${JSON.stringify(import.meta.resolve('../../src/access/execCredential.ts'))};`,
    `import { systemClock } from ${JSON.stringify(import.meta.resolve('../../src/base/clock.ts'))};`,
    `try { for (;;) openSync('/dev/null'); } catch {}`,
    `const ran = await runExecPlugin({ command: 'get' }, {}, systemClock);`,
    `process.stdout.write(ran.error);`,
  ];
  const file = join(folder, 'full.mjs');
  writeFileSync(file, script.join('\n'));
  const { stdout } = await promisify(execFile)('sh', ['-c', 'ulimit -n 200; exec "$0" "$1"', process.execPath, file]);
  assert.equal(stdout, 'the exec plugin "get" could not be run: spawn get EMFILE');
});

test('an exec plugin that hangs is terminated', async () => {
  const clock = virtualClock();
  await using it = await calling('http', { clock, user: (folder) => plugin(folder, 'setInterval(() => {}, 1000)') });
  let message: string | undefined;
  void it.client.call(get).then((result) => {
    message = result.ok ? '' : result.failure.message;
  });
  await until('it has been terminated', () => message !== undefined, clock, 500);
  assert.match(String(message), /did not end within 30 s$/);
});

test('a process that an exec plugin started and that outlives it does not keep weeder alive', async (t) => {
  const clock = virtualClock();
  const script = [
    `import { spawn } from 'node:child_process';`,
    `import { writeFileSync } from 'node:fs';`,
    `const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit', detached: true });`,
    `writeFileSync(new URL('pid', import.meta.url), String(child.pid));`,
  ].join('\n');
  await using it = await calling('http', { clock, user: (folder) => plugin(folder, script) });
  const pipes = () => process.getActiveResourcesInfo().filter((name) => name === 'PipeWrap').length;
  const before = pipes();
  const pid = () => readFileSync(join(it.folder, 'pid'), 'utf8');
  let message: string | undefined;
  void it.client.call(get).then((result) => {
    message = result.ok ? '' : result.failure.message;
  });
  await until('the other process has started', () => existsSync(join(it.folder, 'pid')) && pid() !== '');
  const outlives = Number(pid());
  t.after(() => process.kill(outlives, 'SIGKILL'));
  await until('the plugin has been given up', () => message !== undefined, clock, 500);
  await until('its pipes are closed', () => pipes() === before);
});

test('impersonation is sent with each request', async () => {
  await using it = await calling('http', {
    user: () => ({
      username: 'me',
      password: 'pw',
      as: 'her',
      'as-groups': ['a', 'b'],
      'as-uid': '7',
      'as-user-extra': { scopes: ['x'] },
    }),
  });
  await it.client.call(get);
  const headers = it.server.requests[0]?.headers ?? {};
  assert.equal(headers['authorization'], `Basic ${Buffer.from('me:pw').toString('base64')}`);
  assert.equal(headers['impersonate-user'], 'her');
  assert.equal(headers['impersonate-group'], 'a, b');
  assert.equal(headers['impersonate-uid'], '7');
  assert.equal(headers['impersonate-extra-scopes'], 'x');
});

test('a replaced certificate authority is used immediately if trust fails, and otherwise after a while', async () => {
  const clock = virtualClock();
  const folder = mkdtempSync(join(tmpdir(), 'weeder-authority-'));
  await using server = await misbehavingServer('h2');
  const authority = join(folder, 'ca.crt');
  writeFileSync(authority, readFileSync(new URL('../../testing/tls/other-authority.crt', import.meta.url)));
  const access = clusterAccess({
    source: 'the test',
    context: 'test',
    namespace: undefined,
    cluster: { server: server.url, 'certificate-authority': authority },
    user: {},
  });
  assert(access.ok);
  const client = createKubeClient({ userAgent: 'weeder/test', access: access.value, clock });
  const untrusted = await client.call(get);
  assert.equal(untrusted.ok ? '' : untrusted.failure.reason, 'TLS');
  writeFileSync(authority, serverCertificate);
  assert((await client.call(get)).ok);
  const connections = server.connections;
  writeFileSync(authority, Buffer.concat([serverCertificate, Buffer.from('\n')]));
  assert((await client.call(get)).ok);
  assert.equal(server.connections, connections);
  clock.advance(60_000);
  assert((await client.call(get)).ok);
  assert.equal(server.connections, connections + 1);
  await until('the old connection is closed', () => server.openConnections === 1);
  await client.close();
  rmSync(folder, { recursive: true });
});
