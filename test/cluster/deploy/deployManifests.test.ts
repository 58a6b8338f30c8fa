import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { z } from 'zod';
import packageJson from '../../../package.json' with { type: 'json' };
import { parseConfig } from '../../../src/config/parse.ts';
import { podsOf, testNamespace } from '../support/cluster.ts';
import { dataOf, one, rulesOf, Workload, workloadKinds } from '../support/deploy/deployed.ts';
import { deployFolder, type Manifest, render } from '../support/deploy/kustomize.ts';
import { customised, namespacedFor, own } from '../support/deploy/overlays.ts';
import { restrictedNamespace } from '../support/deploy/restrictedNamespace.ts';
import { create, errorsOf, named } from '../support/manifests.ts';

const overlays = readdirSync(join(deployFolder, 'overlays'));
/** The subjects of a role binding. */
const Binding = z.looseObject({
  subjects: z.array(z.looseObject({ name: z.string(), namespace: z.string().optional() })).optional(),
});
/** The group of kinds whose CRDs are not part of Kubernetes. */
const foreign = 'monitoring.coreos.com/v1';

/** Renders an overlay for this namespace. The overlay `namespaced` gets two new namespaces to watch. */
async function overlayIn(t: TestContext, overlay: string, namespace: string): Promise<Manifest[]> {
  if (overlay !== 'namespaced') return customised(overlay, { namespace });
  const [first, second] = [await testNamespace(t, 'watched'), await testNamespace(t, 'watched')];
  return namespacedFor(namespace, [first.name, second.name]);
}

/** Components that are tested separately, because they add another controller or depend on one. */
const allComponents = readdirSync(join(deployFolder, 'components'));
const otherControllers = allComponents.filter((name) => /^(restart-control|recreate-jobs|observer)/.test(name));
const components = allComponents.filter((name) => !otherControllers.includes(name) && name !== 'no-weeding');

