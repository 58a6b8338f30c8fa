import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import { leaseName } from '@weeder/kube-runtime/lease';
import { parse } from 'yaml';
import packageJson from '../../../package.json' with { type: 'json' };
import { chartArchive } from '../../../scripts/release/chart.ts';
import { type Choice, choices } from '../support/deploy/chartValues.ts';
import { templateEach } from '../support/deploy/combinations.ts';
import { comparable } from '../support/deploy/comparable.ts';
import { chartFolder, helm, template, withValues } from '../support/deploy/helm.ts';
import { deployFolder, Manifest, render } from '../support/deploy/kustomize.ts';
import { customised } from '../support/deploy/overlays.ts';
import { restrictedNamespace } from '../support/deploy/restrictedNamespace.ts';
import { errorsOf, named } from '../support/manifests.ts';
import { testNamespace } from '../support/namespace.ts';
import { temporaryFile } from '../support/weeder.ts';

const overlays = readdirSync(join(deployFolder, 'overlays'));

async function isSame({ overlay, weeding, components }: Choice, ours: readonly Manifest[]): Promise<void> {
  // Without a namespace of the user, everything is in `weeder`, as in a release of that namespace.
  const objects = await customised(overlay, { components });
  const theirs = weeding ? objects : objects.map(withoutDeclared);
  assert.deepEqual(comparable(ours, 'helm'), comparable(theirs, 'kustomize'), components.join(', '));
}

/** Without the permissions of the weeder, a kustomization needs a config of its own. */
function withoutDeclared(object: Manifest): Manifest {
  const data = objectOf(object['data']);
  if (data['weeder.yaml'] === undefined) return object;
  const { declaredDependencies: _, ...config } = objectOf(parse(String(data['weeder.yaml'])));
  return { ...object, data: { ...data, 'weeder.yaml': JSON.stringify(config) } };
}

