import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { parse } from 'yaml';
import { shapes } from '../../src/cli/data/shapes.ts';
import { cli, file, folder, oneSentence, sharedCli } from '../support/cli.ts';

const manifests = file(
  'shop.yaml',
  `
kind: Service
metadata: {name: postgres}
spec: {ports: [{port: 5432}], selector: {app: postgres}}
---
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          args: [postgres]
          env: [{name: DATABASE_URL, value: 'postgres://admin:hunter2@postgres:5432/shop'}]
---
kind: Deployment
metadata: {name: report}
spec:
  selector: {matchLabels: {app: report}}
  template: {metadata: {labels: {app: report}}, spec: {containers: [{name: main, args: [postgres]}]}}
`,
);

async function suggest(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await sharedCli(['suggest', ...words]);
  assert.deepEqual([code, stderr], [0, '']);
  return stdout;
}

suite('suggest', { concurrency: 4 }, () => {
  test('the table shows what manifests say, without the password, and how many it leaves out', async () => {
    assert.deepEqual((await suggest('-f', manifests)).split('\n'), [
      'CONFIDENCE  WORKLOAD                DEPENDS ON        STATE      EVIDENCE',
      'high        deployment/default/web  default/postgres  suggested  env DATABASE_URL of container web: postgres:5432, with a port of the Service (and 1 more)',
      '',
      '1 of a lower confidence is not shown: --confidence low',
      '',
    ]);
    const output = await suggest('-f', manifests, '--confidence=low');
    assert.match(
      output,
      /^low +deployment\/default\/report +default\/postgres +suggested +args of container main: postgres, only the name$/m,
    );
    assert.doesNotMatch(output, /hunter2|not shown/);
  });

  test('each format is printed', async () => {
    assert.match(
      await suggest('-f', manifests, '-o', 'labels'),
      /^kubectl patch deployment web -n default --type merge -p '\{.*"weeder\.dev\/depends-on":"postgres".*\}'$/m,
    );
    assert.match(await suggest('-f', manifests, '-o', 'mermaid'), /^flowchart RL\n/);
    assert.match(await suggest('-f', manifests, '-o', 'dot'), /^digraph dependencies \{\n/);
    const list = shapes.DependencyList.parse(JSON.parse(await suggest('-f', manifests, '-o', 'json')));
    assert.equal(list.items[0]?.service.name, 'postgres');
    assert.deepEqual(parse(await suggest('-f', manifests, '-oyaml')), list);
    const config = file('suggested.yaml', await suggest('-f', manifests, '-o', 'config'));
    assert.match((await sharedCli(['check', config])).stdout, /: ok, 1 service, 1 podSelector$/m);
    assert.match(
      await suggest('-f', manifests, '--config-file', config),
      /^high +deployment\/default\/web +default\/postgres +configured +env/m,
    );
  });

  test('graph draws what the config names, and suggests nothing', async () => {
    const graph = async (...words: string[]) => {
      const { code, stdout, stderr } = await sharedCli(['graph', '-f', manifests, ...words]);
      assert.deepEqual([code, stderr], [0, '']);
      return stdout;
    };
    assert.deepEqual(await sharedCli(['graph', '-f', manifests]), {
      code: 0,
      signal: null,
      stdout: 'flowchart RL\n',
      stderr: 'weeder: there is nothing to draw: no dependency was found.\n',
    });
    const none = { apiVersion: 'cli.weeder.dev/v1', kind: 'DependencyList', items: [] };
    assert.deepEqual(JSON.parse(await graph('-o', 'json')), none);
    assert.deepEqual(parse(await graph('-o', 'yaml')), none);
    const entry = '{podSelectors: [{matchLabels: {app: report}}]}';
    const config = file('graph.yaml', `servicesAndDependantSelectors: {postgres: ${entry}}\n`);
    assert.match(
      await graph('--config-file', config),
      /\["Deployment report"\]\n.*\(\["postgres"\]\)\n {2}end\n {2}n0 -->\|configured\| n1\n$/,
    );
    assert.match(await graph('--config-file', config, '-o', 'dot'), / n0 -> n1 \[label="configured"\];\n/);
    assert.equal(
      await graph('--config-file', config, '-n', 'a,b', '-o', 'json').then((text) => JSON.parse(text).items.length),
      1,
    );
    assert.match(
      oneSentence(await sharedCli(['graph', '-o', 'svg']), 2),
      /Allowed choices are mermaid, dot, json, yaml\./,
    );
  });

  test('suggest and graph report a declaration at a wrong place, with the line to write', async () => {
    const misplaced = file(
      'misplaced.yaml',
      `kind: Deployment
metadata: {name: web, labels: {weeder.dev/depends-on: db}}
spec: {template: {spec: {containers: []}}}
`,
    );
    const stderr =
      'weeder: Deployment default/web declares a dependency where weeder does not see it: write `weeder.dev/depends-on: db` into spec.template.metadata.labels.\n';
    for (const words of [['suggest'], ['graph', '-o', 'json']]) {
      const ended = await sharedCli([...words, '-f', misplaced]);
      assert.deepEqual([ended.code, ended.stderr], [0, stderr]);
    }
    const elsewhere = await sharedCli(['suggest', '-f', misplaced, '-n', 'default2']);
    assert.match(elsewhere.stdout, /^no dependencies/);
  });

  test('a folder is read, and -n restricts the output', async () => {
    mkdirSync(join(folder, 'manifests'), { recursive: true });
    file('manifests/a.yml', 'kind: Service\nmetadata: {name: redis}\n');
    file('manifests/ignored.txt', '{{');
    assert.equal(await suggest('-f', join(folder, 'manifests')), 'no dependencies were found\n');
    assert.match(await suggest('-f', manifests, '-nshop'), /^high +deployment\/shop\/web /m);
  });

  test('what cannot be read is left out and named, beside the rest and what is not searched', async () => {
    mkdirSync(join(folder, 'left-out'), { recursive: true });
    file('left-out/a.yaml', readFileSync(manifests, 'utf8').replace('kind: Service\n', 'kind: X\nkind: Service\n'));
    file('left-out/b.yaml', 'kind: [');
    file('left-out/c.yaml', 'kind: Kafka\n---\nkind: Secret\nmetadata: {name: a}\n');
    const { code, stdout, stderr } = await sharedCli(['suggest', '-f', join(folder, 'left-out')]);
    assert.equal(code, 1);
    assert.match(stdout, /^high +deployment\/default\/web /m);
    assert.match(stdout, /^2 objects of kinds that are not searched: Kafka, Secret$/m);
    const [remark = '', left = '', ...others] = stderr.trimEnd().split('\n');
    assert.match(
      remark,
      /^weeder: .*a\.yaml:3:1 kind: written twice: first on line 2, again on line 3; the last value counts\.$/,
    );
    assert.match(left, /^weeder: Left out: .*b\.yaml:1:\d+: not valid YAML: .* Give files/);
    assert.deepEqual(others, []);
    const secrets = await suggest('-f', file('kinds.yaml', 'kind: Secret\nmetadata: {name: a}\n'), '--secrets');
    assert.equal(secrets, 'no dependencies were found\n');
  });

  test('watch events show what crash-loops in an outage', async () => {
    const recorded = (kind: string) =>
      new URL(`../data/recorded/not-ready-exit5-${kind}-events.jsonl`, import.meta.url).pathname;
    const words = ['--recording', recorded('pod'), '--recording', recorded('slice'), '--confidence', 'low'];
    assert.match(
      await suggest(...words),
      /deployment\/demo\/kapi +demo\/etcd-main-client +suggested +recording: crash-looping began/,
    );
  });

  for (const [words, code, sentence] of [
    [['-o', 'xml'], 2, /^The flag --output: Allowed choices are table, labels, config, mermaid, dot, json, yaml\. See/],
    [['--confidence', 'sure'], 2, /^The flag --confidence: Allowed choices are high, medium, low\. See/],
    [
      ['--recording', 'x', '-o', 'labels'],
      2,
      /^The flag -o labels needs manifests beside a recording: give them with -f\. See/,
    ],
    [['postgres'], 2, /^weeder suggest does not accept the argument postgres\. See/],
    [['-f', 'missing.yaml'], 1, /^missing\.yaml: there is no such file\. Give files/],
    [['-f', file('bad.yaml', '- a\n')], 1, /^\.\/bad\.yaml:1:1: found no object, expected a manifest\. Give files/],
    [['--recording', 'missing.jsonl'], 1, /^Cannot read missing\.jsonl: there is no such file\. Give the paths/],
    [['-f', manifests, '--config-file', 'missing.yaml'], 1, /^missing\.yaml: there is no such file\. /],
    [['--kubeconfig', 'missing.kubeconfig'], 1, /^The kubeconfig missing\.kubeconfig /],
  ] as const) {
    test(`weeder suggest ${words.join(' ').replaceAll(folder, '.')} is refused in one sentence`, async () => {
      assert.match(oneSentence(await sharedCli(['suggest', ...words]), code), sentence);
    });
  }

  test('a file named - is read from a socket, once', async () => {
    const input = readFileSync(manifests, 'utf8');
    const { stdout, stderr } = await cli(['suggest', '-f', '-', '-f', '-'], { input });
    assert.deepEqual([stdout, stderr], [await suggest('-f', manifests), '']);
  });

  test('a folder without manifests is refused', async () => {
    mkdirSync(join(folder, 'empty'), { recursive: true });
    const refused = oneSentence(await sharedCli(['suggest', '-f', join(folder, 'empty')]), 1);
    assert.match(refused, /^The folder \.\/empty has no file of YAML or JSON\. Give files/);
  });
});
