import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { type ApiStore, type KubeObject, notFound, type Resource } from '@weeder/embedded-cluster';
import { arrayOf, failed, type JsonObject, objectOf, ok, systemClock } from '@weeder/kube-runtime/base';
import type { FailureType } from '@weeder/kube-runtime/client';
import { matchesSelector } from '@weeder/kube-runtime/objects';
import { type ChangeType, type ObjectSink, provideReflector } from '@weeder/kube-runtime/watch';
import { createActor } from 'xstate';
import { z } from 'zod';
import { type Cleanup, cleanUp } from '../cleanup.ts';

import type { Cluster } from './access.ts';
import { kubeClientFor } from './kubeClient.ts';

/** The API that the simulated kubelet uses. */
export type RemoteStore = Pick<ApiStore, 'get' | 'list' | 'watch' | 'patch' | 'delete'>;

const Texts = z.record(z.string(), z.string()).optional();
const Served = z.looseObject({
  kind: z.string(),
  apiVersion: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    uid: z.string(),
    resourceVersion: z.string(),
    creationTimestamp: z.string(),
    deletionTimestamp: z.string().optional(),
    labels: Texts,
    annotations: Texts,
  }),
});

/** Failures after which a write is repeated. */
const passing: ReadonlySet<FailureType> = new Set(['timeout', 'network', 'unavailable', 'throttled']);

type Listener = (type: ChangeType, object: KubeObject) => void;

interface Mirror {
  readonly path: string;
  readonly objects: Map<string, KubeObject>;
  readonly listeners: Set<Listener>;
}

/**
 * Connects the simulated kubelet to one namespace of a real API server. It reads the objects of a watch, and its writes
 * are sent in order. The test fails if a write is refused.
 */
export function remoteStore(t: Cleanup, cluster: Cluster, namespace: string, kinds: readonly Resource[]): RemoteStore {
  const client = kubeClientFor(cluster.kubeconfigFor('admin'));
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined };
  const mirrors = new Map<Resource, Mirror>();
  const refusals: string[] = [];
  let writes = Promise.resolve();
  let isOver = false;

  const actors = kinds.map((kind) => {
    const group = kind.group === '' ? 'api' : `apis/${kind.group}`;
    const path = `/${group}/${kind.version}/namespaces/${namespace}/${kind.plural}`;
    const mirror: Mirror = { path, objects: new Map(), listeners: new Set() };
    mirrors.set(kind, mirror);
    const source = { path, kind: kind.kind, labelSelector: '', sink: sinkOf(mirror) };
    const actor = createActor(provideReflector({ client, clock: systemClock, log, sourceOf: () => source }), {
      input: { name: kind.plural },
    });
    return actor.start();
  });
  cleanUp(t, async () => {
    for (const actor of actors) actor.stop();
    isOver = true;
    await writes;
    await client.close();
    assert.deepEqual(refusals, []);
  });

  function mirrorOf(resource: Resource): Mirror {
    const mirror = mirrors.get(resource);
    assert(mirror, resource.plural);
    return mirror;
  }

  function send(method: 'PATCH' | 'DELETE', path: string, body: JsonObject): void {
    // The kubelet stops after its store.
    if (isOver) return;
    const contentType = method === 'PATCH' ? 'application/strategic-merge-patch+json' : 'application/json';
    writes = writes.then(async () => {
      const write = () => client.call({ method, path, body, contentType });
      let result = await write();
      // On a busy machine, a write may take longer than the client, the API server or etcd waits. A kubelet repeats it.
      while (!result.ok && passing.has(result.failure.type) && !isOver) {
        await pause(100);
        result = await write();
      }
      const isLate = !result.ok && ['notFound', 'conflict'].includes(result.failure.type);
      if (!result.ok && !isLate && !passing.has(result.failure.type))
        refusals.push(`${method} ${path}: ${result.failure.message}`);
    });
  }

  return {
    get: (resource, _namespace, name) => mirrorOf(resource).objects.get(name),
    list: (resource, { labelSelector = {} } = {}) =>
      [...mirrorOf(resource).objects.values()].filter(({ metadata }) =>
        matchesSelector(labelSelector, metadata.labels),
      ),
    watch(resource, _which, onEvent) {
      const { objects, listeners } = mirrorOf(resource);
      listeners.add(onEvent);
      for (const object of objects.values()) onEvent('ADDED', object);
      return () => void listeners.delete(onEvent);
    },
    patch(resource, _namespace, name, body, { subresource } = {}) {
      const { path, objects } = mirrorOf(resource);
      send('PATCH', [path, name, ...(subresource === undefined ? [] : [subresource])].join('/'), withoutForeign(body));
      const object = objects.get(name);
      return object === undefined ? failed(notFound(resource, name)) : ok(object);
    },
    delete(resource, _namespace, name, { uid, gracePeriodSeconds } = {}) {
      const { path, objects } = mirrorOf(resource);
      send('DELETE', `${path}/${name}`, { gracePeriodSeconds, preconditions: { uid } });
      const object = objects.get(name);
      return object === undefined ? failed(notFound(resource, name)) : ok({ object, isDeleted: true });
    },
  };
}

/** Removes the conditions of other clients, because the watched ones may be outdated. */
function withoutForeign(body: JsonObject): JsonObject {
  const status = objectOf(body['status']);
  const own = arrayOf(status['conditions']).filter((each) => !String(objectOf(each)['type']).includes('/'));
  return { ...body, status: { ...status, conditions: own } };
}

function sinkOf({ objects, listeners }: Mirror): ObjectSink {
  let listed = new Set<string>();
  const notify: Listener = (type, object) => {
    for (const listener of listeners) listener(type, object);
  };
  return {
    begin() {
      listed = new Set();
    },
    apply(type, given) {
      const object: KubeObject = Served.parse(given);
      const { name } = object.metadata;
      listed.add(name);
      const isKnown = objects.has(name);
      if (type === 'DELETED') objects.delete(name);
      else objects.set(name, object);
      notify(type === 'DELETED' ? type : isKnown ? 'MODIFIED' : 'ADDED', object);
    },
    end() {
      for (const [name, object] of [...objects]) {
        if (listed.has(name)) continue;
        objects.delete(name);
        notify('DELETED', object);
      }
    },
  };
}
