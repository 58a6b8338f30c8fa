import { type KubeObject, startWorkloads } from '@weeder/embedded-cluster';
import { configMaps, pods, secrets } from '@weeder/embedded-cluster/resources';
import type { JsonObject } from '@weeder/kube-runtime/base';
import type { ApiRequest } from '@weeder/kube-runtime/client';
import type { RequestFault } from '@weeder/kube-runtime/testing';
import type { RestartConfig } from '../../../src/config/restart.ts';
import type { SourceRef } from '../../../src/restart/references/refs.ts';
import { restartConfig } from '../objects/restartSettings.ts';
import { mountingKubelet } from '../restarts/mountingKubelet.ts';
import { namespace, restartObjects } from '../restarts/restartObjects.ts';
import { type SimulatedRestartsOptions, simulatedRestarts } from '../restarts/simulatedRestarts.ts';
import { made } from './embedded.ts';

export const evicting: RestartConfig = restartConfig({ rule: { lateSources: 'evict' } });

export type LateWorld = Awaited<ReturnType<typeof lateWorld>>;

/** Restart control beside the controllers of Kubernetes, and a kubelet that mounts volumes. */
export async function lateWorld(config = evicting, options: SimulatedRestartsOptions = {}) {
  const evicted: KubeObject[] = [];
  let lists = 0;
  let fault = (_: ApiRequest): RequestFault | undefined => undefined;
  const { restarts, control, server } = simulatedRestarts(
    config,
    {
      faultOf(request) {
        const name = evictedBy(request);
        const pod = name === undefined ? undefined : podsOf().find(({ metadata }) => metadata.name === name);
        if (pod !== undefined) evicted.push(pod);
        if (request.query?.['fieldSelector'] === 'status.phase=Pending') lists += 1;
        return fault(request);
      },
    },
    options,
  );
  const { store } = server;
  const { clock } = restarts;
  startWorkloads(store, clock);
  const kubelet = mountingKubelet(store, clock);

  function podsOf(app?: string): readonly KubeObject[] {
    return store.list(pods, app === undefined ? {} : { labelSelector: { matchLabels: { app } } });
  }

  await restarts.restart();
  return {
    ...restarts,
    ...restartObjects(server),
    kubelet,
    podsOf,
    /** The pods that were to be evicted, as they were before. */
    evicted,
    /** How often waiting pods were listed. */
    get lists() {
      return lists;
    },
    control,
    onRequest(next: typeof fault) {
      fault = next;
    },
    deletePod: (name: string) => void store.delete(pods, namespace, name),
    /** Calls this for each ConfigMap or Secret that is created. */
    watchSources(created: () => void) {
      for (const kind of [configMaps, secrets]) {
        const uids = new Set<string>();
        store.watch(kind, {}, (type, { metadata: { uid } }) => {
          if (type === 'ADDED' && !uids.has(uid)) created();
          uids.add(uid);
        });
      }
    },
    /** Changes a pod, or its status as its kubelet does. */
    changePod({ metadata }: KubeObject, patch: JsonObject) {
      const subresource = patch['status'] === undefined ? undefined : ('status' as const);
      made(store.patch(pods, metadata.namespace ?? '', metadata.name, patch, { manager: 'test', subresource }));
    },
  };
}

function evictedBy({ path }: ApiRequest): string | undefined {
  return /\/pods\/([^/]+)\/eviction$/.exec(path)?.[1];
}

/** A template whose only container mounts these sources, as a kubelet can only if they exist. */
export function withVolumes(sources: readonly SourceRef[], more: JsonObject = {}): JsonObject {
  const volumes = sources.map(({ kind, name }, nr) => ({
    name: `volume-${nr}`,
    ...(kind === 'Secret' ? { secret: { secretName: name } } : { configMap: { name } }),
  }));
  const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
  return { containers: [{ name: 'app', image: 'app:1', volumeMounts }], volumes, ...more };
}
