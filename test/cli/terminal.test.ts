import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { printable, printableLines } from '../../src/base/printable.ts';
import { file, sharedCli } from '../support/cli.ts';

/** Colours, a window title, a bell, C1's CSI, a faked line, right-to-left text, and two line separators. */
const hostile =
  '\u001b[31mred\u001b]0;title\u0007\u009b2J\nFAKE: all is well\r\u202ereversed\u2066\u2028\u2029\u0085end';
const inJson = JSON.stringify(hostile).slice(1, -1);
const raw = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** There are no line feeds but weeder's own: the faked line does not begin a line. */
function assertHarmless(text: string): void {
  assert.doesNotMatch(text.replaceAll('\n', ''), raw);
  assert.doesNotMatch(text, /^\s*FAKE/m);
  assert.match(text, /\\u001b|\\u202e/);
}

test('control characters are escaped, and other text is unchanged', () => {
  assert.equal(printable('a\u001b[1mb\n\u202e'), 'a\\u001b[1mb\\u000a\\u202e');
  assert.equal(printableLines('a\nb\r'), 'a\nb\\u000d');
  assert.equal(printable('Größe → “é” 漢字 😀'), 'Größe → “é” 漢字 😀');
});

test('names and messages of a kubeconfig are escaped', async () => {
  const cluster = (server: string) => ({ clusters: [{ name: hostile, cluster: { server } }] });
  const context = { contexts: [{ name: hostile, context: { cluster: hostile, user: hostile } }] };
  const common = { apiVersion: 'v1', kind: 'Config', 'current-context': hostile, ...context };
  const kubeconfigs: Readonly<Record<string, object>> = {
    'no such user': { ...common, ...cluster('https://127.0.0.1:1') },
    'a server that is no URL': { ...common, ...cluster(hostile), users: [{ name: hostile, user: {} }] },
    'no such cluster': { ...common, users: [{ name: hostile, user: {} }] },
    'a key that is none': {
      ...common,
      ...cluster('https://127.0.0.1:1'),
      users: [{ name: hostile, user: { exec: { command: hostile } } }],
    },
  };
  const configFile = file(
    'weeder.yaml',
    'observer: {}\nservicesAndDependantSelectors: {db: {podSelectors: [{matchLabels: {a: b}}]}}\n',
  );
  for (const [what, kubeconfig] of Object.entries(kubeconfigs)) {
    const path = file('kubeconfig.json', JSON.stringify(kubeconfig));
    const { code, stderr, stdout } = await sharedCli([
      'explain',
      `--config-file=${configFile}`,
      `--kubeconfig=${path}`,
    ]);
    assert.equal(code, 1, what);
    assert.equal(stdout, '', what);
    assertHarmless(stderr);
    assert.equal(stderr.split('\n').length, 2, stderr);
  }
});

test('keys and values of a config, and of an Application, are escaped', async () => {
  const config = {
    [hostile]: 1,
    servicesAndDependantSelectors: { [hostile]: { [hostile]: hostile } },
    onStart: hostile,
  };
  const application = {
    apiVersion: 'weeder.dev/v1alpha1',
    kind: 'Application',
    metadata: { name: hostile, namespace: hostile },
    spec: { mode: hostile, manifests: [{ apiVersion: hostile, kind: hostile, metadata: { name: hostile } }] },
  };
  for (const text of [config, application]) {
    const { code, stderr, stdout } = await sharedCli(['check', file('checked.yaml', JSON.stringify(text))]);
    assert.equal(code, 1);
    assertHarmless(stdout + stderr);
  }
});

/** Replaces a text by another one in each line, and in each JSON text inside of it. */
function renamed(path: string, from: string): string {
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) =>
      JSON.stringify(JSON.parse(line), (_key, value: unknown) => {
        if (typeof value !== 'string') return value;
        return value.startsWith('{') ? value.replaceAll(from, from + inJson) : value.replaceAll(from, from + hostile);
      }),
    )
    .join('\n');
}

test('names in a replayed recording, and in watch events, are escaped', async () => {
  const recording = file(
    'recording.jsonl',
    `${renamed('test/replays/services/outage-of-the-demo.jsonl', 'kube-apiserver-')}\n`,
  );
  const recorded = await sharedCli(['replay', recording]);
  assert.match(recorded.stdout, /pod deleted/, recorded.stderr);
  assertHarmless(recorded.stdout + recorded.stderr);
  const events = globSync('test/data/recorded/not-ready-exit5-*.jsonl').map((path, index) =>
    file(`events-${index}.jsonl`, `${renamed(path, 'kapi-')}\n`),
  );
  const selectors = '{etcd-main-client: {podSelectors: [{matchLabels: {app: kapi}}], onStart: always}}';
  const config = file('weeder.yaml', `servicesAndDependantSelectors: ${selectors}\n`);
  const watched = await sharedCli(['replay', `--config-file=${config}`, ...events]);
  assert.match(watched.stdout, /pod deleted/, watched.stderr);
  assertHarmless(watched.stdout + watched.stderr);
});
