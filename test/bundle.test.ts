import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import packageJson from '../package.json' with { type: 'json' };
import { bundle } from './support/bundle.ts';
import { cli, config, file, folder, kubeconfig, logOf, oneSentence, startCli } from './support/cli.ts';
import { misbehavingServer } from './support/misbehavingServer.ts';
import { until } from './support/until.ts';

const built = await bundle();
/** The bundle alone: no package.json, no node_modules above it. */
const alone = join(folder, 'alone', 'weeder.js');
/** As npm installs it. */
const installed = join(folder, 'installed', 'dist', 'weeder.js');
for (const path of [alone, installed]) {
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(built, path);
}
file('installed/package.json', JSON.stringify({ type: packageJson.type }));
const text = readFileSync(built, 'utf8');

suite('the production bundle', { concurrency: 3 }, () => {
  test('works alone: --version, check', async () => {
    assert.deepEqual(await cli(['--version'], { program: alone }), {
      code: 0,
      signal: null,
      stdout: `${packageJson.version}\n`,
      stderr: '',
    });
    assert.equal((await cli(['check', config], { program: alone })).code, 0);
  });

  test('works alone: run, over TLS', async (t) => {
    const server = await misbehavingServer('h2');
    t.after(() => server.close());
    const trusted = { 'certificate-authority': new URL('support/tls/server.crt', import.meta.url).pathname };
    const path = file('alone.kubeconfig', kubeconfig(server.url, { token: 'secret' }, trusted));
    const words = [`--config-file=${config}`, `--kubeconfig=${path}`, '--health-bind-addr=0', '--metrics-bind-addr=0'];
    const weeder = startCli(words, { program: alone });
    t.after(() => weeder.child.kill('SIGKILL'));
    await until('weeder runs', () => weeder.stdout().includes('all streams are synced, weeding'));
    weeder.child.kill('SIGTERM');
    const ended = await weeder.ended;
    assert.deepEqual([ended.code, ended.stderr], [0, '']);
    assert.equal(logOf(ended).at(-1)?.['msg'], 'weeder stopped');
  });

  test('holds nothing of the generated API of client-node, and is no larger than it has to be', () => {
    assert.deepEqual(text.match(/\b(CoreV1Api|AppsV1Api|class (V1PodList|V1Pod|ObjectSerializer))\b/), null);
    assert.ok(!text.includes('opentelemetry.js.api'), 'holds OpenTelemetry');
    const { size } = statSync(built);
    assert.ok(size < 3_500_000, `${size} bytes`);
  });

  test('imports nothing but Node itself', () => {
    const imported = [...text.matchAll(/^import [^\n]*["']([^"'\n]+)["'];?$/gm)].map(([, name = '']) => name);
    assert.ok(imported.length > 0);
    for (const name of imported) assert.ok(process.getBuiltinModule(name) !== undefined, name);
  });

  test('can be started by its own name', () => {
    assert.ok(text.startsWith('#!/usr/bin/env node\n'));
  });

  test('says which Node it needs, when it is started by an old one', {
    skip: !oldNode() && 'no old Node',
  }, async () => {
    for (const words of [['--version'], [], ['run', '--config-file', config]]) {
      const ended = await cli(words, { program: installed, node: oldNode() ?? '' });
      assert.match(
        oneSentence(ended, 1),
        /^Node \d+\.\d+\.\d+ is too old: weeder needs Node 24\.12 or newer\. Install one, or run weeder with npm start, which brings its own\.$/,
      );
      assert.equal(ended.stdout, '');
    }
  });
});

/** The machine's own Node, when it is older than ours. */
function oldNode(): string | undefined {
  const folders = ['/usr/bin', '/usr/local/bin', ...(process.env['PATH'] ?? '').split(delimiter)];
  const found = folders.map((each) => join(each, 'node')).filter((path) => existsSync(path));
  return found.find(
    (path) => Number(/^v(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))?.[1]) < 24,
  );
}