suite('the manifests', { concurrency: true }, () => {
  for (const overlay of overlays) {
    test(`${overlay}: the API server accepts every field without a warning, and the pods are restricted`, async (t) => {
      const ns = await restrictedNamespace(t);
      const objects = await overlayIn(t, overlay, ns.name);
      const errors = await Promise.all(objects.map((object) => errorsOf(ns.cluster, object)));
      assert.deepEqual(errors.flat(), []);
      // Waits for the pods, because the admission of a workload does not reject privileged ones.
      const workload = one(objects, ...workloadKinds);
      await create(ns.cluster, workload);
      const { replicas, template } = Workload.parse(workload).spec;
      await podsOf(ns, template.metadata.labels, replicas);
    });
  }

  test('deploy/ renders the overlay single and its namespace, which is first and enforces restricted', async () => {
    const [namespace, ...others] = await render(deployFolder);
    assert.equal(namespace?.kind, 'Namespace');
    assert.deepEqual(
      new Set(others.flatMap(({ metadata }) => metadata.namespace ?? [])),
      new Set([namespace.metadata.name]),
    );
    const { labels } = z.object({ labels: z.record(z.string(), z.string()) }).parse(namespace.metadata);
    assert.equal(labels['pod-security.kubernetes.io/enforce'], 'restricted');
    assert.deepEqual(others, await render(join(deployFolder, 'overlays', 'single')));
  });

  test('invalid manifests are detected: a misspelt field, a field of another kind, a privileged pod', async (t) => {
    const ns = await restrictedNamespace(t);
    for (const [path, value, error] of [
      ['/spec/replica', 2, 'unknown field \\"spec.replica\\"'],
      ['/spec/serviceName', 'weeder', 'unknown field \\"spec.serviceName\\"'],
      ['/spec/template/spec/hostNetwork', true, 'would violate PodSecurity'],
    ] as const) {
      const patch = JSON.stringify([{ op: 'add', path, value }]);
      const lines = [`patches: [{ target: { kind: Deployment }, patch: '${patch}' }]`];
      const workload = one(await customised('single', { namespace: ns.name, lines }), 'Deployment');
      assert.ok((await errorsOf(ns.cluster, workload)).join().includes(error), path);
    }
  });

  for (const overlay of overlays) {
    test(`${overlay}: every component can be added to the overlay`, async (t) => {
      const { cluster, name } = await testNamespace(t, 'components');
      const [plain, objects] = await Promise.all([
        render(join(deployFolder, 'overlays', overlay)),
        customised(overlay, { components }),
      ]);
      const extra = objects.filter((object) => !plain.some((each) => named(each) === named(object)));
      assert.deepEqual(extra.map(named).sort(), [
        'ClusterRole weeder-metrics-auth',
        'ClusterRole weeder-metrics-reader',
        'ClusterRoleBinding weeder-metrics-auth',
        'ConfigMap weeder-dashboard',
        'NetworkPolicy weeder',
        'PodMonitor weeder',
        'PriorityClass weeder',
        'PrometheusRule weeder',
        'Service weeder-metrics',
        'ServiceMonitor weeder',
      ]);
      const evicting = objects.flatMap(rulesOf).filter(({ resources }) => resources.includes('pods/eviction'));
      const deleting = objects.flatMap(rulesOf).filter(({ verbs }) => verbs.includes('delete'));
      assert.equal(evicting.length, deleting.length);
      for (const object of extra.filter(({ apiVersion }) => apiVersion !== foreign)) {
        const { metadata } = object;
        assert.deepEqual(await errorsOf(cluster, { ...object, metadata: { ...metadata, namespace: name } }), []);
      }
    });
  }

  for (const overlay of overlays) {
    test(`${overlay}: values that occur in several places agree`, async () => {
      const objects = await render(join(deployFolder, 'overlays', overlay));
      const { replicas, template } = Workload.parse(one(objects, ...workloadKinds)).spec;
      const [{ image, ports, args, env, resources }] = template.spec.containers;
      assert.equal(image, `weeder:${packageJson.version}`);
      assert.deepEqual(Object.fromEntries(ports.map(({ name, containerPort }) => [name, containerPort])), {
        metrics: 9643,
        health: 9644,
      });
      const shards = args.find((arg) => arg.startsWith('--shard='));
      if (shards !== undefined) assert.equal(shards, `--shard=auto/${replicas}`);
      const isElecting = args.includes('--enable-leader-election');
      assert.equal(isElecting, replicas > 1 && shards === undefined);
      const heap = env.find(({ name }) => name === 'NODE_OPTIONS')?.value ?? '';
      const [, old, semi] = /^--max-old-space-size=(\d+) --max-semi-space-size=(\d+)$/.exec(heap) ?? [];
      assert.ok(Number(old) + 3 * Number(semi) + 80 <= Number.parseInt(resources.limits.memory, 10));
      assert.match(resources.limits.memory, /^\d+Mi$/);
      const config = parseConfig(dataOf(objects)['weeder.yaml'] ?? '', 'weeder.yaml');
      assert.ok(config.ok);
    });

    test(`${overlay}: no rule has wildcards, and none reads Secrets or ConfigMaps`, async () => {
      const objects = await render(join(deployFolder, 'overlays', overlay));
      for (const { apiGroups, resources, verbs } of objects.flatMap(rulesOf)) {
        assert.ok([...apiGroups, ...resources, ...verbs].every((word) => !word.includes('*')));
        assert.ok(!resources.includes('secrets') && !resources.includes('configmaps'));
      }
    });
  }

  test('metrics-secure sets the flag, and the ServiceMonitor sends the token of Prometheus over TLS', async () => {
    const components = ['service-monitor', 'metrics-secure'];
    const [plain, secure] = await Promise.all([customised('single', {}), customised('single', { components })]);
    const argsOf = (objects: readonly Manifest[]) =>
      Workload.parse(one(objects, 'Deployment')).spec.template.spec.containers[0].args;
    assert.deepEqual(argsOf(secure), [...argsOf(plain), '--metrics-secure']);
    assert.deepEqual(one(secure, 'ServiceMonitor')['spec'], {
      selector: { matchLabels: { 'app.kubernetes.io/name': 'weeder', 'app.kubernetes.io/instance': 'weeder' } },
      endpoints: [
        {
          port: 'metrics',
          path: '/metrics',
          scheme: 'https',
          bearerTokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
          tlsConfig: { insecureSkipVerify: true },
        },
      ],
    });
    const [, binding] = secure.filter(({ kind }) => kind === 'ClusterRoleBinding');
    const { namespace } = one(secure, 'ServiceAccount').metadata;
    assert.deepEqual(Binding.parse(binding).subjects, [{ kind: 'ServiceAccount', name: 'weeder', namespace }]);
  });

  test('live-page serves the page on loopback only, and neither opens a port nor changes another field', async () => {
    const [plain, shown] = await Promise.all([
      customised('single', {}),
      customised('single', { components: ['live-page'] }),
    ]);
    const withoutFlag: unknown = JSON.parse(JSON.stringify(shown).replace(',"--ui-bind-addr=127.0.0.1:9645"', ''));
    assert.notDeepEqual(shown, plain);
    assert.deepEqual(withoutFlag, plain);
  });

  test('docs/reference/permissions.md lists each permission, and no other', async () => {
    const page = readFileSync(join(deployFolder, '../docs/reference/permissions.md'), 'utf8');
    const rows = [...page.matchAll(/^\| ([a-z/, ]+): ([a-z, ]+) \|/gm)].map(
      ([, resource, verbs]) => `${resource}: ${verbs}`,
    );
    const ofRestarts = ['restart-control', 'restart-control-rollouts', 'restart-control-clonesets', 'recreate-jobs'];
    const optional = [...ofRestarts, 'observer', 'observer-secrets'];
    const objects = await customised('highly-available', {
      components: [...components, ...optional],
    });
    const rules = objects
      .flatMap(rulesOf)
      .map(({ resources, verbs }) => `${resources.join(', ')}: ${verbs.join(', ')}`);
    assert.deepEqual(rows.sort(), rules.sort());
  });

  test('the kustomization in deploy/README.md has the described result', async () => {
    const readme = readFileSync(join(deployFolder, 'README.md'), 'utf8');
    const [, kustomization = ''] = /```yaml\n(# kustomization\.yaml\n[\s\S]*?)```/.exec(readme) ?? [];
    const objects = await own({ 'kustomization.yaml': kustomization, 'weeder.yaml': 'mine: true\n' });
    assert.deepEqual(dataOf(objects), { 'weeder.yaml': 'mine: true\n' });
    const { template } = Workload.parse(one(objects, 'Deployment')).spec;
    assert.match(template.spec.containers[0].image, /^registry\.example\.com\/weeder@sha256:0{64}$/);
    assert.deepEqual(new Set(objects.map(({ metadata }) => metadata.namespace)), new Set(['garden', undefined]));
    for (const { subjects } of objects.map((object) => Binding.parse(object))) {
      for (const subject of subjects ?? []) assert.deepEqual([subject.name, subject.namespace], ['weeder', 'garden']);
    }
  });
});
