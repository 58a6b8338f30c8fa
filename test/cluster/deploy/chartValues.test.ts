import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import { z } from 'zod';
import { chartFolder, template } from '../support/deploy/helm.ts';
import type { Manifest } from '../support/deploy/kustomize.ts';
import { named } from '../support/manifests.ts';
import { temporaryFile } from '../support/weeder.ts';

const Named = z.looseObject({ name: z.string() });
const Workload = z.looseObject({
  spec: z.looseObject({
    replicas: z.number(),
    template: z.looseObject({
      metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }),
      spec: z.looseObject({
        serviceAccountName: z.string(),
        securityContext: z.looseObject({}),
        volumes: z.array(Named),
        containers: z.tuple([
          z.looseObject({
            args: z.array(z.string()),
            env: z.array(Named),
            securityContext: z.looseObject({}),
            volumeMounts: z.array(Named),
          }),
        ]),
      }),
    }),
  }),
});

function workloadOf(objects: readonly Manifest[]) {
  return Workload.parse(objects.find(({ kind }) => ['Deployment', 'StatefulSet'].includes(kind))).spec;
}

async function podOf(values: object) {
  const { spec } = workloadOf(await template(values)).template;
  const [container] = spec.containers;
  return { ...spec, container };
}

/** The specs of the objects of a kind. */
async function specOf(kind: string, values: object): Promise<Readonly<Record<string, unknown>>> {
  return objectOf((await template(values)).find((each) => each.kind === kind)?.['spec']);
}

const labelsOf = ({ metadata }: Manifest) => objectOf(metadata['labels']);

