import { serviceAccounts } from '@weeder/embedded-cluster/resources';
import { arrayOf, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { type VirtualClock, virtualClock } from '@weeder/kube-runtime/testing';
import type { ObserverEvent } from '../../../src/observer/objects/events.ts';
import type { ObserverCore } from '../../../src/observer/observerCore.ts';
import { contentOf, restore } from '../observer/backUp.ts';
import { globes } from '../observer/kinds.ts';
import {
  isReadOnly,
  type ObserverFaults,
  type ObserverRequest,
  type ObserverRequests,
} from '../observer/observerFaults.ts';
import { type ObserverObjects, observerObjects } from '../observer/observerObjects.ts';
import { type ObserverProcessOptions, type ObserverReports, observerProcess } from '../observer/observerProcess.ts';
import { createObserverRequests } from '../observer/observerRequests.ts';
import { observerStreams } from '../observer/observerStreams.ts';
import { everything, type Rights, setRights } from '../observer/rights.ts';
import { type SimulatedCluster, simulatedCluster } from './cluster.ts';
import { made } from './embedded.ts';
import { applications } from './simulatedServer.ts';

export { fullKey } from '../observer/kinds.ts';
export { isReadOnly } from '../observer/observerFaults.ts';
export { refusal } from '../observer/refusals.ts';

/** An observer on a simulated cluster with applications and plain objects, in the namespace `shop`. */
export interface ObserverWorld extends ObserverObjects, ObserverFaults, ObserverRequests, ObserverReports {
  readonly clock: VirtualClock;
  readonly core: ObserverCore;
  /** Whether the streams of objects report changes; otherwise only a read or a list shows them. */
  sendsEvents: boolean;
  /** Returns the object as admission changes it; `old` is the object that it replaces. */
  admit: (object: JsonObject, old?: JsonObject) => JsonObject;
  /** Is called with each version of an object that the API server stores. */
  stored: (object: JsonObject) => void;
  /** Replaces what the accounts of the namespace may do; at first everything. */
  permit(...rights: readonly Rights[]): void;
  /** The watch delivers an older version of the object again. */
  redeliver(object: JsonObject): void;
  /**
   * Returns a function that restores the objects as they are now, and lists them again. No stream delivers what happens
   * in `meanwhile`.
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

export interface ObserverWorldOptions extends ObserverProcessOptions {
  readonly clock?: VirtualClock;
  readonly onRequest?: (request: ObserverRequest) => void;
}

/** The accounts that applications of tests name. */
const accounts = ['deployer', 'other', 'poor', 'rich'];

/** The same with a weeder that has started. */
export async function observerWorld(options: ObserverWorldOptions = {}): Promise<ObserverWorld> {
  const world = createObserverWorld(options);
  world.start();
  await world.pass(1);
  return world;
}

export function createObserverWorld(options: ObserverWorldOptions = {}): ObserverWorld {
  const { clock = virtualClock() } = options;
  const streams = observerStreams();
  const requests = createObserverRequests(clock, () => world, options.onRequest);
  const process = observerProcess(options, { clock, cluster: () => cluster, requests, streams, reports: () => world });

  function newCluster(): SimulatedCluster {
    const next = simulatedCluster(clock, {
      resources: [applications, globes],
      authorizesImpersonated: true,
      admit({ kind }, fields, old) {
        const { kind: _, ...admitted } = world.admit({ kind, ...fields }, old);
        return admitted;
      },
    });
    const { store, storage } = next.server;
    for (const name of accounts) made(store.create(serviceAccounts, { metadata: { name, namespace: 'shop' } }));
    storage.onChange((resource, object, isRemoved) => {
      if (!world.sendsEvents && resource !== applications) streams.hide(object.metadata.resourceVersion);
      if (!isRemoved) world.stored(object);
    });
    return next;
  }

  const world: ObserverWorld = {
    ...observerObjects(() => cluster.server),
    clock,
    get core(): ObserverCore {
      return process.core;
    },
    refusals: new Map(),
    slow: new Map(),
    lateReplies: new Map(),
    requestTime: 0,
    unavailable: new Set(),
    missingAccounts: new Set(),
    rejects: () => undefined,
    requests: [],
    accessReviews: [],
    accountLookups: [],
    maxInFlight: 0,
    events: [],
    statuses: [],
    statusesAt: [],
    maxStatusesInFlight: 0,
    findTimes: [],
    sendsEvents: true,
    admit: (object) => object,
    stored: () => undefined,
    permit: (...rights) => setRights(cluster.server, rights),
    redeliver: (object) =>
      [...world.core.needs.values()].find(({ kind }) => kind === object['kind'])?.sink.apply('MODIFIED', object),
    backUp() {
      const saved = contentOf(cluster.server.storage);
      return (meanwhile = () => undefined) => {
        streams.closeAll();
        cluster = newCluster();
        world.permit(everything);
        restore(cluster.server.storage, saved);
        meanwhile();
        process.rewind();
      };
    },
    condition(name, type) {
      const { conditions } = objectOf(world.application(name)?.['status']);
      const conditionList = arrayOf(conditions).map(objectOf);
      return textOf(conditionList.find((each) => each['type'] === type)?.['status']);
    },
    writes: () => world.requests.filter(({ what }) => !isReadOnly(what)).map(({ what, key }) => `${what} ${key}`),
    eventsOf: (type) =>
      world.events.filter((event): event is Extract<ObserverEvent, { type: typeof type }> => event.type === type),
    start: process.start,
    restart: process.restart,
    stop: process.stop,
    pass: process.pass,
  };
  let cluster = newCluster();
  world.permit(everything);
  return world;
}

/** A ConfigMap with one key. */
export function configMap(name: string, value = 'a'): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { key: value } };
}

/** A Deployment with one container; other fields of its spec override. */
export function deployment(name: string, image = 'app:1', spec: JsonObject = {}): JsonObject {
  const template = { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'app', image }] } };
  const selector = { matchLabels: { app: name } };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec: { selector, template, ...spec } };
}
