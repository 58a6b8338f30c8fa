import type { ActorRuntime } from '../../../src/actors/actorRuntime.ts';
import { arrayOf, type JsonObject, objectOf, textOf } from '../../../src/base/json.ts';
import type { Config } from '../../../src/config/config.ts';
import { type AllowedResources, everythingAllowed } from '../../../src/config/schema/allowedResources.ts';
import { defaultObserver } from '../../../src/config/schema/observer.ts';
import { mergePatch } from '../../../src/kube/objects/mergePatch.ts';
import type { ApplyFailure, Outcome } from '../../../src/observer/model/applyFailure.ts';
import type { ObserverEvent } from '../../../src/observer/model/events.ts';
import { finalizer, labelName } from '../../../src/observer/model/fieldManagers.ts';
import { identityKey } from '../../../src/observer/model/identity.ts';
import { type SchemaNode, unknownNode } from '../../../src/observer/model/schemaNode.ts';
import { type CreateObserverCore, createObserverCore, type ObserverCore } from '../../../src/observer/observerCore.ts';
import type {
  AccessVerb,
  Applied,
  DryRun,
  ResourceApi,
  ResourcePlan,
  RestMapper,
  RestMapping,
  Target,
} from '../../../src/observer/plan/resourceApi.ts';
import type { ApplicationLimits } from '../../../src/observer/spec/applicationLimits.ts';
import type { ApplicationApi, ApplicationRef } from '../../../src/observer/status/applicationApi.ts';
import { settled, type VirtualClock, virtualClock } from './virtualClock.ts';

const namespace = 'shop';

/** The requests about a resource, in their order. */
export interface ObserverRequest {
  readonly at: number;
  readonly what:
    | 'create'
    | 'correct'
    | 'update'
    | 'dryRunApply'
    | 'dryRunAgain'
    | 'delete'
    | 'release'
    | 'removeStaleClaim'
    | 'read';
  readonly key: string;
  readonly account: string | undefined;
}

/** An API server with applications and plain objects, in simulated time. */
export interface ObserverWorld {
  readonly clock: VirtualClock;
  readonly events: ObserverEvent[];
  readonly requests: ObserverRequest[];
  core: ObserverCore;
  /** By verb and object (`find Widget`, `create Deployment/web`), and `application`: how the request is refused. */
  readonly refusals: Map<string, ApplyFailure>;
  /** By the same: how long until the response, in milliseconds. */
  readonly slow: Map<string, number>;
  /** By the same, and `status`: how long its response takes after the request was executed, in milliseconds. */
  readonly lateReplies: Map<string, number>;
  /** How a manifest is refused, however it is applied; undefined: it is accepted. */
  rejects: (manifest: JsonObject) => ApplyFailure | undefined;
  /** The kinds that the cluster serves. */
  readonly kinds: Map<string, RestMapping>;
  /** Versions whose paths are not served, although their kinds are known. */
  readonly unserved: Set<string>;
  /** Every write of a status, and its time: milliseconds since the start. */
  readonly statuses: JsonObject[];
  readonly statusesAt: number[];
  /** How long a status write takes, and the maximum number in flight. */
  statusTime: number;
  maxStatusesInFlight: number;
  /** Whether the watch delivers an object's change; otherwise it does so later, or never. */
  sendsEvents: boolean;
  /** The maximum number of requests about resources in flight. */
  maxInFlight: number;
  /** Fields of the spec that an apply leaves unchanged in an existing object. */
  unchangedFields: ReadonlySet<string>;
  /** How long a request takes. */
  requestTime: number;
  /** How long the next discovery responses take, in milliseconds; when the list is empty: no time. */
  readonly findTimes: number[];
  /** Namespaces that are being deleted. */
  readonly terminating: Set<string>;
  /** `shop/deployer`. */
  readonly missingAccounts: Set<string>;
  /** The accounts that were looked up, in order. */
  readonly accountLookups: string[];
  /** The rights of an application's account on `Deployment/web`; default: everything. */
  may: (verb: AccessVerb, text: string, account: string | undefined) => boolean;
  /** Whether the account's rights apply to a kind as a whole, or only to its single objects. */
  isAllowedByKind: boolean;
  /** The access reviews of the account, in order: `get kind Deployment/web`, `tryPatch Deployment/web`. */
  readonly accessReviews: string[];
  /** Whether a dry run under another name is accepted; otherwise it is made on the live object. */
  isProbeAccepted: boolean;
  /** Returns the object as admission changes it. */
  admit: (object: JsonObject) => JsonObject;
  /** A user creates the application, or sets this spec. */
  apply(name: string, spec: JsonObject, metadata?: JsonObject): void;
  /** A user deletes the application: it exists until its finalizer is removed. */
  deleteApplication(name: string): void;
  /** Another client empties its status. */
  clearStatus(name: string): void;
  /** Another client replaces its status. */
  replaceStatus(name: string, status: JsonObject): void;
  application(name: string): JsonObject | undefined;
  /** `Deployment/web`. */
  object(text: string): JsonObject | undefined;
  /** Another client applies a merge patch. */
  edit(text: string, patch: JsonObject): void;
  /** Another client creates an object that no application owns. */
  put(object: JsonObject): void;
  remove(text: string): void;
  /** The watch delivers an older version of the object again. */
  redeliver(text: string, object: JsonObject): void;
  /**
   * Returns a function that restores the objects and versions as they are now, and lists them again. No stream delivers
   * what happens in `meanwhile`.
   */
  backUp(): (meanwhile?: () => void) => void;
  condition(name: string, type: string): string | undefined;
  /** The writes to resources, without reads and dry runs. */
  writes(): string[];
  eventsOf<T extends ObserverEvent['type']>(type: T): Extract<ObserverEvent, { type: T }>[];
  /** A weeder starts, with what the API server has. */
  start(): void;
  /** Another weeder takes over, from what the API server has. */
  restart(): Promise<void>;
  stop(): void;
  pass(ms: number): Promise<void>;
}

