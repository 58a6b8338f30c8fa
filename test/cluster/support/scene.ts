import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cleanup } from './cleanup.ts';
import { eventually } from './eventually.ts';
import { type InProcessOptions, startWeederInProcess } from './inProcessWeeder.ts';
import { type TestNamespace, testNamespace } from './namespace.ts';
import type { Pod } from './objects.ts';
import { type ContainerState, crashLoopBackOff, type PodStatusChange, setPodStatus } from './observer/statuses.ts';
import type { Cluster } from './plane/access.ts';
import { watchDeletions } from './podObserver.ts';
import type { PodOptions } from './restart/podTemplate.ts';
import { getPod, ownedPod } from './restart/workloads.ts';
import { setSlice } from './services.ts';
import type { RunningWeeder } from './weeder.ts';

type LoopingOptions = Partial<PodOptions> & { readonly ns?: TestNamespace };

/**
 * A namespace with a service and its dependants, a weeder for them, and an observer that shares no code with weeder.
 * The service and labels have unique names, so that parallel tests are independent.
 */
export type Scene = Awaited<ReturnType<typeof setScene>>;

export interface SceneOptions {
  /** Keys of the service in the config, or a function that returns them for the namespace. */
  readonly settings?: object | ((namespace: string) => object);
  /** Further top-level keys of the config. */
  readonly global?: object;
  /** Default: the shared control plane. */
  readonly cluster?: Cluster;
}

const marker = 'later-';

/** Creates a scene. `start()` starts its weeder. */
export async function setScene(t: Cleanup, prefix: string, options: SceneOptions = {}) {
  const ns = await testNamespace(t, prefix, options.cluster);
  const observer = await watchDeletions(ns);
  const [service, other] = [`db-${ns.name}`, `other-${ns.name}`];
  const [labels, otherLabels] = [{ app: ns.name }, { app: other }];
  const settings = typeof options.settings === 'function' ? options.settings(ns.name) : options.settings;
  const config = {
    ...options.global,
    servicesAndDependantSelectors: {
      [service]: { podSelectors: [{ matchLabels: labels }], ...settings },
      [other]: { podSelectors: [{ matchLabels: otherLabels }], watchDuration: '5m', dependantNamespaces: 'same' },
    },
  };
  let markers = 0;

  async function pod(name: string, status?: ContainerState | PodStatusChange, given: LoopingOptions = {}) {
    const { ns: home = ns, ...podOptions } = given;
    await ownedPod(home, name, { labels, ...podOptions });
    return setPodStatus(home, name, status ?? crashLoopBackOff(3));
  }

  async function untilDeleted(...pods: Pod[]) {
    return Promise.all(pods.map(({ metadata }) => observer.untilDeleted(metadata.uid)));
  }

  return {
    ns,
    observer,
    service,
    /** Labels that the service's podSelector selects. */
    labels,
    /** Labels of the dependants of another service, which recovers only in `laterServiceHandled`. */
    otherLabels,
    /** The content of the config file. */
    config,
    /** Creates a dependant with a controller and this status. Default: CrashLoopBackOff. */
    pod,
    /** Waits until these pods are deleted. */
    untilDeleted,
    /** Starts a weeder with this config, and resolves when its caches are synced. */
    async start(given: Partial<InProcessOptions> = {}) {
      const weeder = startWeederInProcess(t, { cluster: ns.cluster, config, ...given });
      await weeder.ready();
      return weeder;
    },
    /**
     * Lets the ready service go down, and waits until the weeder has observed that. Before it, the weeder would still
     * delete a pod that begins to crash-loop in an open window: pods and slices are separate streams.
     */
    async down({ log }: Pick<RunningWeeder, 'log'>) {
      const observed = ['service is down', { service, namespace: ns.name }] as const;
      const before = log.find(...observed).length;
      await setSlice(ns, service, { ready: [false] });
      await log.until(...observed, { count: before + 1 });
    },
    /** Writes the IPv4 slice of the service, with one endpoint for each value. */
    endpoints: (...ready: (boolean | undefined)[]) => setSlice(ns, service, { ready }),
    /**
     * Used before assertions that a pod is not deleted in an open window. Waits until a later pod with the same status
     * is deleted and the observer has received all earlier events.
     */
    async laterPodDeleted(status: () => ContainerState = () => crashLoopBackOff(3), given: LoopingOptions = {}) {
      markers += 1;
      await untilDeleted(await pod(`${marker}${markers}`, status(), given));
      await observer.caughtUp();
    },
    /** Used before assertions that no window is open. Waits until a dependant of a later recovery is deleted. */
    async laterServiceHandled() {
      markers += 1;
      const name = `${marker}${markers}`;
      const late = await pod(name, undefined, { labels: otherLabels });
      await setSlice(ns, other, { ready: [false] });
      await setSlice(ns, other, { ready: [true] });
      await untilDeleted(late);
      await observer.caughtUp();
    },
    /** Asserts that exactly these pods have been deleted, each once. Ignores markers. */
    assertDeleted(...pods: Pod[]) {
      const deletedPods = observer.deletions().filter(({ name }) => !name.startsWith(marker));
      assert.deepEqual(deletedPods.map(describe).sort(), pods.map(({ metadata }) => describe(metadata)).sort());
    },
  };
}

function describe({ name, uid }: { readonly name: string; readonly uid: string }): string {
  return `${name} ${uid}`;
}

/** Waits until this pod is terminating. */
export async function untilEnding(ns: TestNamespace, { metadata: { name, uid } }: Pod): Promise<Pod> {
  return eventually(
    async (saw) => {
      const pod = await getPod(ns, name);
      saw(pod?.metadata);
      return pod?.metadata.uid === uid && pod.metadata.deletionTimestamp !== undefined && pod;
    },
    { what: `the beginning of the deletion of ${name} in ${ns.name}` },
  );
}

/** Waits until this time. Milliseconds since the epoch. */
export async function untilTime(moment: number): Promise<void> {
  while (Date.now() < moment) await pause(moment - Date.now());
}
