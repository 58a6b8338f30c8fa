import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { deployments, endpointSlices, namespaces, pods } from '@weeder/embedded-cluster/resources';
import { listen } from '@weeder/kube-runtime/testing';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { shapes } from '../../src/cli/data/shapes.ts';
import { config, file, folder, kubeconfig, oneSentence, sharedCli } from '../support/cli.ts';
import { embedded, made } from '../support/world/embedded.ts';

interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** An API server without objects, or one that accepts connections and answers nothing. */
async function apiServer(t: TestContext, answers = true) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*$/, '');
    asked.push({ path, headers: request.headers });
    if (!answers) return;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ gitVersion: 'v1.36.3', metadata: { resourceVersion: '1' }, items: [] }));
  });
  t.after(() => server.close());
  t.after(() => server.closeAllConnections());
  const url = `http://127.0.0.1:${await listen(server)}`;
  return { asked, access: `--kubeconfig=${file(`${t.name.length}.kubeconfig`, kubeconfig(url))}` };
}

const readers = [
  ['version'],
  ['suggest'],
  ['graph'],
  ['explain', '-c', config],
  ['explain', 'pod', 'web-0', '-c', config],
];

suite('a verb that reads a cluster has the flags of kubectl', () => {
  test('--as and --as-group are sent with each request', async (t) => {
    const { asked, access } = await apiServer(t);
    for (const words of readers) {
      asked.length = 0;
      await sharedCli([...words, access, '--as', 'her', '--as-group=a', '--as-group=b']);
      assert.ok(asked.length > 1, words.join(' '));
      for (const { headers } of asked)
        assert.deepEqual([headers['impersonate-user'], headers['impersonate-group']], ['her', 'a, b']);
    }
  });

  test('-n restricts what is read, also to several namespaces, and -A does not', async () => {
    await using cluster = await embedded();
    const { requests } = cluster.server;
    for (const words of readers.slice(0, 4)) {
      /** The namespaces whose objects are listed. */
      const listed = async (...flags: readonly string[]) => {
        const before = requests.latest.length;
        const { code, stderr } = await sharedCli([...words, `--kubeconfig=${cluster.kubeconfig}`, ...flags]);
        // The embedded API server does not have every kind that is searched.
        assert.notEqual(code, 2, stderr);
        // The flags of the weeder in the cluster are read beside what is explained.
        const urls = requests.latest
          .slice(before)
          .flatMap(({ verb, url }) =>
            verb === 'list' && !url.startsWith('/api/v1/namespaces/weeder/pods?') ? url : [],
          );
        return new Set(urls.map((url) => /\/namespaces\/([^/]+)\//.exec(url)?.[1] ?? 'all'));
      };
      assert.deepEqual(await listed('-nshop'), new Set(['shop']), words.join(' '));
      assert.deepEqual(await listed('-n', 'shop,infra'), new Set(['shop', 'infra']));
      assert.deepEqual(await listed('-n', 'shop', '-A'), new Set(['all']));
      assert.deepEqual(await listed(), new Set(['all']));
    }
  });

  test('--request-timeout ends the wait for a server that does not answer', async (t) => {
    const { access } = await apiServer(t, false);
    for (const words of readers.slice(1)) {
      const ended = await sharedCli([...words, access, '--request-timeout=50ms']);
      assert.match(oneSentence(ended, 1), /0\.05 s/, words.join(' '));
    }
  });
});

suite('version', () => {
  const client = `Client version: ${packageJson.version}\n`;

  test('the running weeder has the version of its image or of its label', async () => {
    await using cluster = await embedded();
    const { store } = cluster.server;
    const access = `--kubeconfig=${cluster.kubeconfig}`;
    made(store.create(namespaces, { metadata: { name: 'weeder' } }));
    const none = await sharedCli(['version', access]);
    assert.match(none.stdout, /^Running version: none, no workload has the label app\.kubernetes\.io\/name=weeder$/m);
    const deploy = (name: string, image: string, labels: Readonly<Record<string, string>>) => {
      const pod = { app: name };
      const containers = [
        { name: 'proxy', image: 'proxy:9.9.9' },
        { name: 'weeder', image },
      ];
      const template = { metadata: { labels: pod }, spec: { containers } };
      const metadata = { name, namespace: 'weeder', labels: { 'app.kubernetes.io/name': 'weeder', ...labels } };
      made(store.create(deployments, { metadata, spec: { replicas: 2, selector: { matchLabels: pod }, template } }));
    };
    deploy('tagged', `ghcr.io/a/weeder:0.2.0@sha256:${'0'.repeat(64)}`, {});
    deploy('labelled', `weeder@sha256:${'0'.repeat(64)}`, { 'app.kubernetes.io/version': '0.3.0' });
    deploy('unknown', 'localhost:5000/weeder', {});
    deploy('hostile', `weeder:1.0.0${'0'.repeat(150_000)}!\nRunning version: 9.9.9\u001b[2J`, {});
    const { code, stdout, stderr } = await sharedCli(['version', access]);
    assert.deepEqual([code, stderr], [0, '']);
    assert.ok(stdout.startsWith(client));
    assert.match(stdout, /^Kubernetes version: v1\./m);
    // Each object has one line, whatever is written in it.
    assert.equal(stdout.match(/^Running version: /gm)?.length, 4);
    assert.match(stdout, /!\\u000aRunning version: 9\.9\.9\\u001b\[2J, 0 of 2 ready$/m);
    assert.match(stdout, /^Running version: 0\.2\.0, Deployment weeder\/tagged, image ghcr\.io\S+, 0 of 2 ready$/m);
    const json = await sharedCli(['version', access, '-ojson']);
    const version = shapes.Version.parse(JSON.parse(json.stdout));
    const versions = version.running?.map((each) => [each.name, each.version]);
    assert.deepEqual(versions, [
      ['hostile', undefined],
      ['labelled', '0.3.0'],
      ['tagged', '0.2.0'],
      ['unknown', undefined],
    ]);
    assert.deepEqual(parse((await sharedCli(['version', access, '-o', 'yaml'])).stdout), version);
  });

  test('--client asks no cluster, and without a kubeconfig there is none', async () => {
    const away = `--kubeconfig=${file('away', kubeconfig('http://127.0.0.1:9'))}`;
    for (const words of [['version', '--client', away], ['version']])
      assert.deepEqual(await sharedCli(words), { code: 0, signal: null, stdout: client, stderr: '' });
    const { stdout } = await sharedCli(['version', '--client', '-o', 'json']);
    assert.equal(shapes.Version.parse(JSON.parse(stdout)).client.version, packageJson.version);
  });

  test('a $KUBECONFIG that does not exist is one sentence after the version of the client', async () => {
    const ended = await sharedCli(['version'], { KUBECONFIG: join(folder, 'nosuch') });
    assert.match(oneSentence(ended, 1), /^\$KUBECONFIG names \.\/nosuch, which does not exist\./);
    assert.equal(ended.stdout, client);
  });

  test('a cluster that cannot be reached is one sentence after the version of the client, and exit code 1', async () => {
    const ended = await sharedCli([
      'version',
      `--kubeconfig=${file('away', kubeconfig('http://127.0.0.1:9'))}`,
      '--request-timeout=1s',
    ]);
    assert.match(oneSentence(ended, 1), /^http:\/\/127\.0\.0\.1:9 cannot be reached: /);
    assert.equal(ended.stdout, client);
  });
});

test('explain writes what it sees as data', async () => {
  await using cluster = await embedded();
  const { store } = cluster.server;
  made(store.create(namespaces, { metadata: { name: 'shop' } }));
  const slice = { name: 'db', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'db' } };
  const endpoints = [{ addresses: ['10.0.0.1'], conditions: { ready: false } }];
  made(store.create(endpointSlices, { metadata: slice, addressType: 'IPv4', endpoints }));
  for (const [name, reason] of [
    ['loops', 'CrashLoopBackOff'],
    ['stuck', 'CreateContainerConfigError'],
  ] as const) {
    const metadata = { name, namespace: 'shop', labels: { app: 'web' } };
    made(store.create(pods, { metadata, spec: { containers: [{ name: 'main', image: 'x:1' }] } }));
    const containerStatuses = [{ name: 'main', restartCount: 6, state: { waiting: { reason } } }];
    made(
      store.patch(pods, 'shop', name, { status: { phase: 'Running', containerStatuses } }, { subresource: 'status' }),
    );
  }
  const both = file(
    'both.yaml',
    'declaredDependencies: {}\nservicesAndDependantSelectors: {db: {podSelectors: [{matchLabels: {app: web}}]}}',
  );
  const words = ['explain', '-c', both, `--kubeconfig=${cluster.kubeconfig}`];
  const json = await sharedCli([...words, '-o', 'json']);
  assert.deepEqual([json.code, json.stderr], [0, '']);
  const explanation = shapes.Explanation.parse(JSON.parse(json.stdout));
  const [service, ...others] = explanation.services;
  assert.deepEqual([service?.name, service?.source, others], ['db', 'configured', []]);
  const [place] = service?.namespaces ?? [];
  assert.partialDeepStrictEqual(place, {
    namespace: 'shop',
    state: 'notReady',
    dependants: [
      {
        selector: 'app=web',
        pods: 2,
        crashLooping: [
          {
            name: 'loops',
            restarts: 6,
            verdict: 'skipped: it has no controller that would recreate it (barePods: keep)',
          },
        ],
        neverStarted: [{ name: 'stuck', reason: 'CreateContainerConfigError' }],
      },
    ],
  });
  assert.deepEqual(explanation.remarks, ['no pod declares a dependency']);
  assert.deepEqual(parse((await sharedCli([...words, '-o', 'yaml'])).stdout), explanation);
});
