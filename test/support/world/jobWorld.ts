import { startKubelet, startWorkloads } from '@weeder/embedded-cluster';
import { wireObject } from '@weeder/embedded-cluster/registry';
import { configMaps, cronJobs, jobs } from '@weeder/embedded-cluster/resources';
import type { ActorRuntime } from '../../../src/actors/actorRuntime.ts';
import { type JsonObject, objectOf, textOf } from '../../../src/base/json.ts';
import type { RestartConfig } from '../../../src/config/restart.ts';
import type { ApiRequest } from '../../../src/kube/client/request.ts';
import { hashKeyOf, hashKeysOf } from '../../../src/restart/digest/hashKeys.ts';
import type { RestartEvent } from '../../../src/restart/model/events.ts';
import { restartApi } from '../../../src/restart/requests/restartApi.ts';
import type { RestartControl } from '../../../src/restart/restartControl.ts';
import { type CreateRestartCore, createRestartCore, type RestartCore } from '../../../src/restart/restartCore.ts';
import { type Fault, simulatedCluster } from './cluster.ts';
import { made } from './embedded.ts';
import { settled, type VirtualClock, virtualClock } from './virtualClock.ts';

/** Jobs with their pods in a simulated cluster, and a weeder that may be replaced. */
export interface JobWorld {
  readonly clock: VirtualClock;
  readonly events: RestartEvent[];
  /** Every write, such as `DELETE once`; a dry run does not count. */
  readonly writes: string[];
  /** Called before each write, with its text. */
  fault: (write: string) => Fault | undefined;
  control(): RestartControl;
  putSource(data: Readonly<Record<string, string>>): void;
  /** Creates a Job with a running pod, unless the Job is suspended; it uses the ConfigMap `settings`. */
  putJob(name: string, more?: { readonly metadata?: JsonObject; readonly spec?: JsonObject }): void;
  /** Creates a CronJob that is not managed, and returns the reference of its Jobs. */
  putCronJob(name: string): JsonObject;
  /** Patches a Job, or its status, as another client. */
  patchJob(name: string, patch: JsonObject): void;
  /** Deletes a Job as another client. */
  deleteJob(name: string): void;
  job(name: string): JsonObject | undefined;
  /** Names of all Jobs, copies included. */
  readonly names: readonly string[];
  /** How long its pods take to terminate. Milliseconds. */
  ending: number;
  configure(config: RestartConfig): void;
  /** Kills the weeder, and starts another one. */
  replace(): Promise<void>;
  stop(): void;
  pass(ms: number): Promise<void>;
  eventsOf<T extends RestartEvent['type']>(type: T): Extract<RestartEvent, { type: T }>[];
}

const namespace = 'shop';
const kubectl = { manager: 'kubectl' };
const containers = [{ name: 'app', image: 'app:1', envFrom: [{ configMapRef: { name: 'settings' } }] }];

