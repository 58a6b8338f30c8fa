import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { promisify } from 'node:util';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { edit, type ObserverScene, setObserverScene } from '../support/observer/observerScene.ts';

const run = promisify(execFile);
const checkout = join(import.meta.dirname, '../../..');
const labels = { app: 'web' };

const deployment: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
  },
};
const image = '.spec.template.spec.containers[name="web"].image';
const bounds = { observer_schema_list_min_length: 1, observer_schema_list_max_length: 1 };
const observerSchema = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { template: { spec: { containers: [{ image: 'observed' }, bounds] } } },
  },
];
const service = (port: number): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: { selector: labels, ports: [{ port }] },
});
const secret: JsonObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'login' },
  stringData: { password: 'hunter2' },
};

const faulty: JsonObject = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'faulty' }, data: { pin: 1234 } };

/** What the real program prints of the application, line by line. */
async function explain({ ns }: ObserverScene, name: string): Promise<string[]> {
  const kubeconfig = ns.cluster.kubeconfigFor('admin');
  const args = ['explain', 'application', name, '-n', ns.name, `--kubeconfig=${kubeconfig}`];
  const { stdout, stderr } = await run(process.execPath, ['src/cli/weeder.ts', ...args], { cwd: checkout });
  assert.equal(stderr, '');
  return stdout.trimEnd().split('\n');
}

/** The lines of one resource, without their indentation. */
function about(lines: readonly string[], resource: string): string[] {
  const from = lines.findIndex((line) => line.startsWith(`${resource}:`));
  assert.ok(from >= 0, lines.join('\n'));
  const to = lines.indexOf('', from);
  return lines.slice(from, to < 0 ? undefined : to);
}

async function contents({ ns }: ObserverScene, ...paths: string[]): Promise<unknown[]> {
  const objects = await Promise.all(paths.map((path) => ns.cluster.api('GET', path)));
  // The controllers of the cluster write the status of a Deployment.
  return objects.map((object) => ({
    ...objectOf(object),
    metadata: { generation: objectOf(objectOf(object)['metadata'])['generation'] },
    status: {},
  }));
}

