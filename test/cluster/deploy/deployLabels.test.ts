import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { z } from 'zod';
import packageJson from '../../../package.json' with { type: 'json' };
import { one, Workload, workloadKinds } from '../support/deploy/deployed.ts';
import { deployFolder, type Manifest, render } from '../support/deploy/kustomize.ts';
import { customised } from '../support/deploy/overlays.ts';
import { named } from '../support/manifests.ts';

const Labels = z.record(z.string(), z.string());
const recommended = ['name', 'instance', 'version', 'component', 'part-of'].map((key) => `app.kubernetes.io/${key}`);
const alternatives = ['no-weeding', 'restart-control-configmaps', 'restart-control-named', 'observer-named'];
const everything = readdirSync(join(deployFolder, 'components')).filter((name) => !alternatives.includes(name));

/** The objects, and pod templates in them, that lack a recommended label or have another version than the package. */
function unlabelled(objects: readonly Manifest[]): readonly string[] {
  return objects.flatMap((object) => {
    const templates = workloadKinds.includes(object.kind) ? [Workload.parse(object).spec.template.metadata.labels] : [];
    const labelSets = [Labels.safeParse(object.metadata['labels']).data ?? {}, ...templates];
    const isWhole = (labels: z.infer<typeof Labels>) =>
      recommended.every((key) => labels[key]) && labels['app.kubernetes.io/version'] === packageJson.version;
    return labelSets.every(isWhole) ? [] : [named(object)];
  });
}

suite('the recommended labels', { concurrency: true }, () => {
  for (const overlay of readdirSync(join(deployFolder, 'overlays'))) {
    test(`${overlay}: every object has them, with every component, and no selector has the version`, async () => {
      const objects = await customised(overlay, { components: everything });
      assert.deepEqual(unlabelled(objects), []);
      const selector = JSON.stringify(Workload.parse(one(objects, ...workloadKinds)).spec['selector']);
      assert.match(selector, /app.kubernetes.io\/instance/);
      assert.doesNotMatch(selector, /app.kubernetes.io\/version/);
    });
  }

  test('every object of deploy/ and of deploy/separate has them, and the three processes have a component each', async () => {
    assert.deepEqual(unlabelled(await render(deployFolder)), []);
    const separate = await render(join(deployFolder, 'separate'));
    assert.deepEqual(unlabelled(separate), []);
    const processes = separate.filter(({ kind }) => kind === 'Deployment').map((each) => Workload.parse(each).spec);
    const components = processes.map(({ template }) => template.metadata.labels['app.kubernetes.io/component']);
    assert.deepEqual(components.sort(), ['observer', 'restart-control', 'weeding']);
  });

  test('an object without a label, and a pod template without one, are found', async () => {
    const objects = await customised('single', {});
    const lines = (target: string, path: string) => [
      `patches: [{ target: { kind: ${target} }, patch: '${JSON.stringify([{ op: 'remove', path }])}' }]`,
    ];
    const label = 'labels/app.kubernetes.io~1part-of';
    for (const [kind, path] of [
      ['ServiceAccount', `/metadata/${label}`],
      ['Deployment', `/spec/template/metadata/${label}`],
    ] as const) {
      const without = await customised('single', { lines: lines(kind, path) });
      assert.equal(without.length, objects.length);
      assert.deepEqual(unlabelled(without), [`${kind} weeder`]);
    }
  });
});