export async function jobWorld(
  firstConfig: RestartConfig,
  its: {
    readonly inspect?: ActorRuntime['inspect'];
    readonly isDryRun?: boolean;
    readonly clock?: VirtualClock;
    /** Restart control, as a recorder creates it. */
    readonly createRestart?: CreateRestartCore;
  } = {},
): Promise<JobWorld> {
  const { clock = virtualClock(), createRestart = createRestartCore } = its;
  const cluster = simulatedCluster(clock);
  const { store } = cluster.server;
  const events: RestartEvent[] = [];
  const writes: string[] = [];
  let config = firstConfig;
  let core: RestartCore | undefined;
  let closeStreams = () => {};

  function faultOf(request: ApiRequest): Fault | undefined {
    const text = textOfWrite(request);
    const fault = text === undefined ? undefined : world.fault(text);
    if (text !== undefined) writes.push(text);
    return fault;
  }

  function begin(): void {
    const key = hashKeyOf(Buffer.alloc(32, 7));
    const next = createRestart({
      runtime: its.inspect === undefined ? { clock } : { clock, inspect: its.inspect },
      api: restartApi(cluster.client(faultOf)),
      report: (event: RestartEvent) => void events.push(event),
      isDryRun: its.isDryRun ?? false,
      random: () => 0.5,
      config: { services: new Map(), restart: config },
      namespaces: 'all',
      shard: undefined,
      ownNamespace: 'weeder',
      watchHashKeys({ onKeys, onChecked }) {
        onKeys(hashKeysOf(key, [key]));
        onChecked();
        return () => undefined;
      },
      onStreamsChanged: () => undefined,
      onStreamClosed: () => undefined,
    });
    closeStreams = cluster.follow(next.needs.values());
    next.start();
    core = next;
  }

  function stop(): void {
    closeStreams();
    core?.stop();
  }

  async function untilIdle(): Promise<void> {
    for (let turns = 0; turns < 2; turns = (core?.control()?.counts().inFlight ?? 0) <= cluster.waiting ? turns + 1 : 0)
      await settled();
  }

  async function pass(ms: number): Promise<void> {
    const end = clock.monotonic() + ms;
    do {
      await untilIdle();
      const due = Math.min(end, clock.nextDue ?? end);
      clock.advance(Math.max(0, due - clock.monotonic()));
      await untilIdle();
    } while (clock.monotonic() < end || (clock.nextDue ?? Number.POSITIVE_INFINITY) <= end);
  }

  const world: JobWorld = {
    clock,
    events,
    writes,
    fault: () => undefined,
    control: () => core?.control() ?? fail(),
    putSource(data) {
      const known = store.get(configMaps, namespace, 'settings');
      made(
        known === undefined
          ? store.create(configMaps, { metadata: { name: 'settings', namespace }, data }, kubectl)
          : store.update(configMaps, { ...known, data }, kubectl),
      );
    },
    putJob(name, { metadata = {}, spec = {} } = {}) {
      const template = { metadata: { labels: { app: name } }, spec: { containers, restartPolicy: 'Never' } };
      const job = { metadata: { name, namespace, ...metadata }, spec: { parallelism: 1, template, ...spec } };
      made(store.create(jobs, job, kubectl));
    },
    putCronJob(name) {
      const template = { spec: { containers, restartPolicy: 'Never' } };
      const annotations = { 'weeder.dev/restart-on-change': 'false' };
      const jobTemplate = { spec: { template } };
      const cronJob = { metadata: { name, namespace, annotations }, spec: { schedule: '0 3 * * *', jobTemplate } };
      const { uid } = made(store.create(cronJobs, cronJob, kubectl)).metadata;
      return { apiVersion: 'batch/v1', kind: 'CronJob', name, uid, controller: true };
    },
    patchJob(name, patch) {
      const subresource = patch['status'] === undefined ? undefined : ('status' as const);
      made(store.patch(jobs, namespace, name, patch, { ...kubectl, subresource }));
    },
    deleteJob: (name) => void store.delete(jobs, namespace, name),
    job(name) {
      const job = store.get(jobs, namespace, name);
      return job === undefined ? undefined : wireObject(jobs, job);
    },
    get names() {
      return store.list(jobs).map(({ metadata }) => metadata.name);
    },
    ending: 500,
    configure(next) {
      config = next;
      core?.configure({ services: new Map(), restart: next });
    },
    async replace() {
      stop();
      begin();
      await untilIdle();
    },
    stop,
    pass,
    eventsOf: (type) =>
      events.filter((event): event is Extract<RestartEvent, { type: typeof type }> => event.type === type),
  };
  startWorkloads(store, clock);
  startKubelet({ store, clock, version: '1.36', seed: 1, startTime: 0, terminationTime: () => world.ending });
  begin();
  await untilIdle();
  return world;
}

function textOfWrite({ method, path, body }: ApiRequest): string | undefined {
  const { dryRun, metadata } = objectOf(body);
  if (method === 'GET' || dryRun !== undefined) return undefined;
  return `${method} ${method === 'POST' ? textOf(objectOf(metadata)['name']) : path.split('/').at(-1)}`;
}

function fail(): never {
  throw new Error('the object does not exist');
}