suite('weeder explain application, on a real API server', { concurrency: true }, () => {
  test('shows the fields of a resource in sync and, after a change while no weeder runs, the diff and the conflicting manager, and writes nothing', async (t) => {
    const scene = await setObserverScene(t, 'explain');
    const { ns } = scene;
    const weeder = await scene.start(t);
    await scene.apply('shop', { manifests: [deployment, service(80), secret], observerSchema });
    await scene.untilInSync('shop');
    const calm = await explain(scene, 'shop');
    assert.equal(
      calm[0],
      `Application ${ns.name}/shop: In sync, mode correct, deletionPolicy delete, resync every 30s, as system:serviceaccount:${ns.name}:default`,
    );
    assert.ok(calm.includes('  InSync: True, AsApplied. Every observed field is as it was applied.'));
    assert.ok(!calm.some((line) => /^ *[-+!] |→/.test(line)), calm.join('\n'));
    const web = `Deployment ${ns.name}/web`;
    assert.equal(about(calm, web)[0], `${web}: In sync`);
    assert.ok(about(calm, web).includes(`    ${image}: "web:1"`));
    assert.ok(about(calm, web).includes('  ~ .spec.replicas: 2 (not observed)'));
    await weeder.stop();

    const paths = [
      ns.path('apis/apps/v1', 'deployments', 'web'),
      ns.path('api/v1', 'services', 'web'),
      ns.path('api/v1', 'secrets', 'login'),
    ] as const;
    const spec = { replicas: 5, template: { spec: { containers: [{ name: 'web', image: 'web:2' }] } } };
    await edit(ns, paths[0], { spec });
    await edit(ns, paths[1], {
      spec: {
        ports: [
          { name: 'http', port: 80 },
          { name: 'more', port: 81 },
        ],
      },
    });
    await edit(ns, paths[2], { data: { password: Buffer.from('hunter3').toString('base64') } });
    const before = await contents(scene, ...paths);
    const drifted = await explain(scene, 'shop');
    const [head, observed, last, ...fields] = about(drifted, web);
    assert.match(head ?? '', /: Drifted: 1 field {2}→ corrected immediately while weeder runs/);
    assert.match(observed ?? '', /^ {2}observed: 1 field, as its entry of the schema lists$/);
    assert.match(last ?? '', /^ {2}applied last: this manifest, uid .*; state in the status: InSync$/);
    assert.ok(fields.includes(`  - ${image}: "web:1"`), fields.join('\n'));
    assert.ok(fields.includes(`  + ${image}: "web:2"  (by kubectl-edit/Update)`));
    assert.ok(fields.includes('  ~ .spec.replicas: 2, is 5 (not observed)'));
    assert.ok(drifted.some((line) => line.startsWith('  + .spec.ports[port=81,protocol="TCP"]: {')));
    assert.ok(drifted.includes('  ! .data.password: changed  (by kubectl-edit/Update)'));
    for (const text of ['hunter2', 'hunter3'])
      for (const secretText of [text, Buffer.from(text).toString('base64')])
        assert.ok(!`${calm}${drifted}`.includes(secretText), 'nothing of a Secret');
    assert.deepEqual(await contents(scene, ...paths), before, 'nothing is written');
  });

  test('lists resources that are not applied yet, missing, claimed, of an unknown kind or with errors, with what to do', async (t) => {
    const scene = await setObserverScene(t, 'explain');
    const { ns } = scene;
    const weeder = await scene.start(t);
    await scene.apply('one', { manifests: [service(80), secret] });
    await scene.untilInSync('one');
    await weeder.stop();
    await ns.cluster.api('DELETE', ns.path('api/v1', 'secrets', 'login'));
    await scene.apply('one', { manifests: [service(81), secret] });
    await scene.apply('two', {
      mode: 'detect',
      pausedUntil: '2999-01-01T00:00:00Z',
      manifests: [service(80), { apiVersion: 'example.org/v1', kind: 'Widget', metadata: { name: 'w' } }, faulty],
      observerSchema: [{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { type: 'ClusterIP' } }],
    });
    const one = await explain(scene, 'one');
    assert.ok(one.some((line) => line.startsWith('  → weeder has not observed generation 2 yet:')));
    const [changed, , , ...fields] = about(one, `Service ${ns.name}/web`);
    assert.match(changed ?? '', /: Not applied yet {2}→ corrected immediately/);
    assert.ok(
      fields.some((line) => /^ {2}\+ \.spec\.ports\[port=80,protocol="TCP"\]/.test(line)),
      fields.join('\n'),
    );
    assert.match(about(one, `Secret ${ns.name}/login`)[0] ?? '', /: Missing {2}→ corrected/);

    const two = await explain(scene, 'two');
    assert.ok(two.includes('  paused until 2999-01-01T00:00:00Z; it resumes then'));
    assert.ok(
      two.some((line) => line.startsWith('  error in spec.manifests[2]')),
      two.join('\n'),
    );
    assert.ok(
      two.some((line) => /^ {2}error in observerSchema\[0\]\.spec\.type: has a text for a value/.test(line)),
      two.join('\n'),
    );
    assert.match(
      about(two, `Service ${ns.name}/web`)[0] ?? '',
      /not changed, because its manifest or its entry of the observer schema has errors/,
    );
    assert.match(about(two, `Widget.example.org ${ns.name}/w`)[0] ?? '', /: Kind not served: example.org\/v1 Widget$/);
    await scene.apply('two', { manifests: [service(80)] });
    const claimed = about(await explain(scene, 'two'), `Service ${ns.name}/web`)[0];
    assert.match(claimed ?? '', new RegExp(`belongs to the application ${ns.name}/one, and not to ${ns.name}/two$`));
  });

  test('reports a missing application, and an account without permissions, in one sentence', async (t) => {
    const scene = await setObserverScene(t, 'explain');
    const { ns } = scene;
    const missing = await explain(scene, 'unknown').catch((error: unknown) => objectOf(error)['stderr']);
    assert.equal(
      missing,
      `weeder: There is no application unknown in the namespace ${ns.name}. Give its namespace with -n; \`kubectl get applications.weeder.dev -A\` lists all.\n`,
    );
    await ns.cluster.api('POST', ns.path('api/v1', 'services'), service(80));
    await scene.apply('poor', { serviceAccountName: 'poor', manifests: [service(80)] });
    const lines = await explain(scene, 'poor');
    const [, , , refused] = about(lines, `Service ${ns.name}/web`);
    assert.match(refused ?? '', /^ {2}as system:serviceaccount:.*:poor: .*cannot (create|patch) resource "services"/);
    assert.ok(lines.some((line) => line.startsWith('  → check that the account may create')));
    assert.deepEqual((await scene.application('poor'))['status'], { observedGeneration: -1 }, 'nothing is written');
  });
});
