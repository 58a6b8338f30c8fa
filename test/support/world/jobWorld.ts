import type { ActorRuntime } from '../../../src/actors/actorRuntime.ts';
import { type JsonObject, objectOf, textOf } from '../../../src/base/json.ts';
import type { RestartConfig } from '../../../src/config/restart.ts';
import type { ApiResult, KubeClient } from '../../../src/kube/client/client.ts';
import type { ApiRequest } from '../../../src/kube/client/request.ts';
import { mergePatch } from '../../../src/kube/objects/mergePatch.ts';
import type { ObjectSink } from '../../../src/kube/watch/sink.ts';
import { hashKeyOf, hashKeysOf } from '../../../src/restart/digest/hashKeys.ts';
import type { RestartEvent } from '../../../src/restart/model/events.ts';
import { withoutSecrets } from '../../../src/restart/model/sourceMeta.ts';
import { restartApi } from '../../../src/restart/requests/restartApi.ts';
import { createRestartControl, type RestartControl } from '../../../src/restart/restartControl.ts';
import type { CreateRestartCore } from '../../../src/restart/restartCore.ts';
import { settled, type VirtualClock, virtualClock } from './virtualClock.ts';

/**
 * What happens to a request: it fails before it arrives, its response is lost, or it arrives only after so many ms
 * (`late`: when the client no longer waits for it; `slow`: the client still waits).
 */
export type Fault =
  | 'unsent'
  | 'lost'
  | { readonly late: number }
  | { readonly slow: number }
  | { readonly status: number };

/** An API server with one namespace of Jobs and ConfigMaps, in simulated time, and a weeder that may be replaced. */
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
  /** Patches a Job as another client. */
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
const uses = { envFrom: [{ configMapRef: { name: 'settings' } }] };

