import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { parse } from 'yaml';
import { shapes } from '../../src/cli/data/shapes.ts';
import { forbidding } from '../support/api/forbidding.ts';
import { bundle } from '../support/bundle.ts';
import { cli, config, file, folder, kubeconfig, oneSentence, sharedCli } from '../support/cli.ts';

const faulty = readFileSync(new URL('../data/config/faulty.yaml', import.meta.url));
const bundled = await bundle();
const faultyPath = file('faulty.yaml', faulty);

suite('check', { concurrency: 4 }, () => {
  test('a valid file is summarized in one line', async () => {
    const original = readFileSync(new URL('../data/config/original.yaml', import.meta.url));
    const two = file('original.yaml', original);
    assert.deepEqual(await sharedCli(['check', config]), {
      code: 0,
      signal: null,
      stdout: `${config}: ok, 1 service, 1 podSelector\n`,
      stderr: '',
    });
    assert.equal((await sharedCli(['check', two])).stdout, `${two}: ok, 2 services, 2 podSelectors\n`);
    const neutral = file('neutral.yaml', '{}\n');
    assert.equal((await sharedCli(['check', neutral])).stdout, `${neutral}: ok, nothing is configured yet\n`);
    const all = file(
      'sections.yaml',
      'declaredDependencies: {}\npodCreation: {}\nobserver: {}\nnotifications: {ops: {urlFile: /f}}\n',
    );
    const sections = 'declared dependencies, creation of pods, the application observer, notifications to 1 receiver';
    assert.equal((await sharedCli(['check', all])).stdout, `${all}: ok, ${sections}\n`);
  });

  test('the section restartControl is explained rule by rule, also without any service', async () => {
    const text = `restartControl:
  burst: 5
  rules:
    - {namespaces: [shop], kinds: [StatefulSet], strategy: evict, maintenanceWindows: [{cron: "0 22 * * 1-5", duration: 2h}]}
    - {selector: {matchLabels: {team: web}}, quietPeriod: 0s, jobs: report, unstick: true, imagePullSecrets: hash}
    - {sources: [{namespace: infra}, {namespace: infra, names: [ca]}]}
`;
    const lines = async (content: string) => {
      const path = file('restart.yaml', content);
      const { code, stdout, stderr } = await sharedCli(['check', path]);
      assert.deepEqual([code, stderr], [0, '']);
      return stdout.replace(path, 'restart.yaml').trimEnd().split('\n');
    };
    const usual = 'rollout after 5s without a change or 1m0s with changes, at most once in 1m0s';
    assert.deepEqual(await lines(text), [
      'restart.yaml: ok, restart control with 3 rules',
      '  rule 1: StatefulSets in shop: evict after 5s without a change or 1m0s with changes, at most once in 1m0s; only from "0 22 * * 1-5" UTC for 2h0m0s',
      '  rule 2: all workloads in every watched namespace with team=web: rollout after 0s without a change or 1m0s with changes, at most once in 1m0s; image pull Secrets count; pods that block a rollout are deleted',
      `  rule 3: all workloads in every watched namespace: ${usual}; sources of infra`,
      `  opt-in by annotation, without a matching rule: ${usual}`,
      '  limits: 30 restarts per minute, bursts of 5, 10 concurrent rollouts',
    ]);
    assert.deepEqual((await lines('restartControl: [{kinds: [Job]}, {}, {namespaces: [shop]}]')).slice(1, 4), [
      `  rule 1: Jobs in every watched namespace: ${usual}`,
      `  rule 2: all workloads in every watched namespace: ${usual}`,
      '  rule 3: all workloads in shop: never applies, because rule 2 matches all workloads',
    ]);
    const service = 'servicesAndDependantSelectors: {db: {podSelectors: [{matchLabels: {a: b}}]}}';
    assert.deepEqual(await lines(`${service}\nrestartControl: {}`), [
      'restart.yaml: ok, 1 service, 1 podSelector, restart control with 0 rules',
      `  opt-in by annotation: ${usual}`,
      '  limits: 30 restarts per minute, bursts of 20, 10 concurrent rollouts',
    ]);
    assert.deepEqual(await lines('declaredDependencies: {}'), ['restart.yaml: ok, declared dependencies']);
    assert.deepEqual(await lines('observer: {}'), ['restart.yaml: ok, the application observer']);
    assert.deepEqual(await lines(`${service}\nobserver: {}`), [
      'restart.yaml: ok, 1 service, 1 podSelector, the application observer',
    ]);
  });

  test('each error of an invalid file has a line, with its position and a suggestion', async () => {
    const { code, stdout, stderr } = await sharedCli(['check', faultyPath]);
    assert.deepEqual([code, stdout], [1, '']);
    const lines = stderr.trimEnd().replaceAll(folder, '.').split('\n');
    assert.ok(lines.every((line) => /^\.\/faulty\.yaml:\d+:\d+ [\w.[\]-]+: .+$/.test(line)));
    assert.deepEqual(
      lines.map((line) => line.split(':', 3).join(':')),
      [
        './faulty.yaml:1:16 watchDuration',
        './faulty.yaml:2:10 onStart',
        './faulty.yaml:4:3 servicesAndDependantSelectors.etcd-main-client.podSelectors',
        './faulty.yaml:5:5 servicesAndDependantSelectors.etcd-main-client.podSelector',
        './faulty.yaml:10:35 servicesAndDependantSelectors.database.podSelectors[0].matchExpressions[0].operator',
        './faulty.yaml:10:48 servicesAndDependantSelectors.database.podSelectors[0].matchExpressions[0].values[0]',
        './faulty.yaml:11:9 servicesAndDependantSelectors.database.podSelectors[1]',
      ],
    );
    assert.ok(lines[1]?.endsWith('found "recnt", allowed are recent, always, never; did you mean "recent"?'));
  });

  test('a file named - is read from a socket, as a program of Node gives one', async () => {
    const good = await cli(['check', '-'], { input: 'declaredDependencies: {}' });
    assert.deepEqual(good, { code: 0, signal: null, stdout: '-: ok, declared dependencies\n', stderr: '' });
    const large = await cli(['check', '-'], { input: 'a'.repeat(9 * 1024 * 1024) });
    assert.deepEqual([large.code, large.stdout], [1, '']);
    assert.match(large.stderr, /^\/dev\/stdin: is larger than /);
  });

  test('a file named - is read from a pipe', async () => {
    // A shell creates a pipe; `spawn` creates a socket.
    const piped = { node: '/bin/sh', program: '-c' };
    const line = (text: string) => `printf '${text}' | '${process.execPath}' '${bundled}' check -`;
    const good = await cli(
      [line('servicesAndDependantSelectors: {db: {podSelectors: [{matchLabels: {a: b}}]}}')],
      piped,
    );
    assert.deepEqual([good.code, good.stdout], [0, '-: ok, 1 service, 1 podSelector\n']);
    const bad = await cli([line('watchDuration: 5')], piped);
    assert.deepEqual([bad.code, bad.stdout], [1, '']);
    assert.match(bad.stderr, /^\/dev\/stdin:1:\d+ watchDuration: /m);
  });

  for (const [path, error] of [
    [join(folder, 'absent'), 'there is no such file'],
    ['', 'there is no such file'],
  ] as const) {
    test(`the error for "${path.replace(folder, '.')}": ${error}`, async () => {
      assert.deepEqual(await sharedCli(['check', path]), {
        code: 1,
        signal: null,
        stdout: '',
        stderr: `${path}: ${error}\n`,
      });
    });
  }
});

