import { copyFileSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { eventually } from '../../test/cluster/support/eventually.ts';
import { Condition } from '../../test/cluster/support/objects.ts';
import type { Cluster } from '../../test/cluster/support/plane/access.ts';
import { freePorts } from '../../test/cluster/support/plane/ports.ts';
import { SetupProblem } from '../../test/cluster/support/plane/process.ts';
import type { Manifest } from './workloads.ts';

const namespace = 'weeder';
const pods = `/api/v1/namespaces/${namespace}/pods`;
const Mounted = z.looseObject({ name: z.string() });
const Container = z.looseObject({ image: z.string(), args: z.array(z.string()), volumeMounts: z.array(Mounted) });
const PodSpec = z.looseObject({ containers: z.tuple([Container]), volumes: z.array(Mounted) });
const Deployment = z.object({ spec: z.object({ template: z.object({ spec: PodSpec }) }) });
const Pod = z.object({
  status: z.looseObject({
    conditions: z.array(Condition).optional(),
    containerStatuses: z.array(z.looseObject({ restartCount: z.number() })).optional(),
  }),
});

/** Runs weeder from its image in a pod, and resolves when it is Ready, which is when its caches are synced. */
export async function startWeeder(cluster: Cluster, config: object, signal: AbortSignal): Promise<void> {
  for (const { path, body } of await manifests(cluster, config)) await cluster.api('POST', path, body);
  const isReady = async (record: (seen: unknown) => void): Promise<boolean> => {
    signal.throwIfAborted();
    const { status } = Pod.parse(await cluster.api('GET', `${pods}/weeder`));
    record(status.containerStatuses ?? status.conditions);
    return status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
  };
  await eventually(isReady, { what: 'a weeder that is ready', within: 60_000, every: 100 }).catch((cause: unknown) => {
    throw new SetupProblem(`weeder does not start: ${cause instanceof Error ? cause.message : cause}`, { cause });
  });
}

/** Throws if the container of weeder has ended at least once. */
export async function checkWeeder(cluster: Cluster): Promise<void> {
  const { status } = Pod.parse(await cluster.api('GET', `${pods}/weeder`));
  if (status.containerStatuses?.every(({ restartCount }) => restartCount === 0) !== true) {
    throw new Error(`weeder did not run all the time: ${JSON.stringify(status.containerStatuses)}`);
  }
}

/** Copies the log of weeder, as the kubelet stores it, from the node's folder of logs. */
export function copyLog(logs: string, folder: string): void {
  for (const path of globSync(join(logs, `${namespace}_weeder_*`, 'weeder', '*.log'))) {
    copyFileSync(path, join(folder, 'weeder.log'));
  }
}

/**
 * The pod has the image, the user, the limits and the read-only root file system of `deploy/`. It differs in what the
 * node lacks: a network of its own, and the tokens of ServiceAccounts.
 */
async function manifests(cluster: Cluster, config: object): Promise<readonly Manifest[]> {
  const text = readFileSync(join(import.meta.dirname, '../../deploy/base/deployment.yaml'), 'utf8');
  const { serviceAccountName: _account, ...spec } = Deployment.parse(parse(text)).spec.template.spec;
  const [{ livenessProbe: _liveness, ports: _ports, ...container }] = spec.containers;
  const [health = 0] = await freePorts(1);
  const access = '/etc/access';
  const flags = [
    `--kubeconfig=${access}/kubeconfig`,
    `--health-bind-addr=127.0.0.1:${health}`,
    '--metrics-bind-addr=0',
  ];
  const kubeconfig = readFileSync(cluster.kubeconfigFor('admin'), 'utf8');
  return [
    { path: '/api/v1/namespaces', body: { metadata: { name: namespace } } },
    {
      path: `/api/v1/namespaces/${namespace}/configmaps`,
      body: { metadata: { name: 'weeder' }, data: { 'weeder.yaml': JSON.stringify(config) } },
    },
    {
      path: `/api/v1/namespaces/${namespace}/secrets`,
      body: { metadata: { name: 'access' }, stringData: { kubeconfig } },
    },
    {
      path: pods,
      body: {
        metadata: { name: 'weeder' },
        spec: {
          ...spec,
          hostNetwork: true,
          automountServiceAccountToken: false,
          containers: [
            {
              ...container,
              image: `weeder:${packageJson.version}`,
              imagePullPolicy: 'Never',
              args: [...container.args, ...flags],
              readinessProbe: { httpGet: { host: '127.0.0.1', port: health, path: '/readyz' }, periodSeconds: 1 },
              volumeMounts: [...container.volumeMounts, { name: 'access', mountPath: access, readOnly: true }],
            },
          ],
          volumes: [...spec.volumes, { name: 'access', secret: { secretName: 'access' } }],
        },
      },
    },
  ];
}