export async function jobWorld(
  firstConfig: RestartConfig,
  its: {
    readonly inspect?: ActorRuntime['inspect'];
    readonly isDryRun?: boolean;
    readonly clock?: VirtualClock;
    /** Restart control with its streams and keys, as a recorder creates it; default: without them. */
    readonly createRestart?: CreateRestartCore;
  } = {},
): Promise<JobWorld> {
  const { clock = virtualClock() } = its;
  const events: RestartEvent[] = [];
  const writes: string[] = [];
  const jobs = new Map<string, JsonObject>();
  const pods = new Map<string, JsonObject>();
  let config = firstConfig;
  let source: JsonObject | undefined;
  let version = 100;
  let control: RestartControl | undefined;
  let sinks: { readonly jobs: ObjectSink; readonly sources: ObjectSink } | undefined;
  const stamp = () => `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
  const metaOf = (object: JsonObject | undefined) => objectOf(object?.['metadata']);
  const nextVersion = () => {
    version += 1;
    return String(version);
  };

  function store(name: string, object: JsonObject): JsonObject {
    const type = jobs.has(name) ? 'MODIFIED' : 'ADDED';
    const stored = { ...object, metadata: { ...metaOf(object), resourceVersion: nextVersion() } };
    jobs.set(name, stored);
    sinks?.jobs.apply(type, stored);
    return stored;
  }

  function create(object: JsonObject): JsonObject {
    const name = textOf(metaOf(object)['name']) ?? '';
    const uid = `uid-${nextVersion()}`;
    const spec = objectOf(object['spec']);
    const made = { ...metaOf(object), namespace, uid, creationTimestamp: stamp() };
    const template = mergePatch(spec['template'], { metadata: { labels: { 'controller-uid': uid } } });
    const selector = spec['selector'] ?? { matchLabels: { 'controller-uid': uid } };
    const job = store(name, { ...object, kind: 'Job', metadata: made, spec: { ...spec, template, selector } });
    if (spec['suspend'] !== true && spec['parallelism'] !== 0) runPod(name, uid);
    return job;
  }

  function runPod(job: string, uid: string): void {
    const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name: job, uid, controller: true }];
    const running = { name: 'app', ready: true, restartCount: 0, state: { running: { startedAt: stamp() } } };
    const metadata = {
      name: `${job}-${nextVersion()}`,
      namespace,
      uid: `pod-${version}`,
      resourceVersion: `${version}`,
    };
    pods.set(uid, {
      metadata: { ...metadata, creationTimestamp: stamp(), ownerReferences },
      status: { phase: 'Running', containerStatuses: [running], conditions: [{ type: 'Ready', status: 'True' }] },
    });
  }

  function remove(name: string, isForeground: boolean): void {
    const job = jobs.get(name);
    const uid = textOf(metaOf(job)['uid']) ?? '';
    if (job === undefined) return;
    const deleteNow = () => {
      pods.delete(uid);
      if (metaOf(jobs.get(name))['uid'] !== uid) return;
      const last = jobs.get(name);
      jobs.delete(name);
      sinks?.jobs.apply('DELETED', last);
    };
    if (isForeground && pods.has(uid)) {
      store(name, { ...job, metadata: { ...metaOf(job), deletionTimestamp: stamp() } });
      clock.setTimeout(deleteNow, world.ending);
    } else deleteNow();
  }

  function refusal(status: number, reason: string): ApiResult {
    const kind = ({ 403: 'forbidden', 404: 'notFound', 409: 'conflict' } as const)[status] ?? 'unavailable';
    return { ok: false, failure: { kind, status, reason, message: reason } };
  }

  const done = (result: unknown): ApiResult => ({ ok: true, status: 200, body: result });

  function act(request: ApiRequest): ApiResult {
    const { method, path, body } = request;
    if (path.endsWith('/pods'))
      return done({ kind: 'PodList', metadata: { resourceVersion: '1' }, items: [...pods.values()] });
    if (path.endsWith('/configmaps/settings')) return source === undefined ? refusal(404, 'NotFound') : done(source);
    if (method !== 'POST') return actOnJob(request);
    const given = objectOf(body);
    return jobs.has(String(metaOf(given)['name'])) ? refusal(409, 'AlreadyExists') : done(create(given));
  }

  function actOnJob({ method, path, body }: ApiRequest): ApiResult {
    const name = path.split('/').at(-1) ?? '';
    const job = jobs.get(name);
    const given = objectOf(body);
    if (job === undefined) return refusal(404, 'NotFound');
    if (method === 'GET') return done(job);
    const expected = method === 'DELETE' ? objectOf(given['preconditions']) : metaOf(given);
    const isOther = (field: string) => (expected[field] ?? metaOf(job)[field]) !== metaOf(job)[field];
    if (isOther('uid') || isOther('resourceVersion')) return refusal(409, 'Conflict');
    if (method === 'PATCH') return done(store(name, mergePatch(job, given)));
    if (given['dryRun'] === undefined) remove(name, given['propagationPolicy'] === 'Foreground');
    return done(job);
  }

  function textOfWrite({ method, path, body }: ApiRequest): string | undefined {
    const given = objectOf(body);
    if (method === 'GET' || given['dryRun'] !== undefined) return undefined;
    return `${method} ${method === 'POST' ? textOf(metaOf(given)['name']) : path.split('/').at(-1)}`;
  }

  const broken: ApiResult = { ok: false, failure: { kind: 'network', message: 'the connection was lost' } };

  const cancelled: ApiResult = { ok: false, failure: { kind: 'cancelled', message: 'the request was cancelled' } };

  async function call(request: ApiRequest): Promise<ApiResult> {
    await settled();
    const text = textOfWrite(request);
    const fault = text === undefined ? undefined : world.fault(text);
    if (text !== undefined) writes.push(text);
    if (fault === 'unsent') return broken;
    if (fault === undefined) return act(request);
    if (fault === 'lost') {
      act(request);
      return broken;
    }
    if ('status' in fault) return refusal(fault.status, 'Refused');
    if ('slow' in fault) return slowly(request, fault.slow);
    clock.setTimeout(() => void act(request), fault.late);
    return broken;
  }

  /** The number of requests whose responses wait for time to pass. */
  let slow = 0;

  function slowly(request: ApiRequest, after: number): Promise<ApiResult> {
    slow += 1;
    return new Promise((resolve) => {
      clock.setTimeout(() => {
        slow -= 1;
        resolve(request.signal?.aborted ? cancelled : act(request));
      }, after);
    });
  }

  const client: KubeClient = {
    server: 'https://api.test',
    call,
    openStream: async () => ({ ok: false, failure: { kind: 'network', message: 'there are no streams' } }),
    renew: () => {},
    failureOf: () => ({ kind: 'network', message: 'there are no streams' }),
    close: async () => {},
  };

  const options = {
    runtime: its.inspect === undefined ? { clock } : { clock, inspect: its.inspect },
    api: restartApi(client),
    report: (event: RestartEvent) => void events.push(event),
    isDryRun: its.isDryRun ?? false,
    random: () => 0.5,
  };

  function begin(): void {
    if (its.createRestart !== undefined) {
      beginCore(its.createRestart);
      return;
    }
    const next = createRestartControl({
      ...options,
      config,
      hasRead: () => true,
      hasReadWorkload: () => true,
      onUsed: () => undefined,
    });
    sinks = { jobs: next.createWorkloadSink('Job'), sources: next.createSourceSink('ConfigMap') };
    list(sinks);
    const key = hashKeyOf(Buffer.alloc(32, 7));
    next.useKeys(hashKeysOf(key, [key]));
    next.start();
    control = next;
  }

  function beginCore(create: CreateRestartCore): void {
    const key = hashKeyOf(Buffer.alloc(32, 7));
    const core = create({
      ...options,
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
    const sinkOf = (stream: string) => core.needs.get(stream)?.sink ?? fail();
    for (const stream of ['deployments', 'statefulsets', 'daemonsets', 'cronjobs', 'secrets']) {
      sinkOf(stream).begin();
      sinkOf(stream).end('1');
    }
    sinks = { jobs: sinkOf('jobs'), sources: sinkOf('configmaps') };
    list(sinks);
    core.start();
    control = core.control() ?? fail();
  }

  /** Delivers the current complete lists. */
  function list(all: NonNullable<typeof sinks>): void {
    for (const [sink, objects] of [
      [all.jobs, [...jobs.values()]],
      [all.sources, source === undefined ? [] : [withoutSecrets(source)]],
    ] as const) {
      sink.begin();
      for (const object of objects) sink.apply('ADDED', object);
      sink.end('1');
    }
  }

  async function untilIdle(): Promise<void> {
    for (let turns = 0; turns < 2; turns = (control?.counts().inFlight ?? 0) <= slow ? turns + 1 : 0) await settled();
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
    control: () => control ?? fail(),
    putSource(data) {
      const before = source;
      const field = {
        manager: 'kubectl',
        operation: 'Update',
        time: stamp(),
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': {} },
      };
      const metadata = {
        name: 'settings',
        namespace,
        uid: 'uid-of-settings',
        resourceVersion: nextVersion(),
        creationTimestamp: metaOf(before)['creationTimestamp'] ?? stamp(),
        managedFields: [field],
      };
      source = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
      sinks?.sources.apply(before === undefined ? 'ADDED' : 'MODIFIED', withoutSecrets(source));
    },
    putJob(name, { metadata = {}, spec = {} } = {}) {
      const containers = [{ name: 'app', image: 'app:1', ...uses }];
      const template = { metadata: { labels: { app: name } }, spec: { containers, restartPolicy: 'Never' } };
      create({ apiVersion: 'batch/v1', metadata: { name, ...metadata }, spec: { parallelism: 1, template, ...spec } });
    },
    patchJob(name, patch) {
      store(name, mergePatch(jobs.get(name), patch));
    },
    deleteJob: (name) => remove(name, false),
    job: (name) => jobs.get(name),
    get names() {
      return [...jobs.keys()];
    },
    ending: 500,
    configure(next) {
      config = next;
      control?.configure(next);
    },
    async replace() {
      control?.stop();
      sinks = undefined;
      begin();
      await untilIdle();
    },
    stop: () => control?.stop(),
    pass,
    eventsOf: (type) =>
      events.filter((event): event is Extract<RestartEvent, { type: typeof type }> => event.type === type),
  };
  begin();
  await untilIdle();
  return world;
}

function fail(): never {
  throw new Error('the object does not exist');
}