/** Writes files into a new folder, and returns its path. */
function folderOf(name: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name, path)), { recursive: true });
    file(join(name, path), text);
  }
  return join(folder, name);
}

suite('check of several files and folders', { concurrency: 4 }, () => {
  const application = `apiVersion: weeder.dev/v1alpha1
kind: Application
metadata: {name: shop, namespace: shop}
spec: {manifests: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: "1"}}]}
`;
  const deployment = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n';
  const mixed = folderOf('mixed', {
    'a.yaml': 'declaredDependencies: {}',
    'deep/er/b.yml': 'watchDuration: 5',
    'deep/c.json': '{"observer": {}}',
    'deep/ignored.txt': '{{',
    '.hidden/d.yaml': '{{',
    'node_modules/e.yaml': '{{',
    'application.yaml': application,
    'broken.yaml': 'servicesAndDependantSelector:\n  db: [',
    'chart/templates/a.yaml': '{{- if .Values.observer }}\napiVersion: v1\n{{- end }}\n',
    'chart/values.yaml': 'image: {}\nserver: {}\nnamespaces: []\n',
    'empty.yaml': '',
    'manifests.yaml': `${deployment}---\n${deployment}`,
  });

  test('each file has a line or its errors, and one invalid file is enough for exit code 1', async () => {
    const { code, stdout, stderr } = await sharedCli(['check', mixed, config]);
    assert.equal(code, 1);
    const lines = stdout.replaceAll(folder, '.').split('\n');
    assert.deepEqual(lines.slice(0, 2), [
      './mixed/a.yaml: ok, declared dependencies',
      './mixed/application.yaml: ok, application shop/shop: 1 resource, mode correct, deletionPolicy delete, as the account default',
    ]);
    assert.deepEqual(lines.slice(3), [
      './mixed/deep/c.json: ok, the application observer',
      './weeder.yaml: ok, 1 service, 1 podSelector',
      '4 other files are not checked',
      '',
    ]);
    const errors = stderr.replaceAll(folder, '.').trimEnd().split('\n');
    assert.match(errors[0] ?? '', /^\.\/mixed\/broken\.yaml:\d+:\d+: not valid YAML: /);
    assert.match(errors.at(-1) ?? '', /^\.\/mixed\/deep\/er\/b\.yml:1:\d+ watchDuration: /);
    assert.ok(errors.every((line) => /(broken|b)\.ya?ml/.test(line)));
  });

  test('data has the same, as JSON and as YAML', async () => {
    const json = await sharedCli(['check', mixed, '-o', 'json']);
    const report = shapes.CheckReport.parse(JSON.parse(json.stdout));
    assert.deepEqual([json.code, json.stderr, report.valid], [1, '', false]);
    assert.deepEqual(
      report.files.map((each) => [each.file.replace(mixed, '.'), each.type, each.valid]),
      [
        ['./a.yaml', 'config', true],
        ['./application.yaml', 'applications', true],
        ['./broken.yaml', 'config', false],
        ['./chart/templates/a.yaml', 'other', true],
        ['./chart/values.yaml', 'other', true],
        ['./deep/c.json', 'config', true],
        ['./deep/er/b.yml', 'config', false],
        ['./empty.yaml', 'other', true],
        ['./manifests.yaml', 'other', true],
      ],
    );
    const [error] = report.files[6]?.errors ?? [];
    assert.deepEqual([error?.code, error?.line, error?.path], ['CONFIG_INVALID', 1, 'watchDuration']);
    const yaml = await sharedCli(['check', mixed, '-o', 'yaml']);
    assert.deepEqual([yaml.code, parse(yaml.stdout)], [1, report]);
    const good = await sharedCli(['check', config, '-ojson']);
    assert.deepEqual([good.code, JSON.parse(good.stdout).valid], [0, true]);
  });

  test('a folder in which there is nothing to check is an error, and so is a file that the user names', async () => {
    const folders = { none: folderOf('none', { 'a.txt': '' }), others: folderOf('others', { 'a.yaml': deployment }) };
    for (const [name, path] of Object.entries(folders)) {
      const { code, stderr } = await sharedCli(['check', path]);
      assert.deepEqual([code, stderr], [1, `${path}: the folder has no config and no Application\n`], name);
    }
    const named = await sharedCli(['check', join(folders.others, 'a.yaml')]);
    assert.equal(named.code, 1);
    assert.match(named.stderr, /a\.yaml:1:1: this is a Kubernetes manifest \(kind: Deployment\)/);
  });

  test('the standard input is one of several', async () => {
    const { code, stdout } = await cli(['check', '-', config], { input: 'observer: {}' });
    assert.deepEqual([code, stdout], [0, `-: ok, the application observer\n${config}: ok, 1 service, 1 podSelector\n`]);
  });
});

