import { type ApiServer, createApiServer, seededRandom, startWorkloads } from '@weeder/embedded-cluster';
import { deployments, namespaces, serviceAccounts, services } from '@weeder/embedded-cluster/resources';
import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { ApiRequest } from '../../kube/client/request.ts';
import { application, applicationName, definition, home } from './objects.ts';

/** What weeder is to manage, as the cluster has it. */
type Watched = 'Deployment' | 'Service';

/** A cluster of the demo's own, and what its people do. */
export interface Site {
  readonly server: ApiServer;
  /** As it is now; undefined: it is not there. */
  object(kind: Watched): JsonObject | undefined;
  /** Called after each change of one of them, until the returned function is. */
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

/** What people do with `kubectl`, and programs with its like: over HTTP, each with the field manager that it would have. */
export interface People {
  /** Defines the kind, and creates the application. */
  createApplication(image: string): Promise<void>;
  /** A strategic merge patch. */
  patch(kind: Watched, body: JsonObject, manager: string): Promise<void>;
  patchApplication(body: JsonObject): Promise<void>;
  scale(replicas: number): Promise<void>;
  delete(kind: Watched): Promise<void>;
}

const applications = `/apis/weeder.dev/v1alpha1/namespaces/${home}/applications`;
const pathOf = {
  Deployment: `/apis/apps/v1/namespaces/${home}/deployments/${applicationName}`,
  Service: `/api/v1/namespaces/${home}/services/${applicationName}`,
} as const;
const mergePatch = 'application/merge-patch+json';

/** What is refused here is a mistake in the demo. */
export function peopleOf(client: KubeClient): People {
  async function ask(request: ApiRequest): Promise<void> {
    const answer = await client.call(request);
    if (!answer.ok) throw new Error(`${request.method} ${request.path} was refused: ${JSON.stringify(answer.failure)}`);
  }
  return {
    async createApplication(image) {
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      await ask({ method: 'POST', path, body: definition });
      await ask({
        method: 'POST',
        path: applications,
        query: { fieldManager: 'kubectl-create' },
        body: application(image),
      });
    },
    patch: (kind, body, fieldManager) =>
      ask({
        method: 'PATCH',
        path: pathOf[kind],
        query: { fieldManager },
        contentType: 'application/strategic-merge-patch+json',
        body,
      }),
    patchApplication: (body) =>
      ask({
        method: 'PATCH',
        path: `${applications}/${applicationName}`,
        query: { fieldManager: 'kubectl-edit' },
        contentType: mergePatch,
        body,
      }),
    scale: (replicas) =>
      ask({
        method: 'PATCH',
        path: `${pathOf.Deployment}/scale`,
        query: { fieldManager: 'kubectl' },
        contentType: mergePatch,
        body: { spec: { replicas } },
      }),
    delete: (kind) => ask({ method: 'DELETE', path: pathOf[kind] }),
  };
}
