import { setTimeout as pause } from 'node:timers/promises';
import { endpointSlices, namespaces, pods } from '@weeder/embedded-cluster/resources';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { until } from '@weeder/kube-runtime/testing';
import { crashLoopBackOff } from '../../test/cluster/support/observer/statuses.ts';
import { type Embedded, embedded, made } from '../../test/support/world/embedded.ts';
import { podBody, podStatus } from '../support/podBody.ts';
import { monotonic } from '../support/processFigures.ts';

/** The same services in many namespaces, on an embedded cluster in this process. */
export interface LivePageScene extends AsyncDisposable {
  readonly cluster: Embedded;
  readonly config: object;
  /** The actors of all services when each has an open window. */
  readonly actors: number;
  /** Opens the window of each service. */
  recoverAll(): void;
  /**
   * Evenly over a time, this many services go down and recover, and have a pod that crash-loops in between. Returns the
   * times from each becoming ready to the deletion of its pod. Milliseconds.
   */
  change(count: number, overMs: number): Promise<readonly number[]>;
}

/** The services of each namespace. */
const names = Array.from({ length: 20 }, (_, index) => `name-${index + 1}`);
/** Each service has an actor for itself, and in its window one for each of its podSelectors. */
const roles = ['apiserver', 'controller-manager', 'scheduler', 'gardener-resource-manager'] as const;
const [crashingRole] = roles;

export async function livePageScene(count: number): Promise<LivePageScene> {
  const cluster = await embedded({ historyLimit: 50_000 });
  const { store } = cluster.server;
  const services = Array.from({ length: count }, (_, index) => ({
    namespace: `shoot-${Math.floor(index / names.length) + 1}`,
    name: names[index % names.length] ?? '',
  }));
  type Service = (typeof services)[number];
  const deletedAt = new Map<string, number>();
  store.watch(pods, {}, (type, { metadata }) => {
    if (type === 'DELETED') deletedAt.set(metadata.name, monotonic());
  });
  for (const namespace of new Set(services.map((service) => service.namespace)))
    made(store.create(namespaces, { metadata: { name: namespace } }));
  for (const { namespace, name } of services) made(store.create(endpointSlices, slice(namespace, name)));
  let created = 0;

  function setReady({ namespace, name }: Service, ready: boolean): void {
    made(store.patch(endpointSlices, namespace, name, { endpoints: endpoints(ready) }));
  }

  function crash({ namespace, name }: Service): string {
    created += 1;
    const pod = `crashing-${created}`;
    made(store.create(pods, podBody(pod, { uses: name, role: crashingRole }, namespace)));
    const status = podStatus(crashLoopBackOff(5));
    made(store.patch(pods, namespace, pod, { status }, { subresource: 'status' }));
    return pod;
  }

  const selectors = (name: string) => roles.map((role) => ({ matchLabels: { uses: name, role } }));
  return {
    cluster,
    config: {
      watchDuration: '1h',
      servicesAndDependantSelectors: Object.fromEntries(names.map((name) => [name, { podSelectors: selectors(name) }])),
    },
    actors: count * (1 + roles.length),
    recoverAll() {
      for (const service of services) setReady(service, true);
    },
    async change(changing, overMs) {
      const readyAt = new Map<string, number>();
      const from = monotonic();
      for (const [index, service] of services.slice(0, changing).entries()) {
        setReady(service, false);
        const pod = crash(service);
        await pause(Math.max(0, from + ((index + 1) * overMs) / changing - monotonic()));
        readyAt.set(pod, monotonic());
        setReady(service, true);
      }
      await until('all pods are deleted', () => [...readyAt.keys()].every((pod) => deletedAt.has(pod)));
      return [...readyAt].map(([pod, at]) => (deletedAt.get(pod) ?? Number.NaN) - at);
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

function slice(namespace: string, name: string): JsonObject {
  const labels = { 'kubernetes.io/service-name': name };
  return { metadata: { name, namespace, labels }, addressType: 'IPv4', endpoints: endpoints(false) };
}

function endpoints(ready: boolean): JsonObject[] {
  return [{ addresses: ['10.0.0.1'], conditions: { ready } }];
}
