import type { Cleanup } from '../cleanup.ts';
import { createAll, startDeployed, withConfig } from '../deploy/deployed.ts';
import type { Manifest } from '../deploy/kustomize.ts';
import { type TestNamespace, testNamespace } from '../namespace.ts';
import type { StartOptions } from '../weeder.ts';
import { setRestartScene } from './restartScene.ts';

/** A namespace with workloads of all kinds that use a ConfigMap or a Secret. */
export type DeployedRestarts = Awaited<ReturnType<typeof deployedRestarts>>;

/**
 * Creates the workloads. The Deployments `rolled` and `evicted` have one pod each, the other workloads none.
 * `cluster` is a control plane without controllers, which creates no pods.
 */
export async function deployedRestarts(t: Cleanup, cluster?: TestNamespace['cluster']) {
  const scene = await setRestartScene(t, 'restarts', cluster === undefined ? {} : { cluster });
  const { ns } = scene;
  const home = await testNamespace(t, 'home', ns.cluster);
  await scene.put('settings', { word: '1' });
  await scene.put('still', { word: '1' });
  await scene.put('password', { word: '1' }, 'Secret');
  const used = { envFrom: [{ configMapRef: { name: 'settings' } }, { secretRef: { name: 'password' } }] };
  for (const name of ['rolled', 'evicted']) {
    const options = { labels: { workload: name }, uses: used, spec: { replicas: 1 } };
    await scene.make('Deployment', name, { ...options, isAwaited: cluster === undefined });
  }
  const idle = { uses: { envFrom: [{ configMapRef: { name: 'still' } }] }, isAwaited: false };
  await scene.make('StatefulSet', 'stateful', { ...idle, spec: { replicas: 0 } });
  // There is no node for it.
  await scene.make('DaemonSet', 'daemon', idle);
  await scene.make('Job', 'job', { ...idle, spec: { suspend: true } });
  await scene.make('CronJob', 'job', { ...idle, spec: { suspend: true } });

  return {
    ns,
    /** The namespace of weeder. */
    home,
    /** Creates these objects with a config, and starts a replica of their workload. */
    async deploy(objects: readonly Manifest[], more: object = {}) {
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
    /** Changes the ConfigMap or the Secret that both Deployments use. */
    change: (resource: 'configmaps' | 'secrets', value: string) =>
      resource === 'secrets'
        ? scene.put('password', { word: value }, 'Secret')
        : scene.put('settings', { word: value }),
  };
}
