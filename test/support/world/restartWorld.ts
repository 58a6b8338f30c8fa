import type { ActorRuntime } from '../../../src/actors/actorRuntime.ts';
import { arrayOf, type JsonObject, numberOf, objectOf, textOf } from '../../../src/base/json.ts';
import type { RestartConfig } from '../../../src/config/restart.ts';
import { mergePatch } from '../../../src/kube/objects/mergePatch.ts';
import type { ObjectSink } from '../../../src/kube/watch/sink.ts';
import { readContent } from '../../../src/restart/digest/digest.ts';
import { type HashKeys, hashKeyOf, hashKeysOf } from '../../../src/restart/digest/hashKeys.ts';
import { type Answer, answered, type RefusalClass } from '../../../src/restart/model/answer.ts';
import type { RestartEvent } from '../../../src/restart/model/events.ts';
import {
  type SourceKind,
  type SourceRef,
  sourceKey,
  type WorkloadRef,
  workloadKey,
} from '../../../src/restart/model/refs.ts';
import { readSourceMeta, withoutSecrets } from '../../../src/restart/model/sourceMeta.ts';
import type { RestartApi } from '../../../src/restart/requests/restartApi.ts';
import { createRestartControl, type RestartControl } from '../../../src/restart/restartControl.ts';
import type { CreateRestartCore } from '../../../src/restart/restartCore.ts';
import { restartConfig } from '../objects/restartSettings.ts';
import { settled, type VirtualClock, virtualClock } from './virtualClock.ts';

const second = 1_000;

/** An API server with a controller that rolls Deployments, in simulated time. The latest weeder may be replaced. */
export interface RestartWorld {
  readonly clock: VirtualClock;
  readonly events: RestartEvent[];
  control: RestartControl;
  /** Every change of a pod template, with its time in milliseconds since the start. */
  readonly rollouts: { readonly workload: string; readonly at: number }[];
  /** The workload of each pod list, in order. */
  readonly listed: string[];
  /** Pods that use every source, and that belong to no workload. */
  foreignPods: readonly JsonObject[];
  /** Why no pod may be evicted now. */
  evictionRefusal: string | undefined;
  /** The names of the pods that were evicted. */
  readonly evicted: string[];
  /** Another client restores the template from before weeder's. */
  restoreTemplate(name: string): void;
  /** The newest pod of a workload cannot start. */
  breakPods(name: string): void;
  /** The controller creates a pod of the newest template, whose container waits. */
  createPod(name: string): void;
  /** The container of that pod runs; the pod is not ready yet. */
  startPod(name: string): void;
  /** Every container of a workload terminates, and is restarted in its pod. */
  crash(name: string): void;
  /** Adds one more pod, from the current template. */
  scaleUp(name: string): void;
  /** How long a rollout takes; Infinity: it never ends. */
  rolloutTime: number;
  /** How long the API server takes to read a source, or to list pods. */
  answerTime: number;
  putSource(ref: SourceRef, data: Readonly<Record<string, string>>, more?: JsonObject): void;
  deleteSource(ref: SourceRef): void;
  /** The `managedFields` of a source. */
  managersOf(ref: SourceRef): readonly unknown[];
  /** A Deployment with one pod and this template. */
  putWorkload(
    name: string,
    spec: JsonObject,
    more?: { readonly annotations?: Readonly<Record<string, string>>; readonly namespace?: string },
  ): void;
  deleteWorkload(name: string): void;
  patchTemplate(name: string, patch: JsonObject): void;
  annotate(name: string, annotations: JsonObject): void;
  /** Another client applies a merge patch to a workload. */
  change(name: string, patch: JsonObject): void;
  /**
   * `kubectl rollout undo`: restores the template of the previous revision, with what was written on the workload then.
   */
  undo(name: string): void;
  /** Another client patches the spec. */
  patchSpec(name: string, spec: JsonObject): void;
  /** Sets the number of old revisions that are retained. */
  limitRevisions(name: string, limit: number): void;
  /** The Deployment controller is stopped: no status changes. */
  isUnobserved: boolean;
  /** The class by which every list of pods is refused. */
  refuseLists: RefusalClass | undefined;
  /** The class by which every write is refused. */
  refuseWrites: RefusalClass | undefined;
  /** Replaces the key; the old one is lost. */
  changeKey(seed: number): void;
  workload(name: string): JsonObject;
  pods(name: string): readonly JsonObject[];
  /** Applies this config from now on. */
  configure(config: RestartConfig): void;
  /** Another weeder takes over, from what the API server has. */
  restart(): Promise<void>;
  /** The same, without waiting for its first decisions. */
  start(): void;
  /** The weeder ends. */
  stop(): void;
  pass(ms: number): Promise<void>;
  eventsOf<T extends RestartEvent['type']>(type: T): Extract<RestartEvent, { type: T }>[];
}