suite('explain reports in one sentence why it fails', { concurrency: 4 }, () => {
  const withKubeconfig = (name: string, server: string) => [
    'explain',
    `--config-file=${config}`,
    `--kubeconfig=${file(name, kubeconfig(server))}`,
  ];

  test('there is no cluster', async () => {
    assert.match(oneSentence(await sharedCli(['explain', '--config-file', config]), 1), /^No cluster was found: /);
  });

  test('the config has errors', async () => {
    const { code, stderr } = await sharedCli(['explain', '--config-file', faultyPath]);
    assert.equal(code, 1);
    assert.match(stderr, /^weeder: The config .+ has 7 errors:\n/);
  });

  test('the API server is unreachable: explain waits only a few seconds', async () => {
    const ended = await cli(withKubeconfig('away', 'http://127.0.0.1:9'));
    assert.match(oneSentence(ended, 1), /^http:\/\/127\.0\.0\.1:9 cannot be reached: /);
    assert.equal(ended.stdout, '');
  });

  test('the credentials do not permit list', async (t) => {
    const url = await forbidding(t);
    const error = oneSentence(await sharedCli(withKubeconfig('forbidden', url)), 1);
    assert.equal(
      error,
      `Cannot read endpointslices: ${url} refused (403): endpointslices.discovery.k8s.io is forbidden: User "me" cannot list resource "endpointslices" in API group "discovery.k8s.io" at the cluster scope. Grant it in a ClusterRole: {apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list"]}. Or name the namespaces that you may read, with -n.`,
    );
    const named = oneSentence(await sharedCli([...withKubeconfig('forbidden', url), '-n=shop']), 1);
    assert.match(named, /^Cannot read endpointslices in shop: .* verbs: \["list"\]\}\.$/);
  });
});
