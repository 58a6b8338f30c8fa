import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { parse } from 'yaml';
import { z } from 'zod';
import { grant, type Rule, type TestNamespace, testNamespace } from '../support/cluster.ts';
import { create } from '../support/manifests.ts';
import { type RequestProxy, startRequestProxy } from '../support/plane/requestProxy.ts';

const checkout = join(import.meta.dirname, '../../..');
const Role = z.object({
  rules: z.array(
    z.object({ apiGroups: z.array(z.string()), resources: z.array(z.string()), verbs: z.array(z.string()) }),
  ),
});
/** The permissions of the example, which include none on Secrets. */
const { rules } = Role.parse(parse(readFileSync(join(checkout, 'deploy/examples/suggest.yaml'), 'utf8')));

interface Ended {
  readonly code: number;
  readonly lines: readonly string[];
  readonly stderr: string;
}

function suggest(kubeconfig: string, ...flags: string[]): Promise<Ended> {
  return weeder('suggest', `--kubeconfig=${kubeconfig}`, ...flags);
}

function weeder(...words: string[]): Promise<Ended> {
  const args = ['src/cli/weeder.ts', ...words];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: checkout }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code);
      resolve({ code, lines: stdout.trimEnd().split('\n'), stderr });
    });
  });
}

interface ShopScene {
  readonly ns: TestNamespace;
  /** For an account with the permissions of the example, or with other ones. */
  readonly proxy: RequestProxy;
}

/** A service, and workloads that name it in a variable, in a ConfigMap and in a Secret. */
async function shop(t: TestContext, prefix: string, granted: readonly Rule[] = rules): Promise<ShopScene> {
  const ns = await testNamespace(t, prefix);
  const { cluster, name: namespace } = ns;
  const object = (apiVersion: string, kind: string, name: string, rest: object) =>
    create(cluster, { apiVersion, kind, metadata: { namespace, name }, ...rest });
  const deployment = (name: string, container: object) => {
    const labels = { app: name };
    const spec = { containers: [{ name: 'main', image: 'none', ...container }] };
    return object('apps/v1', 'Deployment', name, {
      spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    });
  };
  await object('v1', 'Service', 'postgres', { spec: { ports: [{ port: 5432 }], selector: { app: 'postgres' } } });
  await object('v1', 'ConfigMap', 'settings', { data: { DB_HOST: 'postgres', DB_PORT: '5432' } });
  await object('v1', 'ConfigMap', 'unused', { data: { DB_HOST: 'postgres' } });
  await object('v1', 'Secret', 'login', { stringData: { url: 'postgres:5432' } });
  await deployment('web', { env: [{ name: 'DATABASE_URL', value: 'postgres://admin:hunter2@postgres:5432/shop' }] });
  await deployment('cart', { envFrom: [{ configMapRef: { name: 'settings' } }] });
  await deployment('secretive', {
    env: [{ name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'login', key: 'url' } } }],
  });
  await deployment('postgres', { args: ['--advertise=postgres:5432'] });
  const user = cluster.takeUser();
  await grant(cluster, user, granted, { namespace });
  const proxy = await startRequestProxy(t, cluster, () => {}, undefined, user);
  return { ns, proxy };
}