export interface ObserverWorldOptions {
  readonly isDryRun?: boolean;
  readonly mayUseOwnRights?: boolean;
  /** Milliseconds; default: as in the config. */
  readonly trialPeriod?: number;
  readonly limits?: Partial<ApplicationLimits>;
  /** Default: everything. */
  readonly allow?: AllowedResources;
  readonly inspect?: ActorRuntime['inspect'];
  readonly create?: CreateObserverCore;
  readonly clock?: VirtualClock;
  readonly onEvent?: (event: ObserverEvent) => void;
  readonly onRequest?: (request: ObserverRequest) => void;
  /** Default: the structure of objects is unknown. */
  readonly structure?: SchemaNode;
}

const unservedPath: ApplyFailure = { is: 'typeMissing', reason: 'no such path', retryAfter: 0, fields: [] };

const known: readonly RestMapping[] = [
  { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', isNamespaced: true },
  { group: '', version: 'v1', kind: 'Service', plural: 'services', isNamespaced: true },
  { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', isNamespaced: true },
  { group: '', version: 'v1', kind: 'Secret', plural: 'secrets', isNamespaced: true },
  { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', isNamespaced: false },
  { group: 'example.org', version: 'v1', kind: 'Globe', plural: 'globes', isNamespaced: false },
];

/** The same with a weeder that has started. */
export async function observerWorld(options: ObserverWorldOptions = {}): Promise<ObserverWorld> {
  const world = createObserverWorld(options);
  world.start();
  await world.pass(1);
  return world;
}

export function createObserverWorld(options: ObserverWorldOptions = {}): ObserverWorld {
  const clock = options.clock ?? virtualClock();
  const startedAt = clock.now();
  const applications = new Map<string, JsonObject>();
  const objects = new Map<string, JsonObject>();
  let version = 100;
  let isSilent = false;
  let inFlight = 0;
  let statusesInFlight = 0;
  const newVersion = () => String(++version);
  const config: Config = {
    services: new Map(),
    restart: undefined,
    observer: {
      ...defaultObserver,
      allow: options.allow ?? everythingAllowed,
      ...options.limits,
      trialPeriod: options.trialPeriod ?? 600_000,
    },
  };

  function deliverApplication(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: JsonObject): void {
    if (!isSilent) current?.needs.get('applications')?.sink.apply(type, object);
  }

  function storeApplication(name: string, object: JsonObject): void {
    const metadata: JsonObject = { ...metaOf(object), resourceVersion: newVersion() };
    const isOver = metadata['deletionTimestamp'] !== undefined && arrayOf(metadata['finalizers']).length === 0;
    const stored = { ...object, metadata };
    const isNew = !applications.has(name);
    if (isOver) applications.delete(name);
    else applications.set(name, stored);
    deliverApplication(isOver ? 'DELETED' : isNew ? 'ADDED' : 'MODIFIED', stored);
  }

  /**
   * Delivers a change as a watch by label existence does: an object that lost its label is deleted, in its old version.
   */
  function deliver(before: JsonObject | undefined, after: JsonObject | undefined): void {
    if (!world.sendsEvents || isSilent) return;
    const [was, is] = [labelled(before), labelled(after)];
    if (is !== undefined) sinkOf(is)?.apply(was === undefined ? 'ADDED' : 'MODIFIED', is);
    else if (was !== undefined)
      sinkOf(was)?.apply('DELETED', { ...was, metadata: { ...metaOf(was), resourceVersion: newVersion() } });
  }

  function sinkOf(object: JsonObject) {
    return [...(current?.needs.values() ?? [])].find(({ kind }) => kind === object['kind'])?.sink;
  }

  function store(object: JsonObject): JsonObject {
    const key = keyOf(object);
    const before = objects.get(key);
    const uid = metaOf(before ?? object)['uid'] ?? `uid-${newVersion()}`;
    const admitted = world.admit(object);
    const isSame =
      before !== undefined &&
      JSON.stringify(bare(before)) === JSON.stringify(bare({ ...admitted, metadata: { ...metaOf(admitted), uid } }));
    if (isSame) return before;
    const stored = { ...admitted, metadata: { ...metaOf(admitted), uid, resourceVersion: newVersion() } };
    objects.set(key, stored);
    deliver(before, stored);
    return stored;
  }

  function send<T>(
    what: ObserverRequest['what'],
    target: Target,
    answer: () => Outcome<T>,
    manifest?: JsonObject,
  ): Promise<Outcome<T>> {
    const key = shortOf(target);
    const request = { at: clock.now() - startedAt, what, key, account: target.account };
    world.requests.push(request);
    options.onRequest?.(request);
    inFlight += 1;
    world.maxInFlight = Math.max(world.maxInFlight, inFlight);
    const rejection = manifest === undefined ? undefined : world.rejects(manifest);
    const isServed = !world.unserved.has(target.apiVersion);
    const givenRefusal = world.refusals.get(`${what} ${key}`) ?? world.refusals.get(what) ?? rejection;
    const refusal = isServed ? givenRefusal : unservedPath;
    return new Promise((resolve) => {
      const end = () => {
        const outcome: Outcome<T> = refusal === undefined ? answer() : { ok: false, failure: refusal };
        const reply = () => {
          inFlight -= 1;
          resolve(outcome);
        };
        const late = world.lateReplies.get(`${what} ${key}`);
        if (late === undefined) reply();
        else clock.setTimeout(reply, late);
      };
      const time = world.slow.get(`${what} ${key}`) ?? world.requestTime;
      if (time === 0) void settled().then(end);
      else clock.setTimeout(end, time);
    });
  }

  function applied(plan: ResourcePlan, live: JsonObject): Outcome<Applied> {
    const { manifest, owner } = plan;
    const claimed = textOf(objectOf(metaOf(live)['labels'])[labelName]);
    if (claimed !== undefined && claimed !== owner.label)
      return failure('claimed', 'it belongs to another application');
    const labels = { metadata: { labels: { [labelName]: owner.label } } };
    const before = objects.get(keyOf(manifest.object))?.['metadata'];
    const preserved = Object.entries(objectOf(live['spec'])).filter(([name]) => world.unchangedFields.has(name));
    const desired = mergePatch(mergePatch(live, manifest.object), { ...labels, spec: Object.fromEntries(preserved) });
    const object = store(preserved.length === 0 ? mergePatch(mergePatch(live, manifest.object), labels) : desired);
    const hasChanged = objectOf(before)['resourceVersion'] !== metaOf(object)['resourceVersion'];
    return { ok: true, value: { object, hasChanged, isNew: before === undefined } };
  }

  function applying(what: 'create' | 'correct' | 'update', plan: ResourcePlan, live: JsonObject) {
    const { object } = plan.manifest;
    return send(what, plan.target, () => applied(plan, objects.get(keyOf(object)) ?? live), object);
  }

  function dryRunOf({ manifest }: ResourcePlan): Outcome<DryRun> {
    const live = objects.get(keyOf(manifest.object)) ?? {};
    const object = world.admit(world.isProbeAccepted ? manifest.object : mergePatch(live, manifest.object));
    return { ok: true, value: { object, isIndependent: world.isProbeAccepted } };
  }

  async function respond<T>(text: string, answer: () => Outcome<T>): Promise<Outcome<T>> {
    world.accessReviews.push(text);
    await settled();
    const refusal = world.refusals.get(text.split(' ')[0] ?? '');
    return refusal === undefined ? answer() : { ok: false, failure: refusal };
  }

  const api: ResourceApi = {
    may: (target, verb, extent) =>
      respond(`${verb} ${extent} ${shortOf(target)}`, () => {
        const isGranted = extent === 'object' || world.isAllowedByKind;
        return { ok: true, value: isGranted && world.may(verb, shortOf(target), target.account) };
      }),
    tryPatch: (target) =>
      respond(`tryPatch ${shortOf(target)}`, () => {
        if (!world.may('patch', shortOf(target), target.account)) return failure('forbidden', 'cannot patch');
        return objects.has(identityKey(target.identity))
          ? { ok: true, value: undefined }
          : failure('missing', 'not found');
      }),
    read: (target) => send('read', target, () => ({ ok: true, value: objects.get(identityKey(target.identity)) })),
    create: (plan) => applying('create', plan, {}),
    correct: (plan, live) => applying('correct', plan, live),
    update: (plan, live) => applying('update', plan, live),
    dryRunApply: (plan) => send('dryRunApply', plan.target, () => dryRunOf(plan)),
    dryRunAgain: (plan) => send('dryRunAgain', plan.target, () => dryRunOf(plan)),
    delete: (target, owner, uid) =>
      send('delete', target, () => {
        const object = objects.get(identityKey(target.identity));
        if (object === undefined) return failure('missing', 'not found');
        if (uid !== undefined && metaOf(object)['uid'] !== uid) return failure('otherUid', 'another uid');
        if (objectOf(metaOf(object)['labels'])[labelName] !== owner.label)
          return failure('claimed', 'it belongs to another application');
        objects.delete(identityKey(target.identity));
        deliver(object, undefined);
        return { ok: true, value: undefined };
      }),
    removeStaleClaim: ({ target }) =>
      send('removeStaleClaim', target, () => {
        const object = objects.get(identityKey(target.identity));
        if (object === undefined) return failure('missing', 'not found');
        const marks = { labels: { [labelName]: null }, annotations: { 'weeder.dev/application-name': null } };
        return { ok: true, value: store(mergePatch(object, { metadata: marks })) };
      }),
    release: (target) =>
      send('release', target, () => {
        const object = objects.get(identityKey(target.identity));
        if (object === undefined) return failure('missing', 'not found');
        store(mergePatch(object, { metadata: { labels: { [labelName]: null } } }));
        return { ok: true, value: undefined };
      }),
  };

  const kinds: RestMapper = {
    async find(apiVersion, kind) {
      const refusal = world.refusals.get(`find ${kind}`) ?? world.refusals.get('find');
      const wait = world.slow.get(`find ${kind}`) ?? world.findTimes.shift();
      if (wait !== undefined) await new Promise<void>((resolve) => void clock.setTimeout(resolve, wait));
      if (refusal !== undefined) return { ok: false, failure: refusal };
      const found = [...world.kinds.values()].find(
        (each) =>
          each.kind === kind && apiVersion === (each.group === '' ? each.version : `${each.group}/${each.version}`),
      );
      return found === undefined ? failure('typeMissing', `The cluster has no ${kind}.`) : { ok: true, value: found };
    },
    async findInGroup(group, kind) {
      const refusal = world.refusals.get('findServed');
      if (refusal !== undefined) return { ok: false, failure: refusal };
      const found = [...world.kinds.values()].find((each) => each.kind === kind && each.group === group);
      return found === undefined ? failure('typeMissing', `The cluster has no ${kind}.`) : { ok: true, value: found };
    },
    async topologyOf({ kind }) {
      const refusal = world.refusals.get(`structure ${kind}`);
      const wait = world.slow.get(`structure ${kind}`);
      if (wait !== undefined) await new Promise<void>((resolve) => void clock.setTimeout(resolve, wait));
      return refusal === undefined
        ? { ok: true, value: options.structure ?? unknownNode }
        : { ok: false, failure: refusal };
    },
    async awaitServed(apiVersion, kind, signal) {
      for (;;) {
        await new Promise<void>((resolve) => void clock.setTimeout(resolve, 1_000));
        if (signal.aborted) return failure('cancelled', 'the request was cancelled');
        const found = await kinds.find(apiVersion, kind, signal);
        const structure = found.ok ? await kinds.topologyOf(found.value, signal) : found;
        if (found.ok && structure.ok) return found;
      }
    },
  };

  function changeApplication(ref: ApplicationRef, change: (object: JsonObject) => JsonObject): Outcome<undefined> {
    const object = applications.get(ref.name);
    if (object === undefined) return failure('missing', 'not found');
    if (metaOf(object)['uid'] !== ref.uid) return failure('otherUid', 'another uid');
    storeApplication(ref.name, change(object));
    return { ok: true, value: undefined };
  }

  const applicationApi: ApplicationApi = {
    async read({ name, uid }) {
      await settled();
      const refusal = world.refusals.get('application');
      if (refusal !== undefined) return { ok: false, failure: refusal };
      const object = applications.get(name);
      if (object === undefined) return failure('missing', 'not found');
      return metaOf(object)['uid'] === uid ? { ok: true, value: object } : failure('otherUid', 'another uid');
    },
    async patchStatus(ref, _before, status) {
      const refusal = world.refusals.get('status');
      if (refusal !== undefined) return { ok: false, failure: refusal };
      statusesInFlight += 1;
      world.maxStatusesInFlight = Math.max(world.maxStatusesInFlight, statusesInFlight);
      if (world.statusTime === 0) await settled();
      else await new Promise<void>((resolve) => void clock.setTimeout(resolve, world.statusTime));
      statusesInFlight -= 1;
      const outcome = changeApplication(ref, (object) => mergePatch(object, { status }));
      world.statuses.push(status);
      world.statusesAt.push(clock.now() - startedAt);
      const late = world.lateReplies.get('status') ?? 0;
      if (late > 0) await new Promise<void>((resolve) => void clock.setTimeout(resolve, late));
      return outcome;
    },
    async addFinalizer(ref) {
      await settled();
      return changeApplication(ref, (object) => mergePatch(object, { metadata: { finalizers: [finalizer] } }));
    },
    async removeFinalizer(ref) {
      await settled();
      return changeApplication(ref, (object) => mergePatch(object, { metadata: { finalizers: [] } }));
    },
    async hasAccount(home, name) {
      world.accountLookups.push(`${home}/${name}`);
      const refusal = world.refusals.get('account');
      if (refusal !== undefined) return { ok: false, failure: refusal };
      await settled();
      return { ok: true, value: !world.missingAccounts.has(`${home}/${name}`) };
    },
    isTerminating: async (name) => ({ ok: true, value: world.terminating.has(name) }),
  };

  function begin(): ObserverCore {
    const core = (options.create ?? createObserverCore)({
      config,
      runtime: options.inspect === undefined ? { clock } : { clock, inspect: options.inspect },
      api,
      kinds,
      applications: applicationApi,
      namespaces: 'all',
      shard: undefined,
      isDryRun: options.isDryRun ?? false,
      mayUseOwnRights: options.mayUseOwnRights ?? false,
      random: () => 0.5,
      report(event) {
        world.events.push(event);
        options.onEvent?.(event);
      },
      onStreamsChanged: () => void settled().then(listNew),
      onStreamClosed: (name) => void listed.delete(name),
    });
    core.start();
    return core;
  }

  const listed = new Set<string>();
  let current: ObserverCore | undefined;

  /** Delivers the first list of a stream. */
  function listNew(): void {
    const isNew = ([name]: readonly [string, unknown]) => !listed.has(name);
    for (const [name, { kind, sink }] of [...(current?.needs ?? [])].filter(isNew)) {
      listed.add(name);
      sink.begin();
      const all =
        kind === 'Application'
          ? [...applications.values()]
          : [...objects.values()].filter((each) => labelled(each) !== undefined);
      for (const object of all) if (object['kind'] === kind) sink.apply('ADDED', object);
      sink.end(String(version));
    }
  }

  const world: ObserverWorld = {
    clock,
    events: [],
    requests: [],
    get core(): ObserverCore {
      return current ?? fail('weeder');
    },
    refusals: new Map(),
    slow: new Map(),
    lateReplies: new Map(),
    rejects: () => undefined,
    kinds: new Map(known.map((kind) => [kind.kind, kind])),
    unserved: new Set(),
    statuses: [],
    statusesAt: [],
    statusTime: 0,
    maxStatusesInFlight: 0,
    sendsEvents: true,
    maxInFlight: 0,
    requestTime: 0,
    findTimes: [],
    unchangedFields: new Set(),
    terminating: new Set(),
    missingAccounts: new Set(),
    accountLookups: [],
    may: () => true,
    isAllowedByKind: true,
    accessReviews: [],
    isProbeAccepted: true,
    admit: (object) => object,
    apply(name, spec, more = {}) {
      const before = applications.get(name);
      const generation = Number(metaOf(before ?? {})['generation'] ?? 0) + 1;
      const metadata = { name, namespace, uid: `app-${name}`, ...metaOf(before ?? {}), ...more, generation };
      storeApplication(name, { kind: 'Application', status: before?.['status'], metadata, spec });
    },
    deleteApplication(name) {
      const object = applications.get(name) ?? fail(name);
      const deletionTimestamp = new Date(clock.now()).toISOString();
      storeApplication(name, mergePatch(object, { metadata: { deletionTimestamp } }));
    },
    clearStatus(name) {
      const { status: _, ...object } = applications.get(name) ?? fail(name);
      storeApplication(name, object);
    },
    replaceStatus(name, status) {
      storeApplication(name, { ...(applications.get(name) ?? fail(name)), status });
    },
    application: (name) => applications.get(name),
    object: (text) => objects.get(fullKey(text)),
    edit(text, patch) {
      store(mergePatch(objects.get(fullKey(text)) ?? fail(text), patch));
    },
    put: (object) => void store(object),
    remove(text) {
      const object = objects.get(fullKey(text)) ?? fail(text);
      objects.delete(fullKey(text));
      deliver(object, undefined);
    },
    redeliver: (_text, object) => sinkOf(object)?.apply('MODIFIED', object),
    backUp() {
      const [savedApplications, savedObjects, savedVersion] = [new Map(applications), new Map(objects), version];
      return (meanwhile = () => undefined) => {
        replaceAll(applications, savedApplications);
        replaceAll(objects, savedObjects);
        version = savedVersion;
        isSilent = true;
        meanwhile();
        isSilent = false;
        for (const { sink } of current?.needs.values() ?? []) {
          sink.lost?.();
          sink.rewound?.();
        }
        listed.clear();
        listNew();
      };
    },
    condition(name, type) {
      const { conditions } = objectOf(applications.get(name)?.['status']);
      return textOf(
        arrayOf(conditions)
          .map(objectOf)
          .find((each) => each['type'] === type)?.['status'],
      );
    },
    writes: () => world.requests.filter(({ what }) => !isReadOnly(what)).map(({ what, key }) => `${what} ${key}`),
    eventsOf: (type) =>
      world.events.filter((event): event is Extract<ObserverEvent, { type: typeof type }> => event.type === type),
    start() {
      listed.clear();
      current = begin();
      listNew();
    },
    async restart() {
      current?.stop();
      let isDrained = current === undefined;
      void current?.drained().then(() => {
        isDrained = true;
      });
      // Requests in flight take their time, which has to pass.
      for (await pass(0); !isDrained; ) await pass(100);
      world.start();
      await pass(1);
    },
    stop: () => current?.stop(),
    pass,
  };

  /** Waits until nothing happens any more unless time passes. */
  async function untilIdle(): Promise<void> {
    const happened = () =>
      [world.requests, world.events, world.statuses, world.accessReviews].map(({ length }) => length);
    let before = '';
    for (let unchangedRounds = 0; unchangedRounds < 3; ) {
      await settled();
      const now = JSON.stringify([...happened(), inFlight, version]);
      unchangedRounds = now === before ? unchangedRounds + 1 : 0;
      before = now;
    }
  }

  async function pass(ms: number): Promise<void> {
    const end = clock.monotonic() + ms;
    do {
      await untilIdle();
      clock.advance(Math.max(0, Math.min(end, clock.nextDue ?? end) - clock.monotonic()));
      if (clock.monotonic() >= end) await untilIdle();
    } while (clock.monotonic() < end || (clock.nextDue ?? Number.POSITIVE_INFINITY) <= end);
  }

  return world;
}

/** Whether the request is a read or a dry run. */
function replaceAll<K, V>(map: Map<K, V>, by: ReadonlyMap<K, V>): void {
  map.clear();
  for (const [key, value] of by) map.set(key, value);
}

export function isReadOnly(what: ObserverRequest['what']): boolean {
  return what === 'read' || what === 'dryRunApply' || what === 'dryRunAgain';
}

function metaOf(object: JsonObject): JsonObject {
  return objectOf(object['metadata']);
}

/** The object in a stream that selects by the existence of the label. */
function labelled(object: JsonObject | undefined): JsonObject | undefined {
  return objectOf(metaOf(object ?? {})['labels'])[labelName] === undefined ? undefined : object;
}

/** The object without the fields that every write changes. */
function bare(object: JsonObject): JsonObject {
  const { resourceVersion: _, ...metadata } = metaOf(object);
  return { ...object, metadata };
}

function keyOf(object: JsonObject): string {
  const [first = '', second] = (textOf(object['apiVersion']) ?? '').split('/');
  const { namespace: place, name } = metaOf(object);
  return identityKey({
    group: second === undefined ? '' : first,
    kind: textOf(object['kind']) ?? '',
    namespace: textOf(place) ?? '',
    name: textOf(name) ?? '',
  });
}

function shortOf({ identity: { kind, name } }: Target): string {
  return `${kind}/${name}`;
}

/** The key of an object such as `ConfigMap/settings`. */
export function fullKey(text: string): string {
  const [kind = '', name = ''] = text.split('/');
  const { group, isNamespaced } = known.find((each) => each.kind === kind) ?? {
    group: 'example.org',
    isNamespaced: true,
  };
  return identityKey({ group, kind, namespace: isNamespaced ? namespace : '', name });
}

export function failure(
  is: ApplyFailure['is'],
  reason: string,
): { readonly ok: false; readonly failure: ApplyFailure } {
  return { ok: false, failure: { is, reason, retryAfter: 0, fields: [] } };
}

function fail(what: string): never {
  throw new Error(`${what} does not exist`);
}

/** A ConfigMap with one key. */
export function configMap(name: string, value = 'a'): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { key: value } };
}
