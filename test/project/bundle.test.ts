import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { httpProxy, misbehavingServer, socksProxy, until } from '@weeder/kube-runtime/testing';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { parseConfig } from '../../src/config/parse.ts';
import { bundle } from '../support/bundle.ts';
import { cli, config, file, folder, kubeconfig, logOf, oneSentence, startCli } from '../support/cli.ts';

const built = dirname(await bundle());
/** The bundle alone: no package.json, no node_modules above it. */
const alone = join(folder, 'alone', 'weeder.js');
/** As npm installs it. */
const installed = join(folder, 'installed', 'dist', 'weeder.js');
for (const path of [alone, installed]) cpSync(built, dirname(path), { recursive: true });
file('installed/package.json', JSON.stringify({ type: packageJson.type }));
const entry = readFileSync(join(built, 'weeder.js'), 'utf8');
const chunks = globSync('chunks/*.js', { cwd: built }).map((name) => readFileSync(join(built, name), 'utf8'));
const texts = [entry, ...chunks];

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

  test('works alone: run, over TLS, and through each kind of proxy', async (t) => {
    await using http = await httpProxy();
    await using socks = await socksProxy();
    await using h2 = await misbehavingServer('h2');
    await using h1 = await misbehavingServer('https');
    const experimental = /^\(node:\d+\) ExperimentalWarning: SOCKS5 /;
    for (const [server, proxy, text] of [
      [h2, {}, /^$/],
      [h2, { 'proxy-url': `http://127.0.0.1:${http.port}` }, /^$/],
      [h1, { 'proxy-url': `socks5://127.0.0.1:${socks.port}` }, experimental],
    ] as const) {
      const ca = new URL('../../packages/kube-runtime/testing/tls/server.crt', import.meta.url).pathname;
      const cluster = { 'certificate-authority': ca, ...proxy };
      const path = file('alone.kubeconfig', kubeconfig(server.url, { token: 'secret' }, cluster));
      const words = [
        `--config-file=${config}`,
        `--kubeconfig=${path}`,
        '--health-bind-addr=0',
        '--metrics-bind-addr=0',
      ];
      const weeder = startCli(words, { program: alone });
      t.after(() => weeder.child.kill('SIGKILL'));
      await until('weeder runs', () => weeder.stdout().includes('caches synced, starting controller'));
      weeder.child.kill('SIGTERM');
      const ended = await weeder.ended;
      assert.equal(ended.code, 0);
      assert.match(ended.stderr, text);
      assert.equal(logOf(ended).at(-1)?.['msg'], 'weeder stopped');
    }
    assert.ok(http.targets.length > 0 && socks.targets.length > 0);
  });

  test('contains neither the generated API of client-node nor fetch, and is no larger than necessary', () => {
    for (const text of texts) {
      assert.deepEqual(
        text.match(/\b(CoreV1Api|AppsV1Api|class (V1PodList|V1Pod|ObjectSerializer|WebSocket))\b/),
        null,
      );
      // V8 would store it with two bytes for each character.
      assert.match(text, /^\p{ASCII}*$/v);
    }
    const sizeOf = (parts: readonly string[]) => parts.reduce((sum, { length }) => sum + length, 0);
    const [exporting, others] = [texts.filter(isOfOpenTelemetry), texts.filter((text) => !isOfOpenTelemetry(text))];
    assert.ok(sizeOf(others) < 3_200_000, `${sizeOf(others)} bytes`);
    // Loaded only if the environment asks for an export over OTLP.
    assert.equal(exporting.length, 1);
    assert.ok(sizeOf(exporting) < 140_000, `${sizeOf(exporting)} bytes`);
  });

  test('imports only Node itself and its own chunks', () => {
    const imported = texts.flatMap((text) => [...text.matchAll(/\b(?:from|import\(?)(["'`])([\w@./:-]+)\1/g)]);
    assert.ok(imported.length > chunks.length);
    const foreign = imported.map(([, , name = '']) => name).filter((name) => !isOwn(name) && !isBuiltin(name));
    assert.deepEqual([...new Set(foreign)].sort(), ['@statelyai/inspect', 'pino-pretty']);
  });

  test('loads only what a verb needs, and never Node’s built-in fetch', async () => {
    const preload = file('loaded.mjs', reportLoaded);
    const ended = await cli(['check', config], { program: alone, env: { NODE_OPTIONS: `--import=${preload}` } });
    const { files, hasFetch } = Loaded.parse(JSON.parse(ended.stderr));
    assert.equal(hasFetch, false);
    assert.ok(files.some((name) => name.startsWith('check-')));
    assert.deepEqual(
      files.filter((name) => /^(demo\w*|diagram|replay|run|suggest|graph)-/.test(name)),
      [],
    );
  });

  test('loads the SDK of OpenTelemetry only if the environment asks for it, and never Node’s built-in fetch', async (t) => {
    const preload = file('loaded.mjs', reportLoaded);
    await using server = await misbehavingServer('http');
    const access = `--kubeconfig=${file('otlp.kubeconfig', kubeconfig(server.url))}`;
    const words = [`--config-file=${config}`, access, '--health-bind-addr=0', '--metrics-bind-addr=0'];
    for (const [endpoint, isLoaded] of [
      ['', false],
      ['http://127.0.0.1:1', true],
    ] as const) {
      const env = { NODE_OPTIONS: `--import=${preload}`, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
      const weeder = startCli(words, { program: alone, env });
      t.after(() => weeder.child.kill('SIGKILL'));
      await until('weeder runs', () => weeder.stdout().includes('caches synced, starting controller'));
      weeder.child.kill('SIGTERM');
      const { files, hasFetch } = Loaded.parse(JSON.parse((await weeder.ended).stderr));
      const exporting = files.filter((name) => /^(sdk|trace(Weeder|Restart))-/.test(name)).length;
      assert.deepEqual([exporting, hasFetch], [isLoaded ? 3 : 0, false]);
    }
  });

  test('has the embedded cluster behind the verb demo alone', () => {
    const nameOf = (text: string) => `${globSync('chunks/*.js', { cwd: built })[chunks.indexOf(text)]}`.slice(7);
    const holders = chunks.filter((text) => text.includes('kube-node-lease'));
    assert.equal(holders.length, 1);
    assert.ok(!entry.includes('kube-node-lease'));
    const name = nameOf(holders[0] ?? '');
    const importers = chunks.filter((text) => text.includes(`./${name}`)).map(nameOf);
    assert.ok(importers.length >= 3);
    assert.deepEqual(
      importers.filter((each) => !/^demo\w*-/.test(each)),
      [],
    );
    assert.ok(!entry.includes(name));
  });

  test('parses a long config in a worker thread', async () => {
    const [chunk = ''] = globSync('chunks/parseInWorker-*.js', { cwd: dirname(alone) });
    const { parseInWorker }: typeof import('../../src/config/parseInWorker.ts') = await import(
      join(dirname(alone), chunk)
    );
    assert.deepEqual(await parseInWorker('observer: {}', 'f'), parseConfig('observer: {}', 'f'));
  });

  test('can be started by its own name', () => {
    assert.ok(entry.startsWith('#!/usr/bin/env node\n'));
  });

  test('names the Node version that it needs if an older one starts it', {
    skip: !oldNode() && 'no old Node',
  }, async () => {
    for (const words of [['--version'], [], ['run', '--config-file', config]]) {
      const ended = await cli(words, { program: installed, node: oldNode() ?? '' });
      assert.match(
        oneSentence(ended, 1),
        /^Node \d+\.\d+\.\d+ is too old: weeder needs Node 26 or newer\. Install one, or run weeder with npm start, which brings its own\.$/,
      );
      assert.equal(ended.stdout, '');
    }
  });
});

/** A module that is loaded first and, at the process' end, lists what was loaded after it. */
const reportLoaded = `
  import { registerHooks } from 'node:module';
  const files = [];
  registerHooks({
    load(url, context, next) {
      files.push(url.split('/').at(-1));
      return next(url, context);
    },
  });
  process.on('exit', () => {
    const hasFetch = process.moduleLoadList.some((name) => name.includes('deps/undici'));
    process.stderr.write(JSON.stringify({ files, hasFetch }));
  });
`;
const Loaded = z.object({ files: z.array(z.string()), hasFetch: z.boolean() });

/** The real API of OpenTelemetry, which prom-client does not get, registers itself by this name. */
function isOfOpenTelemetry(text: string): boolean {
  return text.includes('opentelemetry.js.api');
}

/** A chunk of the bundle, by its relative path. */
function isOwn(name: string): boolean {
  return name.startsWith('./');
}

/** The Node of the machine, if it is older than the required version. */
function oldNode(): string | undefined {
  const folders = ['/usr/bin', '/usr/local/bin', ...(process.env['PATH'] ?? '').split(delimiter)];
  const paths = folders.map((each) => join(each, 'node')).filter((path) => existsSync(path));
  return paths.find(
    (path) => Number(/^v(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))?.[1]) < 26,
  );
}