suite('weeder suggest', { concurrency: true }, () => {
  test('suggest finds dependencies in workloads and ConfigMaps, without a request for a Secret or a write', async (t) => {
    const { ns, proxy } = await shop(t, 'suggest');
    const { code, lines, stderr } = await suggest(proxy.kubeconfig, `--namespace=${ns.name}`);
    assert.deepEqual([code, stderr], [0, '']);
    const [, cart = '', web = '', ...others] = lines;
    assert.match(
      cart,
      / deployment\/suggest-\w+\/cart +suggest-\w+\/postgres +suggested +DB_HOST of ConfigMap settings: postgres:5432, /,
    );
    assert.match(
      web,
      /^high .*\/web .* env DATABASE_URL of container main: postgres:5432, with a port of the Service$/,
    );
    assert.deepEqual(others, []);
    assert.doesNotMatch(lines.join('\n'), /hunter2/);

    const base = `/namespaces/${ns.name}/`;
    assert.ok(proxy.requests.every(({ method }) => method === 'GET'));
    assert.deepEqual(
      proxy.requests.flatMap(({ path }) => (/secrets/.test(path) ? [path] : [])),
      [],
    );
    assert.deepEqual(
      proxy.requests.flatMap(({ path }) => (path.includes('configmaps') ? [path] : [])),
      [`/api/v1${base}configmaps/settings`],
    );
    assert.ok(proxy.requests.every(({ path }) => path === '/api/v1' || path.includes(base)));
  });

  test('with --secrets the Secrets that workloads use are read, and only host and key are shown', async (t) => {
    const secrets = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };
    const { ns, proxy } = await shop(t, 'suggest-login', [...rules, secrets]);
    const { code, lines, stderr } = await suggest(proxy.kubeconfig, `--namespace=${ns.name}`, '--secrets');
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(lines.join('\n'), /\/secretive .* url of Secret login: postgres:5432, with a port of the Service$/m);
    assert.deepEqual(
      proxy.requests.flatMap(({ path }) => (/\/secrets\//.test(path) ? [path] : [])),
      [`/api/v1/namespaces/${ns.name}/secrets/login`],
    );
  });

  test('the API server accepts the suggested labels, and then they are declared', async (t) => {
    const { ns, proxy } = await shop(t, 'suggest-labels');
    const flag = `--namespace=${ns.name}`;
    const { lines } = await suggest(proxy.kubeconfig, flag, '-o', 'labels');
    const commands = lines.flatMap((line) => {
      const [, name = '', patch = ''] =
        /^kubectl patch deployment (\S+) -n \S+ --type merge -p '(.*)'$/.exec(line) ?? [];
      return name === '' ? [] : [{ name, patch }];
    });
    assert.deepEqual(
      commands.map(({ name }) => name),
      ['cart', 'web'],
    );
    for (const { name, patch } of commands)
      await ns.cluster.api('PATCH', ns.path('apis/apps/v1', 'deployments', name), JSON.parse(patch));
    const { lines: after } = await suggest(proxy.kubeconfig, flag);
    assert.deepEqual(
      after.slice(1).map((line) => / declared /.test(line)),
      [true, true],
    );
    assert.deepEqual((await suggest(proxy.kubeconfig, flag, '-o', 'labels')).lines, [
      '# every dependency that was found is declared or configured',
    ]);

    const before = proxy.requests.length;
    const graph = await weeder('graph', `--kubeconfig=${proxy.kubeconfig}`, flag);
    assert.deepEqual(graph.lines.slice(2), [
      '    n0["Deployment cart"]',
      '    n1(["postgres"])',
      '    n2["Deployment web"]',
      '  end',
      '  n0 -->|declared| n1',
      '  n2 -->|declared| n1',
    ]);
    assert.ok(proxy.requests.slice(before).every(({ path }) => !path.includes('configmaps')));
  });

  test('what the API server refuses is left out and named, and nothing is shown if it refuses everything', async (t) => {
    const granted = rules.filter(({ resources }) => !resources.includes('configmaps') && !resources.includes('jobs'));
    const { ns, proxy } = await shop(t, 'suggest-refused', granted);
    const { code, lines, stderr } = await suggest(proxy.kubeconfig, `--namespace=${ns.name}`);
    assert.equal(code, 1);
    assert.equal(lines.length, 2);
    assert.match(lines[1] ?? '', /\/web /);
    const refused = stderr.trimEnd().split('\n');
    assert.deepEqual(
      refused.map(
        (line) => /^weeder: The output does not include (\S+) in suggest-refused-\w+: .*\(403\).*Role/.exec(line)?.[1],
      ),
      ['cronjobs', 'jobs', 'configmaps'],
    );
    const nothing = await suggest(proxy.kubeconfig, '--namespace=default');
    assert.deepEqual([nothing.code, nothing.lines], [1, ['']]);
    assert.match(nothing.stderr, /^weeder: Cannot read services in default: .*\n$/);
  });
});