suite('the values of the chart', { concurrency: true }, () => {
  test('extra variables, volumes and mounts follow those of the chart', async () => {
    const extraEnv = [{ name: 'HTTPS_PROXY', value: 'http://proxy:3128' }];
    const extraVolumes = [{ name: 'tls', secret: { secretName: 'tls' } }];
    const extraVolumeMounts = [{ name: 'tls', mountPath: '/etc/tls', readOnly: true }];
    const { container, volumes } = await podOf({ extraEnv, extraVolumes, extraVolumeMounts });
    assert.deepEqual(container.env.at(-1), extraEnv[0]);
    assert.deepEqual([volumes[0]?.name, ...volumes.slice(1)], ['config', ...extraVolumes]);
    assert.deepEqual(
      [container.volumeMounts[0]?.name, ...container.volumeMounts.slice(1)],
      ['config', ...extraVolumeMounts],
    );
  });

  test('selected namespaces are flags, and labels need a permission', async () => {
    const values = { namespaceSelector: 'team in (shop, bank)', exceptNamespaces: ['kube-system'] };
    const { container } = await podOf(values);
    const flags = ['--namespace-selector=team in (shop, bank)', '--except-namespaces=kube-system'];
    assert.deepEqual(
      container.args.filter((each) => flags.includes(each)),
      flags,
    );
    const mayRead = async (given: object) =>
      JSON.stringify((await template(given)).filter(({ kind }) => kind === 'ClusterRole')).includes('"namespaces"');
    assert.deepEqual(
      [await mayRead(values), await mayRead({ exceptNamespaces: ['kube-system'] }), await mayRead({})],
      [true, false, false],
    );
  });

  for (const parent of [false, true]) {
    test(`without ids ${parent ? 'in the values of a parent chart ' : ''}the rest of the security contexts stays, as restricted-v2 of OpenShift needs it`, async () => {
      const values = { podSecurityContext: { runAsUser: '', runAsGroup: '', fsGroup: 1_000_680_000 } };
      const folder = temporaryFile('parent');
      cpSync(chartFolder, join(folder, 'charts', 'weeder'), { recursive: true });
      writeFileSync(join(folder, 'Chart.yaml'), 'apiVersion: v2\nname: parent\nversion: 1.0.0\n');
      writeFileSync(join(folder, 'values.yaml'), JSON.stringify({ weeder: values }));
      const objects = parent ? await template({}, { chart: folder }) : await template(values);
      assert.deepEqual(workloadOf(objects).template.spec.securityContext, {
        fsGroup: 1_000_680_000,
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
    });
  }

  test('null removes a field of a security context', async () => {
    const pod = await podOf({
      securityContext: { capabilities: null, privileged: false },
      podSecurityContext: { runAsUser: null },
    });
    const { securityContext } = pod.container;
    assert.deepEqual(securityContext, {
      allowPrivilegeEscalation: false,
      privileged: false,
      readOnlyRootFilesystem: true,
    });
    assert.ok(!('runAsUser' in pod.securityContext));
  });

  test('common labels are on every object and pod, labels of pods on pods, and selectors have neither', async () => {
    const labels = {
      commonLabels: { team: 'platform', 'app.kubernetes.io/part-of': 'shop' },
      podLabels: { cost: '7' },
    };
    const everything = {
      mode: 'highlyAvailable',
      restartControl: { enabled: true },
      observer: { enabled: true, roles: true },
    };
    const objects = await template({
      ...labels,
      ...everything,
      serviceMonitor: { enabled: true },
      metricsSecure: true,
    });
    for (const object of objects) {
      assert.partialDeepStrictEqual(labelsOf(object), labels.commonLabels, named(object));
      assert.doesNotMatch(JSON.stringify(object['spec'] ?? {}).replace(/"template":.*/, ''), /platform|"cost"/);
    }
    const onPods = workloadOf(objects).template.metadata.labels;
    assert.partialDeepStrictEqual(onPods, { ...labels.commonLabels, ...labels.podLabels });
    assert.ok(!('helm.sh/chart' in onPods));
  });

  test('nameOverride changes names, labels and selectors alike', async () => {
    const objects = await template({ nameOverride: 'recovery', networkPolicy: { enabled: true } }, { release: 'prod' });
    assert.ok(objects.every(({ metadata }) => metadata.name === 'prod-recovery'));
    assert.ok(objects.every((each) => labelsOf(each)['app.kubernetes.io/name'] === 'recovery'));
    assert.doesNotMatch(JSON.stringify(objects), /"app.kubernetes.io\/name":"weeder"/);
    const long = await template({ nameOverride: 'a-name-of-exactly-thirty-bytes' }, { release: 'r'.repeat(53) });
    assert.ok(long.every(({ metadata }) => metadata.name.length === 52));
  });

  test('an account of the user takes the place of that of the chart, also in the bindings', async () => {
    const annotations = { 'example.org/role': 'weeder' };
    const own = (await template({ serviceAccount: { annotations, name: 'own' } })).find(
      ({ kind }) => kind === 'ServiceAccount',
    );
    assert.deepEqual([own?.metadata.name, own?.metadata['annotations']], ['own', annotations]);
    const values = { mode: 'highlyAvailable', namespaces: ['shop'], serviceAccount: { create: false, name: 'theirs' } };
    const objects = await template(values);
    assert.ok(objects.every(({ kind }) => kind !== 'ServiceAccount'));
    assert.equal(workloadOf(objects).template.spec.serviceAccountName, 'theirs');
    const bindings = objects.filter(({ kind }) => kind === 'RoleBinding');
    assert.equal(bindings.length, 3);
    for (const binding of bindings) assert.match(JSON.stringify(binding['subjects']), /^\[\{[^}]*"name":"theirs"/);
  });

  test('each mode has its number of replicas, which `replicas` changes, also for the shards', async () => {
    for (const [mode, replicas, expected] of [
      ['single', '', 1],
      ['highlyAvailable', '', 2],
      ['highlyAvailable', 3, 3],
      ['sharded', '', 3],
      ['sharded', 5, 5],
    ] as const) {
      const spec = workloadOf(await template({ mode, replicas }));
      assert.equal(spec.replicas, expected, mode);
      const shard = spec.template.spec.containers[0].args.filter((arg) => arg.startsWith('--shard'));
      assert.deepEqual(shard, mode === 'sharded' ? [`--shard=auto/${expected}`] : []);
    }
  });

  test('disruption budget and topology spread can be turned off, and revisions limited, also to none', async () => {
    const mode = 'highlyAvailable';
    const objects = await template({
      mode,
      podDisruptionBudget: { enabled: false },
      topologySpread: { enabled: false },
    });
    assert.ok(objects.every(({ kind }) => kind !== 'PodDisruptionBudget'));
    assert.ok(!('topologySpreadConstraints' in workloadOf(objects).template.spec));
    assert.equal((await specOf('Deployment', { revisionHistoryLimit: 0 }))['revisionHistoryLimit'], 0);
  });

  test('the objects of the Prometheus operator have the labels that a Prometheus selects by, and its interval', async () => {
    const labels = { release: 'kube-prometheus-stack' };
    const monitor = { enabled: true, labels, interval: '15s' };
    const values = { podMonitor: monitor, serviceMonitor: monitor, prometheusRule: monitor };
    const objects = await template(values);
    const selected = objects.filter((each) => labelsOf(each)['release'] !== undefined).map(({ kind }) => kind);
    assert.deepEqual(selected.sort(), ['PodMonitor', 'PrometheusRule', 'ServiceMonitor']);
    for (const [kind, list] of [
      ['PodMonitor', 'podMetricsEndpoints'],
      ['ServiceMonitor', 'endpoints'],
      ['PrometheusRule', 'groups'],
    ] as const) {
      const items = z.array(z.looseObject({ interval: z.string() })).parse((await specOf(kind, values))[list]);
      assert.ok(
        items.every(({ interval }) => interval === '15s'),
        kind,
      );
    }
  });

  test('a network policy allows the ports of the API server, and more', async () => {
    const extraEgress = [{ ports: [{ port: 3128 }] }];
    const values = { networkPolicy: { enabled: true, apiServerPorts: [8443], extraEgress } };
    assert.deepEqual((await specOf('NetworkPolicy', values))['egress'], [{ ports: [{ port: 8443 }] }, ...extraEgress]);
  });

  test('dryRun and record are flags, and a recording has a volume', async () => {
    const { container, volumes } = await podOf({
      dryRun: true,
      record: { enabled: true, limit: '16Mi' },
      args: ['--events=false'],
    });
    const flags = ['--dry-run', '--record=/var/log/weeder/weeder.jsonl', '--record-limit=16Mi', '--events=false'];
    assert.deepEqual(container.args.slice(2), flags);
    assert.deepEqual(container.volumeMounts.at(-1), { name: 'record', mountPath: '/var/log/weeder' });
    assert.deepEqual(volumes.at(-1), { name: 'record', emptyDir: {} });
    const volume = { persistentVolumeClaim: { claimName: 'recordings' } };
    assert.deepEqual((await podOf({ record: { enabled: true, volume } })).volumes.at(-1), {
      name: 'record',
      ...volume,
    });
  });

  for (const [values, sentence] of [
    [{ mode: 'ha' }, "- at '/mode': value must be one of 'single', 'highlyAvailable', 'sharded'"],
    [{ replicas: 0 }, "- at '/replicas': minimum: got 0, want 1"],
    [{ shards: 2 }, "- at '': additional properties 'shards' not allowed"],
    [{ restartControl: { sources: 'secrets' } }, "- at '/restartControl/sources': value must be one of"],
    [{ observer: true }, "- at '/observer': got boolean, want object"],
    [{ image: { digest: 'latest' } }, "- at '/image/digest': 'latest' does not match pattern"],
    [{ config: { watchDuraton: '5m' } }, "- at '/config': additional properties 'watchDuraton' not allowed"],
    [{ config: { observer: null } }, "- at '/config/observer': got null, want object"],
    [{ extraVolumes: [{ emptyDir: {} }] }, "- at '/extraVolumes/0': missing property 'name'"],
    [{ extraVolumeMounts: [{ name: 'tls' }] }, "- at '/extraVolumeMounts/0': missing property 'mountPath'"],
    [{ extraEnv: { A: 'b' } }, "- at '/extraEnv': got object, want array"],
    [{ podSecurityContext: { runAsUser: 'root' } }, "- at '/podSecurityContext/runAsUser': maxLength: got 4, want 0"],
    [{ podLabels: { cost: 7 } }, "- at '/podLabels/cost': got number, want string"],
    [{ nameOverride: 'Weeder' }, "- at '/nameOverride': 'Weeder' does not match pattern"],
    [{ podMonitor: { interval: 'often' } }, "- at '/podMonitor/interval': 'often' does not match pattern"],
    [{ networkPolicy: { apiServerPorts: [] } }, "- at '/networkPolicy/apiServerPorts': minItems: got 0, want 1"],
    [{ record: { enabled: true, limit: '1 GB' } }, "- at '/record/limit': '1 GB' does not match pattern"],
    [{ replicas: 2 }, ': replicas: 2 needs the mode highlyAvailable or sharded'],
    [
      { serviceAccount: { create: false } },
      ': serviceAccount.create: false needs the name of your account in serviceAccount.name.',
    ],
    [{ commonLabels: { 'app.kubernetes.io/name': 'x' } }, ': the label app.kubernetes.io/name belongs to the chart'],
    [{ namespaces: ['shop'], exceptNamespaces: ['a'] }, ': namespaces: leave it out, or namespaceSelector'],
    [
      { mode: 'sharded', record: { enabled: true, volume: { persistentVolumeClaim: { claimName: 'a' } } } },
      ': record.volume: a persistentVolumeClaim needs the mode single',
    ],
  ] as const) {
    test(`${JSON.stringify(values)} is refused in one sentence`, async () => {
      await assert.rejects(template(values), (error) => {
        assert.ok(error instanceof Error && 'stderr' in error);
        const lines = String(error.stderr)
          .split('\n')
          .filter((line) => /^- at |^Error: execution error /.test(line));
        assert.deepEqual([lines.length, lines[0]?.includes(sentence)], [1, true], String(error.stderr));
        return true;
      });
    });
  }
});
