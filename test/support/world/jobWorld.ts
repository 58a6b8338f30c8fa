import { startKubelet, startWorkloads } from '@weeder/embedded-cluster';
import { wireObject } from '@weeder/embedded-cluster/registry';
import { configMaps, cronJobs, jobs } from '@weeder/embedded-cluster/resources';
import { type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import type { ApiRequest } from '@weeder/kube-runtime/client';
import type { RequestFault } from '@weeder/kube-runtime/testing';
import type { RestartConfig } from '../../../src/config/restart.ts';
import { type SimulatedRestartsOptions, simulatedRestarts } from '../restarts/simulatedRestarts.ts';
import { made } from './embedded.ts';

/** Jobs with their pods in a simulated cluster, and a weeder that may be replaced. */
export type JobWorld = Awaited<ReturnType<typeof jobWorld>>;

const namespace = 'shop';
const kubectl = { manager: 'kubectl' };
const containers = [{ name: 'app', image: 'app:1', envFrom: [{ configMapRef: { name: 'settings' } }] }];

export async function jobWorld(config: RestartConfig, options: SimulatedRestartsOptions = {}) {
  const { restarts, control, server } = simulatedRestarts(config, { faultOf }, options);
  const { clock } = restarts;
  const { store } = server;

  const writes: string[] = [];

  function faultOf(request: ApiRequest): RequestFault | undefined {
    const text = textOfWrite(request);
    const fault = text === undefined ? undefined : world.fault(text);
    if (text !== undefined) writes.push(text);
    return fault;
  }

  const world = {
    ...restarts,
    get control() {
      return control();
    },
    /** Every write, such as `DELETE once`; a dry run does not count. */
    writes,
    /** Called before each write, with its text. */
    fault: (_write: string): RequestFault | undefined => undefined,
    putSource(data: Readonly<Record<string, string>>) {
      const source = store.get(configMaps, namespace, 'settings');
      made(
        source === undefined
          ? store.create(configMaps, { metadata: { name: 'settings', namespace }, data }, kubectl)
          : store.update(configMaps, { ...source, data }, kubectl),
      );
    },
    /** Creates a Job with a running pod, unless the Job is suspended; it uses the ConfigMap `settings`. */
    putJob(
      name: string,
      { metadata = {}, spec = {} }: { readonly metadata?: JsonObject; readonly spec?: JsonObject } = {},
    ) {
      const template = { metadata: { labels: { app: name } }, spec: { containers, restartPolicy: 'Never' } };
      const job = { metadata: { name, namespace, ...metadata }, spec: { parallelism: 1, template, ...spec } };
      made(store.create(jobs, job, kubectl));
    },
    /** Creates a CronJob that is not managed, and returns the reference of its Jobs. */
    putCronJob(name: string) {
      const template = { spec: { containers, restartPolicy: 'Never' } };
      const annotations = { 'weeder.dev/restart-on-change': 'false' };
      const jobTemplate = { spec: { template } };
      const cronJob = { metadata: { name, namespace, annotations }, spec: { schedule: '0 3 * * *', jobTemplate } };
      const { uid } = made(store.create(cronJobs, cronJob, kubectl)).metadata;
      return { apiVersion: 'batch/v1', kind: 'CronJob', name, uid, controller: true };
    },
    /** Patches a Job, or its status, as another client. */
    patchJob(name: string, patch: JsonObject) {
      const subresource = patch['status'] === undefined ? undefined : ('status' as const);
      made(store.patch(jobs, namespace, name, patch, { ...kubectl, subresource }));
    },
    /** Deletes a Job as another client. */
    deleteJob: (name: string) => void store.delete(jobs, namespace, name),
    job(name: string) {
      const job = store.get(jobs, namespace, name);
      return job === undefined ? undefined : wireObject(jobs, job);
    },
    /** Names of all Jobs, copies included. */
    get names() {
      return store.list(jobs).map(({ metadata }) => metadata.name);
    },
    /** How long its pods take to terminate. Milliseconds. */
    ending: 500,
  };
  startWorkloads(store, clock);
  startKubelet({ store, clock, version: '1.36', seed: 1, startTime: 0, terminationTime: () => world.ending });
  await restarts.restart();
  return world;
}

function textOfWrite({ method, path, body }: ApiRequest): string | undefined {
  const { dryRun, metadata } = objectOf(body);
  if (method === 'GET' || dryRun !== undefined) return undefined;
  return `${method} ${method === 'POST' ? textOf(objectOf(metadata)['name']) : path.split('/').at(-1)}`;
}
