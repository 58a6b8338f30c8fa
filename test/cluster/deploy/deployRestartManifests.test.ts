import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { testNamespace } from '../support/cluster.ts';
import { one, rulesOf } from '../support/deploy/deployed.ts';
import { deployFolder, Manifest } from '../support/deploy/kustomize.ts';
import { customised } from '../support/deploy/overlays.ts';
import { errorsOf } from '../support/manifests.ts';

const overlays = readdirSync(join(deployFolder, 'overlays'));
/** For kinds of other groups, in addition to one of the variants. */
const ofOtherKinds = new Map([
  ['restart-control-clonesets', { apiGroups: ['apps.kruise.io'], resources: ['clonesets'] }],
  ['restart-control-rollouts', { apiGroups: ['argoproj.io'], resources: ['rollouts'] }],
]);
/** The variants of restart control, of which a deployment has one. */
const components = readdirSync(join(deployFolder, 'components')).filter(
  (name) => name.startsWith('restart-control') && !ofOtherKinds.has(name),
);
const isWeederRole = ({ kind, metadata }: Manifest) => /^(Cluster)?Role$/.test(kind) && metadata.name === 'weeder';
const Binding = z.looseObject({ subjects: z.array(z.looseObject({ namespace: z.string().optional() })) });

suite('the manifests of restart control', { concurrency: true }, () => {
  for (const overlay of overlays) {
    test(`${overlay}: restart control adds its rules to each role, with and without the weeder`, async () => {
      const rulesWith = async (...names: string[]) =>
        (await customised(overlay, { components: names })).filter(isWeederRole).map(rulesOf);
      const sourceRule = (resources: string) => ({
        apiGroups: [''],
        resources: [resources],
        verbs: ['list', 'watch', 'get'],
      });
      const [sources = [], ...more] = await Promise.all(
        components.map(async (component) => {
          const [plain, both, alone] = await Promise.all([
            rulesWith(),
            rulesWith(component),
            rulesWith('no-weeding', component),
          ]);
          assert.ok(plain.length > 0 && plain.length === both.length && plain.length === alone.length);
          for (const [index, rules] of both.entries()) {
            const added = rules.slice(plain[index]?.length);
            assert.deepEqual(rules.slice(0, plain[index]?.length), plain[index]);
            assert.deepEqual(alone[index]?.slice(1), added);
            assert.deepEqual(alone[index]?.[0]?.resources, ['events']);
          }
          return (both[0] ?? []).filter(({ resources }) => /configmaps|secrets/.test(resources.join()));
        }),
      );
      assert.deepEqual(sources, [sourceRule('configmaps'), sourceRule('secrets')]);
      assert.deepEqual(more, [[sourceRule('configmaps')], []]);
    });

    for (const [component, where] of ofOtherKinds)
      test(`${overlay}: ${component} adds one rule to each role`, async () => {
        const rulesWith = async (...names: string[]) =>
          (await customised(overlay, { components: ['restart-control', ...names] })).filter(isWeederRole).map(rulesOf);
        const [without, withIt] = await Promise.all([rulesWith(), rulesWith(component)]);
        const rule = { ...where, verbs: ['list', 'watch', 'patch'] };
        assert.ok(without.length > 0);
        assert.deepEqual(
          withIt,
          without.map((rules) => [...rules, rule]),
        );
      });

    test(`${overlay}: the hash key is in weeder’s namespace, with a binding for its account`, async () => {
      // The overlay `namespaced` sets the namespace itself.
      for (const namespace of overlay === 'namespaced' ? [undefined] : [undefined, 'garden']) {
        const place = namespace === undefined ? {} : { namespace };
        const objects = await customised(overlay, { ...place, components: ['restart-control'] });
        const own = objects.filter(({ metadata }) => metadata.name === 'weeder-hash-key');
        const home = namespace ?? 'weeder';
        assert.equal(one(objects, 'ServiceAccount').metadata.namespace, home);
        assert.deepEqual(
          own.map(({ kind, metadata }) => [kind, metadata.namespace]),
          ['Role', 'RoleBinding', 'Secret'].map((kind) => [kind, home]),
        );
        const { subjects } = Binding.parse(own.find(({ kind }) => kind === 'RoleBinding'));
        assert.equal(subjects[0]?.namespace, home);
      }
    });

    test(`${overlay}: of all Secrets only the hash key may be written, and none may be created`, async () => {
      const rules = (await customised(overlay, { components: ['restart-control', 'evict'] })).flatMap(rulesOf);
      const reading = new Set(['list', 'watch', 'get']);
      const writing = rules.filter(
        ({ resources, verbs }) => resources.includes('secrets') && verbs.some((verb) => !reading.has(verb)),
      );
      assert.deepEqual(
        writing.map(({ resourceNames, verbs }) => [resourceNames, verbs]),
        [[['weeder-hash-key'], ['get', 'update']]],
      );
    });
  }

  test('the Role in docs/reference/permissions.md for access: named is accepted by the API server, and permits the requests of the streams', async (t) => {
    const { cluster, name: namespace } = await testNamespace(t, 'named');
    const page = readFileSync(join(deployFolder, '../docs/reference/permissions.md'), 'utf8');
    const [, text = ''] = /```yaml\n(# named\.yaml\n[\s\S]*?)```/.exec(page) ?? [];
    const documents = parseAllDocuments(text).map((document) => Manifest.parse(document.toJS()));
    const named = documents.map((each) => ({ ...each, metadata: { ...each.metadata, namespace } }));
    assert.deepEqual((await Promise.all(named.map((each) => errorsOf(cluster, each)))).flat(), []);
    for (const { resourceNames = [], verbs } of named.flatMap(rulesOf)) {
      assert.ok(resourceNames.length > 0);
      assert.deepEqual(verbs, ['list', 'watch', 'get']);
    }
    assert.deepEqual(
      documents.map(({ kind }) => kind),
      ['Role', 'RoleBinding'],
    );
  });
});