export interface RestartWorldOptions {
  readonly isDryRun?: boolean;
  readonly inspect?: ActorRuntime['inspect'];
  readonly namespaces?: readonly string[];
  readonly clock?: VirtualClock;
  /** Called for each event when it is reported. */
  readonly onEvent?: (event: RestartEvent) => void;
  /** Called when the pods of a workload have been created or replaced. */
  readonly onPods?: (workload: string) => void;
  /** Restart control with its streams and keys, as a recorder creates it; default: without them. */
  readonly createRestart?: CreateRestartCore;
  /** Whether a response of the API server waits for time to pass. */
  readonly isDelayed?: () => boolean;
}

/** A revision in `kubectl rollout history`: a template, and what weeder had written on the workload by then. */
interface Revision {
  readonly template: JsonObject;
  readonly written: string | undefined;
}

export const namespace = 'shop';

function keysOf(seed: number): HashKeys {
  const key = hashKeyOf(Buffer.alloc(32, seed));
  return hashKeysOf(key, [key]);
}

export async function restartWorld(config?: RestartConfig, its?: RestartWorldOptions): Promise<RestartWorld> {
  const world = createRestartWorld(config, its);
  await world.restart();
  return world;
}

/** The same without a weeder, until one is started. */
export function createRestartWorld(
  firstConfig: RestartConfig = restartConfig(),
  its: RestartWorldOptions = {},
): RestartWorld {
  const { clock = virtualClock() } = its;
  const began = clock.now();
  const events: RestartEvent[] = [];
  const sources = new Map<string, JsonObject>();
  const workloads = new Map<string, JsonObject>();
  const pods = new Map<string, JsonObject[]>();
  const rollouts: RestartWorld['rollouts'] = [];
  /**
   * The template that the pods were created from: a template that is restored within a rollout finds them still
   * running.
   */
  const madeFrom = new Map<string, string>();
  const revisions = new Map<string, Revision[]>();
  const evicted: string[] = [];
  const listed: string[] = [];
  let config = firstConfig;
  let version = 100;
  let keys = keysOf(7);
  let control: RestartControl | undefined;
  let stop = () => {};
  let configure = (_next: RestartConfig) => {};
  let sinks:
    | {
        readonly workloads: ObjectSink;
        readonly sources: Readonly<Record<SourceKind, ObjectSink>>;
      }
    | undefined;

  const stamp = () => `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
  const newVersion = () => {
    version += 1;
    return String(version);
  };

  function metaOf(object: JsonObject): JsonObject {
    return objectOf(object['metadata']);
  }

  function makePods(name: string, kept: readonly JsonObject[] = []): void {
    const metadata = {
      name: `${name}-${newVersion()}`,
      namespace: metaOf(workloads.get(name) ?? {})['namespace'],
      uid: `pod-${version}`,
      resourceVersion: String(version),
    };
    const owner = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid: `rs-${name}`, controller: true }];
    const status = {
      phase: 'Running',
      containerStatuses: [
        { name: 'app', ready: true, started: true, restartCount: 0, state: { running: { startedAt: stamp() } } },
      ],
      conditions: [{ type: 'Ready', status: 'True' }],
    };
    madeFrom.set(name, templateOf(workloads.get(name) ?? {}));
    const template = objectOf(objectOf(objectOf(workloads.get(name) ?? {})['spec'])['template']);
    const { annotations } = objectOf(template['metadata']);
    pods.set(name, [
      ...kept,
      {
        metadata: {
          ...metadata,
          labels: { app: name },
          annotations,
          creationTimestamp: stamp(),
          ownerReferences: owner,
        },
        spec: { nodeName: 'one' },
        status,
      },
    ]);
    its.onPods?.(name);
  }

  /** Adds one more pod of the newest template, with this status. */
  function addPod(name: string, uid: string, status: JsonObject): void {
    const [old] = pods.get(name) ?? [];
    const template = objectOf(objectOf(objectOf(workloads.get(name) ?? {})['spec'])['template']);
    const { annotations } = objectOf(template['metadata']);
    const metadata = { ...metaOf(old ?? {}), name: `${name}-${uid}`, uid, annotations };
    pods.set(name, [...(pods.get(name) ?? []), { ...old, metadata, status }]);
  }

  function templateOf(object: JsonObject): string {
    return JSON.stringify(objectOf(objectOf(object['spec'])['template'])).replace(',"annotations":{}', '');
  }

  function isPaused(object: JsonObject | undefined): boolean {
    return objectOf(object?.['spec'])['paused'] === true;
  }

  function store(name: string, object: JsonObject): JsonObject {
    const before = workloads.get(name);
    const isRolled = before === undefined || templateOf(before) !== templateOf(object);
    const generation = (numberOf(metaOf(before ?? {})['generation']) ?? 0) + 1;
    const metadata = { ...metaOf(object), generation, resourceVersion: newVersion() };
    const stored = { ...object, metadata };
    workloads.set(name, stored);
    deliver(name, before === undefined ? 'ADDED' : 'MODIFIED');
    if (before !== undefined && isRolled) rollouts.push({ workload: name, at: clock.now() - began });
    storeRevision(name, stored, isRolled);
    if (replicasOf(stored) === 0 || (before !== undefined && replicasOf(before) === 0))
      clock.setTimeout(() => scale(name), world.rolloutTime);
    else reconcile(name, stored, isRolled || isPaused(before));
    return stored;
  }

  function replicasOf(object: JsonObject): number {
    return numberOf(objectOf(object['spec'])['replicas']) ?? 1;
  }

  function scale(name: string): void {
    const now = workloads.get(name);
    if (now === undefined) return;
    if (replicasOf(now) > 0) makePods(name);
    else pods.set(name, []);
    if (replicasOf(now) === 0) madeFrom.delete(name);
    finish(name);
  }

  /** What the Deployment controller does about a change. */
  function reconcile(name: string, stored: JsonObject, isDue: boolean): void {
    const template = templateOf(stored);
    if (madeFrom.get(name) === template) finish(name);
    else if (isPaused(stored)) observe(name, { updatedReplicas: 0 });
    else if (isDue && Number.isFinite(world.rolloutTime))
      clock.setTimeout(() => roll(name, template), world.rolloutTime);
  }

  /** Completes the rollout unless the template changes meanwhile. */
  function roll(name: string, template: string): void {
    const now = workloads.get(name);
    if (now === undefined || templateOf(now) !== template || madeFrom.get(name) === template || isPaused(now)) return;
    makePods(name);
    finish(name);
  }

  /** The annotations of a Deployment are copied to its newest ReplicaSet, which is its newest revision. */
  function storeRevision(name: string, object: JsonObject, isNew: boolean): void {
    const template = objectOf(objectOf(object['spec'])['template']);
    const known = revisions.get(name) ?? [];
    revisions.set(name, [...(isNew ? known : known.slice(0, -1)), { template, written: stateOn(object) }]);
  }

  function finish(name: string): void {
    observe(name, { updatedReplicas: 1 });
  }

  /** The controller has observed the template, and this is the progress of its pods. */
  function observe(name: string, progress: { readonly updatedReplicas: number }): void {
    const now = workloads.get(name);
    if (now === undefined || world.isUnobserved) return;
    const replicas = numberOf(objectOf(now['spec'])['replicas']) ?? 1;
    const status = {
      observedGeneration: metaOf(now)['generation'],
      replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
      updatedReplicas: progress.updatedReplicas * replicas,
    };
    workloads.set(name, { ...now, metadata: { ...metaOf(now), resourceVersion: newVersion() }, status });
    deliver(name, 'MODIFIED');
  }

  function deliver(name: string, type: 'ADDED' | 'MODIFIED' | 'DELETED'): void {
    sinks?.workloads.apply(type, workloads.get(name));
  }

  async function answerDue(): Promise<void> {
    await settled();
    if (world.answerTime > 0) await new Promise<void>((resolve) => clock.setTimeout(resolve, world.answerTime));
  }

  const api: RestartApi = {
    async readSource(ref) {
      await answerDue();
      const found = sources.get(sourceKey(ref));
      const meta = found === undefined ? undefined : readSourceMeta(found, ref.kind);
      if (found === undefined || meta === undefined) return { is: 'notFound' };
      return answered({ uid: meta.uid, resourceVersion: meta.resourceVersion, content: readContent(found), meta });
    },
    readWorkload: async ({ name }: WorkloadRef) => found(workloads.get(name)),
    async patchWorkload({ name }, patch) {
      await settled();
      const object = workloads.get(name);
      const failure = world.refuseWrites;
      if (failure !== undefined) return { is: 'refused', reason: 'not allowed', failure, retryAfter: 0 };
      if (object === undefined) return { is: 'notFound' };
      const expectedVersion = textOf(objectOf(objectOf(patch)['metadata'])['resourceVersion']);
      if (expectedVersion !== undefined && expectedVersion !== metaOf(object)['resourceVersion'])
        return { is: 'conflicted' };
      return answered(store(name, mergePatch(object, objectOf(patch))));
    },
    async listPods(_namespace, selector) {
      await answerDue();
      const failure = world.refuseLists;
      if (failure !== undefined) return { is: 'refused', reason: 'not allowed', failure, retryAfter: 0 };
      listed.push(selector.matchLabels?.['app'] ?? '');
      return answered(pods.get(selector.matchLabels?.['app'] ?? '') ?? []);
    },
    podsUsing: async () => answered(world.foreignPods),
    // This world has no Jobs; `jobWorld` has.
    storeCopy: fail,
    deleteJob: fail,
    recreateJob: fail,
    deleteCopy: fail,
    async evict({ name }) {
      const found = [...pods].find(([, its]) => its.some((pod) => metaOf(pod)['name'] === name));
      if (found === undefined) return { is: 'notFound' };
      if (world.evictionRefusal !== undefined)
        return { is: 'refused', reason: world.evictionRefusal, failure: 'budget', retryAfter: 0 };
      evicted.push(name);
      makePods(found[0]);
      finish(found[0]);
      return answered(undefined);
    },
  };

  function found(object: JsonObject | undefined): Answer<JsonObject> {
    return object === undefined ? { is: 'notFound' } : answered(object);
  }

  /** Waits until every request has been answered, and the requests that follow from it have been sent. */
  async function untilIdle(): Promise<void> {
    let turns = 0;
    while (turns < 2) {
      await settled();
      // Work that waits for time to pass is not awaited here.
      const isOver = (control?.counts().inFlight ?? 0) === 0 || its.isDelayed?.() === true || world.answerTime > 0;
      turns = isOver ? turns + 1 : 0;
    }
  }

  async function pass(ms: number): Promise<void> {
    const end = clock.monotonic() + ms;
    for (;;) {
      await untilIdle();
      const due = Math.min(end, clock.nextDue ?? end);
      clock.advance(Math.max(0, due - clock.monotonic()));
      if (clock.monotonic() < end) continue;
      await untilIdle();
      if ((clock.nextDue ?? Number.POSITIVE_INFINITY) > end) return;
    }
  }

  const options = {
    runtime: its.inspect === undefined ? { clock } : { clock, inspect: its.inspect },
    api,
    report(event: RestartEvent) {
      events.push(event);
      its.onEvent?.(event);
    },
    isDryRun: its.isDryRun ?? false,
    namespaces: its.namespaces ?? ('all' as const),
    random: () => 0.5,
  };

  /** Delivers the current complete lists. */
  function list(all: NonNullable<typeof sinks>): void {
    for (const sink of [all.workloads, ...Object.values(all.sources)]) sink.begin();
    for (const object of workloads.values()) all.workloads.apply('ADDED', object);
    for (const object of sources.values())
      all.sources[object['kind'] === 'Secret' ? 'Secret' : 'ConfigMap'].apply('ADDED', withoutSecrets(object));
    for (const sink of [all.workloads, ...Object.values(all.sources)]) sink.end('1');
  }

  function begin(): RestartControl {
    if (its.createRestart !== undefined) return beginCore(its.createRestart);
    const next = createRestartControl({
      ...options,
      config,
      hasRead: () => true,
      hasReadWorkload: () => true,
      onUsed: () => undefined,
    });
    sinks = {
      workloads: next.createWorkloadSink('Deployment'),
      sources: { ConfigMap: next.createSourceSink('ConfigMap'), Secret: next.createSourceSink('Secret') },
    };
    list(sinks);
    next.useKeys(keys);
    next.start();
    stop = () => next.stop();
    configure = (other) => next.configure(other);
    return next;
  }

  function beginCore(create: CreateRestartCore): RestartControl {
    const core = create({
      ...options,
      config: { services: new Map(), restart: config },
      shard: undefined,
      ownNamespace: 'weeder',
      watchHashKeys({ onKeys, onChecked }) {
        onKeys(keys);
        onChecked();
        return () => undefined;
      },
      onStreamsChanged: () => undefined,
      onStreamClosed: () => undefined,
    });
    const sinkOf = (stream: string) => core.needs.get(stream)?.sink ?? fail();
    sinks = {
      workloads: sinkOf('deployments'),
      sources: { ConfigMap: sinkOf('configmaps'), Secret: sinkOf('secrets') },
    };
    for (const stream of ['statefulsets', 'daemonsets', 'cronjobs', 'jobs']) {
      sinkOf(stream).begin();
      sinkOf(stream).end('1');
    }
    list(sinks);
    core.start();
    stop = core.stop;
    configure = (restart) => core.configure({ services: new Map(), restart });
    return core.control() ?? fail();
  }

  const world: RestartWorld = {
    clock,
    events,
    get control() {
      return control ?? fail();
    },
    rollouts,
    listed,
    evicted,
    restoreTemplate(name) {
      const annotations = { 'weeder.dev/dependencies-hash': null };
      store(name, mergePatch(workloads.get(name), { spec: { template: { metadata: { annotations } } } }));
    },
    crash(name) {
      const running = { startedAt: stamp() };
      const crashed = (pods.get(name) ?? []).map(({ status, ...pod }) => {
        const containerStatuses = arrayOf(objectOf(status)['containerStatuses']).map((each) => ({
          ...objectOf(each),
          restartCount: (numberOf(objectOf(each)['restartCount']) ?? 0) + 1,
          state: { running },
        }));
        return { ...pod, status: { ...objectOf(status), containerStatuses } };
      });
      pods.set(name, crashed);
    },
    scaleUp(name) {
      const replicas = (pods.get(name) ?? []).length + 1;
      const before = pods.get(name);
      store(name, mergePatch(workloads.get(name), { spec: { replicas } }));
      makePods(name, before);
      finish(name);
    },
    createPod(name) {
      addPod(name, 'new', starting({ waiting: { reason: 'ContainerCreating' } }));
      observe(name, { updatedReplicas: 0 });
    },
    startPod(name) {
      const isNew = (pod: JsonObject) => metaOf(pod)['uid'] === 'new';
      const its = pods.get(name) ?? [];
      pods.set(
        name,
        its.map((pod) => (isNew(pod) ? { ...pod, status: starting({ running: {} }) } : pod)),
      );
    },
    breakPods(name) {
      const waiting = { reason: 'ImagePullBackOff' };
      const containerStatuses = [{ name: 'app', restartCount: 0, state: { waiting } }];
      addPod(name, 'broken', { phase: 'Pending', containerStatuses });
      store(name, workloads.get(name) ?? fail());
      finish(name);
    },
    evictionRefusal: undefined,
    foreignPods: [],
    rolloutTime: 3 * second,
    answerTime: 0,
    refuseWrites: undefined,
    patchSpec(name, spec) {
      store(name, mergePatch(workloads.get(name), { spec }));
    },
    isUnobserved: false,
    refuseLists: undefined,
    limitRevisions(name, limit) {
      store(name, mergePatch(workloads.get(name), { spec: { revisionHistoryLimit: limit } }));
    },
    putSource(ref, data, more = {}) {
      const before = sources.get(sourceKey(ref));
      const uid = textOf(metaOf(before ?? {})['uid']) ?? `source-${newVersion()}`;
      const bytes =
        ref.kind === 'Secret'
          ? Object.entries(data).map(([name, text]) => [name, Buffer.from(text).toString('base64')])
          : Object.entries(data);
      const field = {
        manager: 'kubectl',
        operation: 'Update',
        time: stamp(),
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': {} },
      };
      const created = textOf(metaOf(before ?? {})['creationTimestamp']) ?? stamp();
      const metadata = {
        name: ref.name,
        namespace: ref.namespace,
        uid,
        resourceVersion: newVersion(),
        creationTimestamp: created,
        managedFields: [field],
        ...objectOf(more['metadata']),
      };
      const object = { apiVersion: 'v1', kind: ref.kind, ...more, metadata, data: Object.fromEntries(bytes) };
      sources.set(sourceKey(ref), object);
      sinks?.sources[ref.kind].apply(before === undefined ? 'ADDED' : 'MODIFIED', withoutSecrets(object));
    },
    managersOf: (ref) => arrayOf(metaOf(sources.get(sourceKey(ref)) ?? {})['managedFields']),
    deleteSource(ref) {
      const object = sources.get(sourceKey(ref));
      sources.delete(sourceKey(ref));
      if (object !== undefined) sinks?.sources[ref.kind].apply('DELETED', withoutSecrets(object));
    },
    putWorkload(name, spec, { annotations = {}, namespace: own = namespace } = {}) {
      const template = { metadata: { labels: { app: name } }, spec };
      store(name, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name, namespace: own, uid: `uid-${name}`, annotations },
        spec: { replicas: 1, selector: { matchLabels: { app: name } }, template },
      });
      makePods(name);
      finish(name);
    },
    deleteWorkload(name) {
      deliver(name, 'DELETED');
      workloads.delete(name);
      madeFrom.delete(name);
      pods.delete(name);
    },
    patchTemplate(name, patch) {
      store(name, mergePatch(workloads.get(name), { spec: { template: patch } }));
    },
    annotate(name, annotations) {
      store(name, mergePatch(workloads.get(name), { metadata: { annotations } }));
    },
    changeKey(seed) {
      keys = keysOf(seed);
    },
    workload: (name) => workloads.get(name) ?? fail(),
    pods: (name) => pods.get(name) ?? [],
    change(name, patch) {
      store(name, mergePatch(workloads.get(name), patch));
    },
    undo(name) {
      const { template, written } = revisions.get(name)?.at(-2) ?? fail();
      const now = workloads.get(name) ?? fail();
      const annotations = { 'weeder.dev/dependencies': written ?? null };
      store(name, mergePatch({ ...now, spec: { ...objectOf(now['spec']), template } }, { metadata: { annotations } }));
    },
    stop: () => stop(),
    start() {
      stop();
      control = begin();
    },
    async restart() {
      world.start();
      await pass(1);
    },
    configure(next) {
      config = next;
      configure(next);
    },
    pass,
    eventsOf: (type) =>
      events.filter((event): event is Extract<RestartEvent, { type: typeof type }> => event.type === type),
  };
  return world;
}

function starting(state: JsonObject): JsonObject {
  const app = { name: 'app', ready: false, started: false, restartCount: 0, state };
  return { phase: 'Pending', containerStatuses: [app] };
}

function fail(): never {
  throw new Error('the object does not exist');
}

export function configMap(name: string): SourceRef {
  return { kind: 'ConfigMap', namespace, name };
}

/** A template whose only container takes one key into its environment. */
export function withEnv(source: string, entry: string, isOptional = false): JsonObject {
  const configMapKeyRef = { name: source, key: entry, ...(isOptional ? { optional: true } : {}) };
  return { containers: [{ name: 'app', image: 'app:1', env: [{ name: 'VALUE', valueFrom: { configMapKeyRef } }] }] };
}

/** The state that is stored on a workload. */
export function stateOn(object: JsonObject): string | undefined {
  return textOf(objectOf(objectOf(object['metadata'])['annotations'])['weeder.dev/dependencies']);
}

export function idOf(name: string): string {
  return workloadKey({ kind: 'Deployment', namespace, name });
}
