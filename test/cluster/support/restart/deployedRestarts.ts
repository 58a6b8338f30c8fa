import { objectOf } from '@weeder/kube-runtime/base';
import type { Cleanup } from '../cleanup.ts';
import { createAll, type DeployedWeeder, startDeployed, withConfig } from '../deploy/deployed.ts';
import type { Manifest } from '../deploy/kustomize.ts';
import { eventually } from '../eventually.ts';
import { type TestNamespace, testNamespace } from '../namespace.ts';
import { startRemoteKubelet } from '../plane/remoteKubelet.ts';
import type { StartOptions } from '../weeder.ts';
import { podTemplate } from './podTemplate.ts';

/** A namespace with workloads of all kinds that use a ConfigMap or a Secret. */
export interface DeployedRestarts {
  readonly ns: TestNamespace;
  /** The namespace of weeder. */
  readonly home: TestNamespace;
  /** Creates these objects with a config, and starts a replica of their workload. */
  deploy(objects: readonly Manifest[], restartControl?: object): Promise<DeployedWeeder>;
  /** Changes the ConfigMap or the Secret that both Deployments use. */
  change(resource: 'configmaps' | 'secrets', value: string): Promise<unknown>;
}

/**
 * Creates the workloads. The Deployments `rolled` and `evicted` have one pod each, the other workloads none.
 * `cluster` is a control plane without controllers, which creates no pods.
 */
export async function deployedRestarts(t: Cleanup, cluster?: TestNamespace['cluster']): Promise<DeployedRestarts> {
  const ns = await testNamespace(t, 'restarts', cluster);
  const home = await testNamespace(t, 'home', ns.cluster);
  await startRemoteKubelet(t, { cluster: ns.cluster, namespace: ns.name });
  const make = (group: string, resource: string, body: object) =>
    ns.cluster.api('POST', ns.path(group, resource), body);
  await make('api/v1', 'configmaps', { metadata: { name: 'settings' }, data: { word: '1' } });
  await make('api/v1', 'configmaps', { metadata: { name: 'still' }, data: { word: '1' } });
  await make('api/v1', 'secrets', { metadata: { name: 'password' }, stringData: { word: '1' } });
  const using = [{ configMapRef: { name: 'settings' } }, { secretRef: { name: 'password' } }];
  for (const name of ['rolled', 'evicted'])
    await make('apis/apps/v1', 'deployments', workload(name, using, { replicas: 1 }));
  const idle = [{ configMapRef: { name: 'still' } }];
  await make('apis/apps/v1', 'statefulsets', workload('stateful', idle, { replicas: 0 }));
  await make('apis/apps/v1', 'daemonsets', workload('daemon', idle, {}));
  const { metadata, spec } = workload('job', idle, { suspend: true }, 'Never');
  const job = { template: spec.template, suspend: true };
  await make('apis/batch/v1', 'jobs', { metadata, spec: job });
  const cron = { schedule: '0 0 1 1 *', suspend: true, jobTemplate: { spec: { template: spec.template } } };
  await make('apis/batch/v1', 'cronjobs', { metadata, spec: cron });
  if (cluster === undefined) for (const name of ['rolled', 'evicted']) await untilRunning(ns, name);

  return {
    ns,
    home,
    async deploy(objects, more = {}) {
      const rules = [
        { namespaces: [ns.name], selector: { matchLabels: { workload: 'evicted' } }, strategy: 'evict' },
        { namespaces: [ns.name] },
      ];
      const restartControl = { quietPeriod: '0s', minInterval: '0s', rules, ...more };
      const deployed = withConfig(objects, { restartControl });
      await createAll(t, ns.cluster, deployed);
      const expects: StartOptions['expects'] = { errorLines: /no hash key/ };
      // Limits weeder to this namespace, because it removes states of workloads that no rule matches.
      return startDeployed(t, home, deployed, { expects, flags: [`--namespaces=${ns.name}`] });
    },
    change(resource, value) {
      const [name, field] = resource === 'secrets' ? ['password', 'stringData'] : ['settings', 'data'];
      return ns.cluster.api('PATCH', ns.path('api/v1', resource, name), { [field]: { word: value } });
    },
  };
}

function workload(
  name: string,
  envFrom: readonly object[],
  more: object,
  restartPolicy: 'Always' | 'Never' = 'Always',
) {
  const labels = { app: 'restarts' };
  const { metadata, spec } = podTemplate({ labels, restartPolicy }, name);
  const container = { name: 'main', image: 'registry.invalid/weeder-test:1', envFrom };
  // No node has this label.
  const placed = name === 'daemon' ? { nodeSelector: { 'weeder.dev/nowhere': 'true' } } : {};
  return {
    metadata: { name, labels: { ...labels, workload: name } },
    spec: {
      selector: { matchLabels: { ...labels, workload: name } },
      template: { metadata, spec: { ...spec, ...placed, containers: [container] } },
      ...more,
    },
  };
}

async function untilRunning(ns: TestNamespace, name: string): Promise<void> {
  await eventually(
    async (saw) => {
      const { status } = objectOf(await ns.cluster.api('GET', ns.path('apis/apps/v1', 'deployments', name)));
      saw(status);
      return objectOf(status)['availableReplicas'] === 1;
    },
    { what: `a pod of ${name} that is available` },
  );
}
