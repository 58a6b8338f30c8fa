import type { KubeObject, Resource } from '@weeder/embedded-cluster';
import { type Cursor, decode, type Storage } from '@weeder/embedded-cluster/registry';
import { endpointSlices, pods } from '@weeder/embedded-cluster/resources';
import type { ApiRequest } from '@weeder/kube-runtime/client';
import { sendInProcess, type VirtualClock } from '@weeder/kube-runtime/testing';
import type { ObjectSink, StreamNeed } from '@weeder/kube-runtime/watch';
import { type DeletionAttempt, deleteThrough } from '../../../src/weeder/deletions/deletePod.ts';
import { simulatedCluster } from './cluster.ts';
import { made } from './embedded.ts';
import { openStream } from './simulatedStreams.ts';

const resources = { Pod: pods, EndpointSlice: endpointSlices } as const;
export type Kind = keyof typeof resources;

/** The stream of the pods that this selector selects. */
export function podStream(labelSelector: string, sink: ObjectSink): StreamNeed {
  return { name: labelSelector, path: '/api/v1/pods', kind: 'Pod', labelSelector, sink };
}

const never = new AbortController().signal;

/** Creates or replaces an object with the uid and the times that it has, as if restored from a backup. */
export function restore(storage: Storage, resource: Resource, object: object): KubeObject {
  const { metadata, ...fields } = made(decode(resource, object));
  const { name = '', namespace = '', uid = '', creationTimestamp = '' } = metadata;
  const stored = storage.collectionOf(resource).get(namespace, name);
  if (stored !== undefined && stored.metadata.uid !== uid) storage.remove(resource, stored);
  const meta = { ...metadata, name, namespace, uid, creationTimestamp, resourceVersion: '' };
  return storage.put(resource, { kind: resource.kind, apiVersion: 'v1', metadata: meta, ...fields });
}

/**
 * Pods and EndpointSlices in a simulated cluster. Their streams deliver each change at once and in its order, unless a
 * test holds them.
 */
export type HeldCluster = ReturnType<typeof heldCluster>;

export function heldCluster(clock: VirtualClock) {
  const { server } = simulatedCluster(clock);
  const { storage, store } = server;
  const streams = new Map<StreamNeed, Cursor | undefined>();
  const requested = new Map<StreamNeed, ReturnType<typeof openStream>>();
  const held = new Set<string>();
  // The owners of the pods do not exist. Of kinds that are not served, the garbage collector does not expect it.
  for (const resource of storage.resources)
    if (resource !== pods && resource !== endpointSlices) storage.stopServing(resource, true);

  const call = (request: ApiRequest) => sendInProcess(server, clock, request);
  const deletePod = deleteThrough({ server: 'https://api.test', call });
  const get = (kind: Kind, namespace: string, name: string) => store.get(resources[kind], namespace, name);

  function remove(kind: Kind, namespace: string, name: string): void {
    const stored = get(kind, namespace, name);
    if (stored !== undefined) storage.remove(resources[kind], stored);
  }

  function list(need: StreamNeed): void {
    streams.get(need)?.close();
    const { cursor, deliverDue } = requested.get(need) ?? request(need);
    requested.delete(need);
    streams.set(need, cursor);
    need.sink.begin();
    if (!held.has(need.kind)) deliverDue();
  }

  function request(need: StreamNeed): ReturnType<typeof openStream> {
    return openStream(storage, need, (deliverDue) => {
      if (!held.has(need.kind) && !requested.has(need)) deliverDue();
    });
  }

  return {
    /** As `restore`. */
    put: (kind: Kind, object: object) => restore(storage, resources[kind], object),
    remove,
    get,
    list: (kind: Kind) => store.list(resources[kind]),
    /** Sends a request of weeder. */
    call,
    /** Deletes a pod as weeder does. */
    deletePod: (attempt: DeletionAttempt) => deletePod(attempt, never),
    /**
     * Reads the lists of the streams that are not open yet, and delivers nothing of them before `follow`: by then they are
     * older than what the open streams have delivered.
     */
    request(needs: Iterable<StreamNeed>) {
      for (const need of needs) if (!streams.has(need) && !requested.has(need)) requested.set(need, request(need));
    },
    /** Opens the streams that are not open yet, and closes the others. */
    follow(needs: Iterable<StreamNeed>) {
      const open = new Set(needs);
      for (const [need, cursor] of streams) {
        if (open.has(need)) continue;
        cursor?.close();
        streams.delete(need);
      }
      const opened = [...open].filter((need) => !streams.has(need));
      for (const need of opened) streams.set(need, undefined);
      // A list may close the streams that this one replaces.
      for (const need of opened) if (streams.has(need)) list(need);
    },
    /** The streams of this kind deliver nothing until they list again. */
    hold: (kind: Kind) => void held.add(kind),
    /** The streams of this kind list again; with `held`, only if they are held. */
    relist(kind: Kind, which: 'all' | 'held' = 'all') {
      if (!held.delete(kind) && which === 'held') return;
      for (const need of [...streams.keys()]) if (need.kind === kind && streams.has(need)) list(need);
    },
  };
}
