import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { parseConfig } from '../../../src/config/parse.ts';
import { eventually } from '../support/cluster.ts';
import { dataOf } from '../support/deploy/deployed.ts';
import { installations, installFile } from '../support/deploy/installFiles.ts';
import { deployFolder, Manifest, render } from '../support/deploy/kustomize.ts';
import { create, errorsOf, named, pathOf } from '../support/manifests.ts';
import { suiteControlPlane } from '../support/plane/ownControlPlane.ts';

const Pods = z.object({ items: z.array(z.unknown()) });
const folder = join(deployFolder, 'install');
const names = Object.keys(installations);
const readInstallFile = (name: string) =>
  parseAllDocuments(readFileSync(join(folder, `${name}.yaml`), 'utf8'), { version: '1.1' }).map((document) =>
    Manifest.parse(document.toJS()),
  );

for (const [name, installation] of Object.entries(installations)) {
  test(`install/${name}.yaml is what the kustomizations generate (if not: npm run generate:install)`, async (t) => {
    const text = await installFile(name, installation);
    t.assert.fileSnapshot(text, join(folder, `${name}.yaml`), { serializers: [String] });
  });
}

test('install/ has a file for each set of controllers, with a valid config and the sections of its controllers', () => {
  assert.deepEqual(readdirSync(folder).sort(), names.map((name) => `${name}.yaml`).sort());
  const sections = names.map((name) => {
    const config = parseConfig(dataOf(readInstallFile(name))['weeder.yaml'] ?? '', 'weeder.yaml');
    assert.ok(config.ok, name);
    const { services, declared, restart, observer } = config.value;
    return [name, services.size, declared !== undefined, restart?.rules.length, observer !== undefined];
  });
  assert.deepEqual(sections, [
    ['weeder', 0, true, undefined, false],
    ['with-restart-control', 0, true, 0, false],
    ['with-observer', 0, true, undefined, true],
    ['all', 0, true, 0, true],
  ]);
});

suite('an installation by one file', () => {
  const plane = suiteControlPlane({ controllerManager: true });

  test('the API server accepts all objects of install/all.yaml in their order, and admits the pod', async () => {
    const objects = readInstallFile('all');
    const kinds = objects.map(({ kind }) => kind);
    assert.deepEqual(kinds.slice(0, 2), ['Namespace', 'CustomResourceDefinition']);
    for (const object of objects) {
      assert.deepEqual(await errorsOf(plane(), object), []);
      await create(plane(), object);
    }
    await eventually(
      async () => Pods.parse(await plane().api('GET', '/api/v1/namespaces/weeder/pods')).items.length === 1,
      {
        what: 'the pod of the Deployment',
      },
    );
  });
});

suite('a file over an installation by kustomize', () => {
  const plane = suiteControlPlane();

  test('after `kubectl apply -k deploy`, `kubectl apply --server-side -f deploy/install/all.yaml` has no conflict', async () => {
    for (const object of await render(deployFolder)) {
      const lastApplied = `${JSON.stringify(object)}\n`;
      const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': lastApplied };
      const body = { ...object, metadata: { ...object.metadata, annotations } };
      const path = `${pathOf(object)}?fieldManager=kubectl-client-side-apply`;
      assert.equal((await plane().send('POST', path, { body })).status, 201, named(object));
    }
    for (const object of readInstallFile('all')) {
      const path = `${pathOf(object)}/${object.metadata.name}?fieldManager=kubectl&force=false`;
      const { status, body } = await plane().send('PATCH', path, {
        body: object,
        contentType: 'application/apply-patch+yaml',
      });
      assert.ok(status < 300, `${named(object)}: ${JSON.stringify(body)}`);
    }
  });
});
