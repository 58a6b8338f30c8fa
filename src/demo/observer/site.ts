import { type ApiServer, createApiServer, seededRandom, startWorkloads } from '@weeder/embedded-cluster';
import { deployments, namespaces, serviceAccounts, services } from '@weeder/embedded-cluster/resources';
import type { Clock, JsonObject } from '@weeder/kube-runtime/base';
import type { ApiRequest, KubeClient } from '@weeder/kube-runtime/client';
import { apiPath } from '@weeder/kube-runtime/objects';
import { application, applicationName, definition, home } from './objects.ts';

/** The kinds of the resources of the application. */
type Watched = 'Deployment' | 'Service';

/** The cluster of the demo. */
export interface Site {
  readonly server: ApiServer;
  /** The live object; undefined if it does not exist. */
  object(kind: Watched): JsonObject | undefined;
  /** Subscribes to changes of these objects. Returns the function that ends the subscription. */
  onChange(changed: () => void): () => void;
  stop(): void;
}

const resourceOf = { Deployment: deployments, Service: services } as const;

export function openSite(clock: Clock, seed: number): Site {
  const server = createApiServer({ clock, random: seededRandom(seed) });
  const { store } = server;
  const listeners = new Set<() => void>();
  store.create(namespaces, { metadata: { name: home } });
  store.create(serviceAccounts, { metadata: { name: 'default', namespace: home } });
  const notify = () => {
    for (const changed of [...listeners]) changed();
  };
  const parts = [
    startWorkloads(store, clock),
    ...Object.values(resourceOf).map((resource) => store.watch(resource, { namespace: home }, notify)),
  ];
  return {
    server,
    object: (kind) => store.get(resourceOf[kind], home, applicationName),
    onChange(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
    stop() {
      for (const stop of parts) stop();
    },
  };
}

/** The actions of users and programs: API requests, each with the field manager of its client. */
export interface People {
  /** Defines the kind, and creates the application. */
  createApplication(image: string): Promise<void>;
  /** A strategic merge patch. */
  patch(kind: Watched, body: JsonObject, manager: string): Promise<void>;
  patchApplication(body: JsonObject): Promise<void>;
  scale(replicas: number): Promise<void>;
  delete(kind: Watched): Promise<void>;
}

const applications = apiPath('weeder.dev/v1alpha1', 'applications', { namespace: home });
const pathOf = {
  Deployment: apiPath('apps/v1', 'deployments', { namespace: home, name: applicationName }),
  Service: apiPath('v1', 'services', { namespace: home, name: applicationName }),
} as const;
const mergePatch = 'application/merge-patch+json';

/** A failed request is a bug in the demo, and throws. */
export function peopleOf(client: KubeClient): People {
  async function send(request: ApiRequest): Promise<void> {
    const answer = await client.call(request);
    if (!answer.ok) throw new Error(`${request.method} ${request.path} was refused: ${JSON.stringify(answer.failure)}`);
  }
  return {
    async createApplication(image) {
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      await send({ method: 'POST', path, body: definition });
      await send({
        method: 'POST',
        path: applications,
        query: { fieldManager: 'kubectl-create' },
        body: application(image),
      });
    },
    patch: (kind, body, fieldManager) =>
      send({
        method: 'PATCH',
        path: pathOf[kind],
        query: { fieldManager },
        contentType: 'application/strategic-merge-patch+json',
        body,
      }),
    patchApplication: (body) =>
      send({
        method: 'PATCH',
        path: `${applications}/${applicationName}`,
        query: { fieldManager: 'kubectl-edit' },
        contentType: mergePatch,
        body,
      }),
    scale: (replicas) =>
      send({
        method: 'PATCH',
        path: `${pathOf.Deployment}/scale`,
        query: { fieldManager: 'kubectl' },
        contentType: mergePatch,
        body: { spec: { replicas } },
      }),
    delete: (kind) => send({ method: 'DELETE', path: pathOf[kind] }),
  };
}
