import type { Resource } from '@weeder/embedded-cluster';
import { addressOf, apply, create, decode, remove, replace } from '@weeder/embedded-cluster/registry';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { settled, virtualClock } from '@weeder/kube-runtime/testing';
import { everythingAllowed } from '../../../src/config/schema/allowedResources.ts';
import { defaultObserver } from '../../../src/config/schema/observer.ts';
import { resourceRequests } from '../../../src/observer/apply/resourceRequests.ts';
import { restMapperOf } from '../../../src/observer/kinds/restMapper.ts';
import type { ObserverEvent } from '../../../src/observer/objects/events.ts';
import { createObserverCore, type ObserverCore } from '../../../src/observer/observerCore.ts';
import { applicationApi } from '../../../src/observer/status/applicationApi.ts';
import { type RequestListener, simulatedServer } from '../world/simulatedServer.ts';
import { type SimulatedStreams, simulatedStreams } from '../world/simulatedStreams.ts';
import { countedTimers } from './armedTimers.ts';

const namespace = 'shop';

/** A cluster in virtual time, with clients that write to it, and at most one running weeder process. */
export type StoryWorld = ReturnType<typeof storyWorld>;

const paths: Readonly<Record<string, string>> = {
  Application: '/apis/weeder.dev/v1alpha1/applications',
  ConfigMap: '/api/v1/configmaps',
  Deployment: '/apis/apps/v1/deployments',
  Service: '/api/v1/services',
};

export interface StoryWorldOptions {
  readonly random: () => number;
  readonly listener: RequestListener;
  readonly report: (event: ObserverEvent) => void;
  /** Called for each write of a resource by a client other than weeder. */
  readonly onOthers: (before: JsonObject | undefined, after: JsonObject | undefined, applied?: JsonObject) => void;
}

interface RunningObserver {
  readonly core: ObserverCore;
  readonly streams: SimulatedStreams;
  disconnect(): void;
  /** The timers of its own. */
  readonly armed: () => readonly number[];
}

export function storyWorld({ random, listener, report, onOthers }: StoryWorldOptions) {
  const clock = virtualClock();
  const server = simulatedServer(clock, random, listener);
  const { storage } = server;
  let running: RunningObserver | undefined;
  let process = 0;
  let startedAt = 0;

  function resourceOf(key: string): { readonly resource: Resource; readonly name: string } {
    const [kind = '', name = ''] = key.split('/');
    const address = addressOf(storage.resources, paths[kind] ?? '');
    if (address.type !== 'resource') throw new Error(`there is no kind ${kind}`);
    return { resource: address.resource, name };
  }

  function start(): void {
    process += 1;
    startedAt = clock.monotonic();
    const mine = process;
    const { client, disconnect } = server.connect(process);
    const streams = simulatedStreams(storage, clock, random);
    const counted = countedTimers(clock);
    const core = createObserverCore({
      config: {
        services: new Map(),
        restart: undefined,
        observer: { ...defaultObserver, allow: everythingAllowed, trialPeriod: 600_000 },
      },
      runtime: { clock: counted },
      api: resourceRequests(client),
      kinds: restMapperOf(client, counted),
      applications: applicationApi(client),
      namespaces: 'all',
      owned: undefined,
      isDryRun: false,
      mayUseOwnRights: false,
      random,
      // Late reports of a killed process are not known to the next one.
      report: (event) => {
        if (mine === process) report(event);
      },
      onStreamsChanged: () => streams.follow(core.needs),
      onStreamClosed: streams.close,
    });
    running = { core, streams, disconnect, armed: counted.armed };
    core.start();
    streams.follow(core.needs);
  }

  return {
    clock,
    server,
    /** Of the current process; undefined: none runs. */
    get core() {
      return running?.core;
    },
    get streams() {
      return running?.streams;
    },
    /** Of the newest process. */
    get process() {
      return process;
    },
    /** When it was started: milliseconds. */
    get startedAt() {
      return startedAt;
    },
    start,
    /** A graceful shutdown. */
    async stop() {
      const was = running;
      if (was === undefined) return;
      was.core.stop();
      was.streams.closeAll();
      let isDrained = false;
      const drained = was.core.drained().then(() => {
        isDrained = true;
      });
      while (!isDrained) {
        await settled();
        clock.advance((clock.nextDue ?? clock.monotonic()) - clock.monotonic());
      }
      await drained;
      was.disconnect();
      running = undefined;
      const left = was.armed();
      if (left.length > 0) throw new Error(`the observer has stopped and leaves timers: ${left.join(', ')} ms`);
    },
    /** Ends the process without a shutdown. */
    kill() {
      running?.disconnect();
      running?.streams.closeAll();
      running?.core.stop();
      running = undefined;
    },
    /** `ConfigMap/web`, `Application/web`. */
    get(key: string) {
      const { resource, name } = resourceOf(key);
      return server.get(resource, namespace, name);
    },
    /** All resources but applications, by key. */
    objects() {
      const byName = new Map<string, JsonObject>();
      for (const kind of ['ConfigMap', 'Deployment', 'Service'])
        for (const object of storage.collectionOf(resourceOf(`${kind}/`).resource).scan({ namespace }))
          byName.set(`${kind}/${object.metadata.name}`, { ...object });
      return byName;
    },
    /** A client creates it, or replaces the existing object. False: the server refuses. */
    put(key: string, object: JsonObject, manager: string) {
      const { resource, name } = resourceOf(key);
      const draft = decode(resource, object);
      if (!draft.ok) return false;
      const before = server.get(resource, namespace, name);
      const { ok } =
        before === undefined
          ? create(storage, resource, namespace, draft.value, { manager })
          : replace(storage, resource, namespace, name, draft.value, { manager });
      if (ok && resource.kind !== 'Application') onOthers(before, server.get(resource, namespace, name));
      return ok;
    },
    /** A client applies it, with force. */
    apply(key: string, object: JsonObject, manager: string) {
      const { resource, name } = resourceOf(key);
      const before = server.get(resource, namespace, name);
      const { ok } = apply(storage, resource, namespace, name, object, { manager, isForced: true });
      if (ok) onOthers(before, server.get(resource, namespace, name), object);
      return ok;
    },
    remove(key: string) {
      const { resource, name } = resourceOf(key);
      remove(storage, resource, namespace, name);
    },
    pass: (ms: number) => clock.pass(ms),
  };
}
