import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { arrayOf, objectOf } from '@weeder/kube-runtime/base';
import { parseAllDocuments } from 'yaml';
import { cleanUp } from '../support/cleanup.ts';
import { eventually, isAllowed, testNamespace } from '../support/cluster.ts';
import { one, rulesOf, Workload, workloadKinds } from '../support/deploy/deployed.ts';
import { deployFolder, Manifest } from '../support/deploy/kustomize.ts';
import { customised, own } from '../support/deploy/overlays.ts';
import { create, errorsOf, remove } from '../support/manifests.ts';
import { applicationCrd } from '../support/observer/applicationCrd.ts';

const overlays = readdirSync(join(deployFolder, 'overlays'));
const readme = readFileSync(join(deployFolder, 'README.md'), 'utf8');
const permissionsPage = readFileSync(join(deployFolder, '../docs/reference/permissions.md'), 'utf8');
const isRole = ({ kind, metadata }: Manifest) => /^(Cluster)?Role$/.test(kind) && metadata.name === 'weeder';
const impersonating = { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['impersonate'] };
const readingSecrets = { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'] };

suite('the manifests of the application observer', { concurrency: true }, () => {
  for (const overlay of overlays) {
    test(`${overlay}: the observer adds the CRD and its rules to each role, with and without the weeder`, async () => {
      const rendered = (...components: string[]) => customised(overlay, { components });
      const [plain, named, observer, alone, secrets] = await Promise.all([
        rendered(),
        rendered('observer-named'),
        rendered('observer'),
        rendered('no-weeding', 'observer'),
        rendered('observer', 'observer-secrets'),
      ]);
      for (const objects of [named, observer, alone, secrets]) {
        assert.deepEqual(one(objects, 'CustomResourceDefinition')['spec'], Manifest.parse(applicationCrd())['spec']);
      }
      const rules = (objects: readonly Manifest[]) => objects.filter(isRole).map(rulesOf);
      const count = rules(plain).length;
      assert.ok(count > 0 && [named, observer, alone, secrets].every((objects) => rules(objects).length === count));
      for (const [index, before] of rules(plain).entries()) {
        const added = rules(named)[index]?.slice(before.length) ?? [];
        assert.deepEqual(rules(named)[index]?.slice(0, before.length), before);
        assert.deepEqual(rules(observer)[index], [...before, ...added, impersonating]);
        assert.deepEqual(rules(alone)[index]?.slice(1), [...added, impersonating]);
        assert.deepEqual(rules(secrets)[index], [...before, ...added, impersonating, readingSecrets]);
      }
    });

    test(`${overlay}: the observer has the memory that it needs, and Node’s heap stays below the limit`, async () => {
      const memoryOf = (objects: readonly Manifest[]) => {
        const [{ env, resources }] = Workload.parse(one(objects, ...workloadKinds)).spec.template.spec.containers;
        const options = env.find(({ name }) => name === 'NODE_OPTIONS')?.value ?? '';
        const [, old, semi] = /^--max-old-space-size=(\d+) --max-semi-space-size=(\d+)$/.exec(options) ?? [];
        return {
          names: env.map(({ name }) => name),
          old: Number(old),
          semi: Number(semi),
          limit: Number.parseInt(resources.limits.memory, 10),
        };
      };
      const [plain, observer] = await Promise.all([
        customised(overlay, {}),
        customised(overlay, { components: ['observer'] }),
      ]);
      const [before, after] = [memoryOf(plain), memoryOf(observer)];
      assert.deepEqual(after.names.toSorted(), before.names.toSorted());
      assert.ok(after.old > before.old && after.limit > before.limit);
      // deploy/README.md states the formula: three times the semi-space, and 80 MiB for everything else.
      assert.ok(after.old + 3 * after.semi + 80 <= after.limit);
    });

    test(`${overlay}: weeder itself may write nothing that applications hold, and without observer-secrets read no Secret`, async () => {
      const before = (await customised(overlay, {})).filter(isRole).map(rulesOf);
      const after = (await customised(overlay, { components: ['observer'] })).filter(isRole).map(rulesOf);
      for (const [index, rules] of after.entries()) {
        const added = rules.slice(before[index]?.length);
        const writing = added.filter(({ verbs }) => verbs.some((verb) => !['get', 'list', 'watch'].includes(verb)));
        assert.deepEqual(
          writing.map(({ resources, verbs }) => [resources, verbs]),
          [
            [['applications'], ['get', 'list', 'watch', 'patch']],
            [['applications/status'], ['patch']],
            [['serviceaccounts'], ['impersonate']],
          ],
        );
        for (const { apiGroups, resources, verbs } of added) {
          assert.ok([...apiGroups, ...resources, ...verbs].every((word) => !word.includes('*') && word !== 'secrets'));
        }
      }
    });
  }

  test('the kustomization for custom kinds in deploy/README.md has the described result', async () => {
    const [, text = ''] = /need a rule each[^`]*```yaml\n(# kustomization\.yaml\n[\s\S]*?)```/.exec(readme) ?? [];
    const [role] = (await own({ 'kustomization.yaml': text })).filter(isRole);
    assert(role !== undefined);
    assert.deepEqual(rulesOf(role).at(-1), {
      apiGroups: ['example.org'],
      resources: ['widgets'],
      verbs: ['get', 'list', 'watch'],
    });
    assert.deepEqual(rulesOf(role).at(-2), impersonating);
  });

  test('with observer-roles, view, edit and admin of Kubernetes apply to Applications, and none to their status', async (t) => {
    const { cluster, name: namespace } = await testNamespace(t, 'roles');
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const objects = await customised('single', { components: ['observer', 'observer-roles'] });
    const added = objects.filter(({ metadata }) => metadata.name.startsWith('weeder-applications-'));
    for (const role of added) {
      await create(cluster, role);
      cleanUp(t, () => remove(cluster, role));
    }
    /** Binds a user to what the controller adds to this role, which does not run here. */
    async function bind(role: string): Promise<void> {
      const { aggregationRule } = objectOf(await cluster.api('GET', `${rbac}/clusterroles/${role}`));
      const selectors = arrayOf(objectOf(aggregationRule)['clusterRoleSelectors']).map((each) =>
        Object.entries(objectOf(objectOf(each)['matchLabels'])),
      );
      for (const { metadata } of added) {
        const labels = objectOf(metadata['labels']);
        if (!selectors.some((selector) => selector.every(([key, value]) => labels[key] === value))) continue;
        await cluster.api('POST', `${rbac}/namespaces/${namespace}/rolebindings`, {
          metadata: { name: `${role}-${metadata.name}` },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: `${role}-${namespace}` }],
        });
      }
    }
    const may = (role: string, verb: string, of: { readonly subresource?: string } = {}) =>
      isAllowed(cluster, `${role}-${namespace}`, {
        verb,
        group: 'weeder.dev',
        resource: 'applications',
        namespace,
        ...of,
      });
    for (const role of ['view', 'edit', 'admin']) {
      await bind(role);
      await eventually(() => may(role, 'watch'), { what: `that ${role} may watch Applications` });
      if (role !== 'view') await eventually(() => may(role, 'create'), { what: `that ${role} may create them` });
      assert.equal(await may(role, 'patch', { subresource: 'status' }), false, role);
    }
    assert.equal(await may('view', 'create'), false);
  });

  test('with the tenant of docs/reference/permissions.md, weeder may impersonate its account and no other', async (t) => {
    const [shop, other] = [await testNamespace(t, 'shop'), await testNamespace(t, 'other')];
    const { cluster } = shop;
    const [, text = ''] = /```yaml\n(# tenant\.yaml\n[\s\S]*?)```/.exec(permissionsPage) ?? [];
    const moved = text
      .replaceAll('namespace: shop', `namespace: ${shop.name}`)
      .replaceAll('namespace: weeder', `namespace: ${other.name}`);
    const documents = parseAllDocuments(moved).map((document) => Manifest.parse(document.toJS()));
    assert.deepEqual((await Promise.all(documents.map((each) => errorsOf(cluster, each)))).flat(), []);
    for (const document of documents) await create(cluster, document);
    const weeder = `system:serviceaccount:${other.name}:weeder`;
    const deployer = `system:serviceaccount:${shop.name}:deployer`;
    const account = (namespace: string, name: string) => ({
      verb: 'impersonate',
      group: '',
      resource: 'serviceaccounts',
      namespace,
      name,
    });
    await eventually(() => isAllowed(cluster, weeder, account(shop.name, 'deployer')), {
      what: 'that weeder may impersonate',
    });
    assert.equal(await isAllowed(cluster, weeder, account(shop.name, 'default')), false);
    assert.equal(await isAllowed(cluster, weeder, account(other.name, 'deployer')), false);
    for (const verb of ['create', 'patch', 'delete']) {
      const place = { verb, group: 'apps', resource: 'deployments' };
      await eventually(() => isAllowed(cluster, deployer, { ...place, namespace: shop.name }), {
        what: `that it may ${verb}`,
      });
      assert.equal(await isAllowed(cluster, deployer, { ...place, namespace: other.name }), false);
      assert.equal(await isAllowed(cluster, weeder, { ...place, namespace: shop.name }), false);
    }
  });
});
