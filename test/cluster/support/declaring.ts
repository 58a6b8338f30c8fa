import type { TestNamespace } from './namespace.ts';
import { KubeObject, type Pod } from './objects.ts';
import { type ContainerState, crashLoopBackOff, setPodStatus } from './observer/statuses.ts';
import { podTemplate } from './restart/podTemplate.ts';
import { ownedPod } from './restart/workloads.ts';

/** Creates a pod with a controller that declares dependencies, by default in CrashLoopBackOff. */
export async function declaringPod(
  ns: TestNamespace,
  name: string,
  dependsOn: string,
  options: { readonly alsoOn?: string; readonly state?: ContainerState } = {},
): Promise<Pod> {
  const { alsoOn, state = crashLoopBackOff(3) } = options;
  const annotations: Record<string, string> = alsoOn === undefined ? {} : { 'weeder.dev/depends-on-services': alsoOn };
  await ownedPod(ns, name, { labels: { 'weeder.dev/depends-on': dependsOn }, annotations });
  return setPodStatus(ns, name, state);
}

/**
 * Creates a Deployment, and a CronJob with a Job, whose pods have this value of the label. Returns the uids of the
 * Deployment and of the CronJob, by kind.
 */
export async function declaringWorkloads(
  ns: TestNamespace,
  dependsOn: string,
): Promise<Readonly<Record<'Deployment' | 'CronJob', string>>> {
  const labels = { 'weeder.dev/depends-on': dependsOn };
  const create = async (path: string, body: object) =>
    KubeObject.parse(await ns.cluster.api('POST', path, body)).metadata;
  const deployment = await create(ns.path('apis/apps/v1', 'deployments'), {
    metadata: { name: 'web' },
    spec: { replicas: 2, selector: { matchLabels: { workload: 'web' } }, template: podTemplate({ labels }, 'web') },
  });
  const job = { template: podTemplate({ labels, restartPolicy: 'Never' }, 'report') };
  const cronJob = await create(ns.path('apis/batch/v1', 'cronjobs'), {
    metadata: { name: 'report' },
    spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: job } },
  });
  const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'report', uid: cronJob.uid, controller: true };
  const metadata = { name: 'report-29412345', ownerReferences: [owner] };
  await create(ns.path('apis/batch/v1', 'jobs'), { metadata, spec: job });
  return { Deployment: deployment.uid, CronJob: cronJob.uid };
}