suite('the chart', { concurrency: true }, () => {
  for (const overlay of overlays) {
    const combinations = choices(overlay);
    test(`${overlay}: with each of ${combinations.length} combinations of components the chart equals the kustomization`, async () => {
      const rendered = await templateEach(combinations.map(({ values }) => values));
      for (const [index, choice] of combinations.entries()) await isSame(choice, rendered[index] ?? []);
      // Some of them alone, with the schema.
      for (const choice of combinations.filter((_, index) => index % 6 === 0)) {
        await isSame(choice, await template(choice.values));
      }
    });
  }

  test('three releases with one controller each equal the kustomizations of deploy/separate', async () => {
    for (const [controller, values] of [
      ['weeding', {}],
      ['restart-control', { weeding: false, restartControl: { enabled: true }, config: { restartControl: {} } }],
      ['observer', { weeding: false, observer: { enabled: true, impersonate: 'named' }, config: { observer: {} } }],
    ] as const) {
      const release = `weeder-${controller}`;
      const ours = await template({ ...values, component: controller }, { release });
      const theirs = await render(join(deployFolder, 'separate', controller));
      const renamed: unknown[] = JSON.parse(JSON.stringify(theirs), (key, value) =>
        key === 'app.kubernetes.io/instance' ? release : value,
      );
      const ofRelease = renamed.map((each) => Manifest.parse(each));
      assert.deepEqual(comparable(ours, 'helm'), comparable(ofRelease, 'kustomize'), controller);
    }
  });

  test('the objects have the name of the release, and the Secret that of the hash key in the config', async () => {
    const config = { restartControl: { hashKey: { name: 'own-key' } } };
    const values = { config, restartControl: { enabled: true }, mode: 'highlyAvailable' };
    const names = (await template(values, { release: 'prod', namespace: 'garden' })).map(named).sort();
    const ofRelease = ['ClusterRole', 'ClusterRoleBinding', 'ConfigMap', 'Deployment', 'PodDisruptionBudget'];
    assert.deepEqual(names, [
      ...ofRelease.map((kind) => `${kind} prod-weeder`),
      'Role own-key',
      'Role prod-weeder-lease',
      'RoleBinding own-key',
      'RoleBinding prod-weeder-lease',
      'Secret own-key',
      'ServiceAccount prod-weeder',
    ]);
  });

  test('null removes a section that the chart has by default, and leaves no section without a value', async () => {
    const objects = await template({ config: { declaredDependencies: null, restartControl: {} } });
    const data = objectOf(objects.find(({ kind }) => kind === 'ConfigMap')?.['data']);
    assert.deepEqual(parse(String(data['weeder.yaml'])), { restartControl: {} });
  });

  test('declarations: false removes their section, also if a parent chart says so', async () => {
    const config = { restartControl: {} };
    for (const declarations of [true, false]) {
      const parent = temporaryFile('parent');
      cpSync(chartFolder, join(parent, 'charts', 'weeder'), { recursive: true });
      writeFileSync(join(parent, 'Chart.yaml'), 'apiVersion: v2\nname: parent\nversion: 1.0.0\n');
      writeFileSync(join(parent, 'values.yaml'), JSON.stringify({ weeder: { declarations, config } }));
      const objects = await template({}, { chart: parent });
      const data = objectOf(objects.find(({ kind }) => kind === 'ConfigMap')?.['data']);
      const expected = declarations ? { ...config, declaredDependencies: {} } : config;
      assert.deepEqual(parse(String(data['weeder.yaml'])), expected);
    }
  });

  test('a difference of one field, one rule or one object is found', async () => {
    const [choice] = choices('single');
    assert.ok(choice !== undefined);
    const theirs = comparable(await customised('single', { components: choice.components }), 'kustomize');
    for (const other of [
      { args: ['--dry-run'] },
      { evict: true },
      { evidence: true },
      { podCreation: true },
      { podMonitor: { enabled: true } },
    ]) {
      const ours = comparable(await template({ ...choice.values, ...other }), 'helm');
      assert.notDeepEqual(ours, theirs, Object.keys(other).join());
    }
  });

  test('helm lint finds nothing, and the chart has the version of the package and metadata for Artifact Hub', async () => {
    assert.match(await helm('lint', '--strict', chartFolder), /1 chart\(s\) linted, 0 chart\(s\) failed/);
    const chart = objectOf(parse(readFileSync(join(chartFolder, 'Chart.yaml'), 'utf8')));
    const { name, version, license } = packageJson;
    assert.deepEqual([chart['name'], chart['version'], chart['appVersion']], [name, version, version]);
    const annotations = objectOf(chart['annotations']);
    assert.equal(annotations['artifacthub.io/license'], license);
  });

  test('the archive of the chart in a release renders the same objects', async () => {
    const archive = temporaryFile('chart.tgz');
    writeFileSync(archive, chartArchive('weeder', chartFolder));
    const rendered = await helm('template', 'weeder', archive);
    assert.match(rendered, /^kind: Deployment$/m);
    assert.equal(rendered, await helm('template', 'weeder', chartFolder));
  });

  for (const overlay of overlays) {
    test(`${overlay}: the API server accepts every field without a warning in a restricted namespace`, async (t) => {
      const ns = await restrictedNamespace(t);
      const watched = overlay === 'namespaced' ? [(await testNamespace(t, 'watched', ns.cluster)).name] : [];
      const choice = choices(overlay).at(-1);
      assert.ok(choice !== undefined);
      const values = {
        ...choice.values,
        weeding: true,
        podMonitor: { enabled: false },
        serviceMonitor: { enabled: false },
        prometheusRule: { enabled: false },
        grafanaDashboard: { enabled: false },
        networkPolicy: { enabled: true, apiServerPorts: [8443], extraEgress: [{ ports: [{ port: 3128 }] }] },
        namespaces: watched,
        ...everyOption,
      };
      // All tests share one CRD.
      const objects = (await template(values, { namespace: ns.name })).filter(
        ({ kind }) => kind !== 'CustomResourceDefinition',
      );
      assert.deepEqual((await Promise.all(objects.map((object) => errorsOf(ns.cluster, object)))).flat(), []);
    });
  }

  test('NOTES say what runs, and without a config what to do', async () => {
    const notes = async (values: object) =>
      (await helm('install', 'weeder', chartFolder, '--dry-run=client', ...withValues(values))).split('NOTES:\n')[1];
    assert.match((await notes({})) ?? '', /Its config has: declaredDependencies\./);
    const nothing = /Nothing is configured yet, and weeder watches nothing: set the value `config`/;
    assert.match((await notes({ config: { declaredDependencies: null } })) ?? '', nothing);
    assert.match((await notes({ weeding: false })) ?? '', nothing);
    const config = { declaredDependencies: null, restartControl: {} };
    const configured = (await notes({ config, restartControl: { enabled: true } })) ?? '';
    assert.match(configured, /Its config has: restartControl\./);
    assert.doesNotMatch(configured, /Nothing is configured/);
    assert.doesNotMatch(configured, /port-forward/);
  });

  test('NOTES have the line that opens the live page: at the leader, if there are several', async () => {
    const lines: string[] = [];
    for (const mode of ['single', 'highlyAvailable', 'sharded']) {
      const values = withValues({ livePage: true, mode });
      const notes = await helm('install', 'prod', chartFolder, '--dry-run=client', '--namespace=garden', ...values);
      lines.push(...notes.split('\n').filter((line) => line.includes('port-forward')));
    }
    const leader = `"pod/$(kubectl get lease -n garden ${leaseName()} -o jsonpath='{.spec.holderIdentity}' | cut -d_ -f1)"`;
    assert.deepEqual(
      lines,
      ['deployment/prod-weeder', leader, 'pod/prod-weeder-0'].map(
        (pod) => `  kubectl port-forward -n garden ${pod} 9645`,
      ),
    );
  });
});

const everyOption = {
  args: ['--log-level=debug'],
  extraRules: [{ apiGroups: ['example.org'], resources: ['widgets'], verbs: ['get', 'list', 'watch'] }],
  image: { repository: 'registry.example.com/weeder', digest: `sha256:${'0'.repeat(64)}`, pullPolicy: 'Always' },
  imagePullSecrets: [{ name: 'registry' }],
  resources: { limits: { memory: '512Mi' } },
  nodeOptions: '--max-old-space-size=256 --max-semi-space-size=8',
  priorityClassName: 'system-cluster-critical',
  nodeSelector: { pool: 'system' },
  tolerations: [{ key: 'system', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  podAnnotations: { 'example.org/owner': 'platform' },
  podLabels: { 'example.org/cost-centre': '7' },
  commonLabels: { 'example.org/team': 'platform' },
  serviceAccount: { annotations: { 'example.org/role': 'weeder' } },
  nameOverride: 'recovery',
  revisionHistoryLimit: 3,
  // As OpenShift assigns them.
  podSecurityContext: { runAsUser: '', runAsGroup: '', fsGroup: 1_000_680_000 },
  dryRun: true,
  record: { enabled: true, limit: '16Mi', volume: { emptyDir: { sizeLimit: '64Mi' } } },
  extraEnv: [{ name: 'HTTPS_PROXY', value: 'http://proxy.example.com:3128' }],
  extraVolumes: [{ name: 'tls', secret: { secretName: 'tls' } }],
  extraVolumeMounts: [{ name: 'tls', mountPath: '/etc/tls', readOnly: true }],
};
