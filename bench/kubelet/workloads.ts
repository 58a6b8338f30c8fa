import { services, type Trial } from './cases.ts';
import { image } from './configs.ts';

/** The labels of the dependants, for weeder's config and the watcher. */
export const dependantLabels = { app: 'dependant' } as const;

/** An object to create, with the path of its collection. */
export interface Manifest {
  readonly path: string;
  readonly body: object;
}

/** The namespace and the service with its pod. */
export function serviceManifests({ name, hasWeeder, port }: Trial): readonly Manifest[] {
  const probe = { httpGet: { host: '127.0.0.1', port, path: '/' }, periodSeconds: 1, failureThreshold: 1 };
  const labels = { app: 'store' };
  return [
    { path: '/api/v1/namespaces', body: { metadata: { name } } },
    {
      path: `/api/v1/namespaces/${name}/services`,
      body: {
        metadata: { name: hasWeeder ? services.withWeeder : services.withoutWeeder },
        spec: { selector: labels, ports: [{ port }] },
      },
    },
    deployment(name, labels, { args: ['serve', String(port)], readinessProbe: probe }),
  ];
}

/** Ready as soon as it runs: a readiness probe would add up to its own period, with weeder and without. */
export function dependantManifest({ name, runsFor, port }: Trial): Manifest {
  return deployment(name, dependantLabels, { args: ['depend', `http://127.0.0.1:${port}/`, `${runsFor}s`] });
}

/** `{app: store}` is also the Deployment's name. */
export function deployment(namespace: string, labels: { readonly app: string }, container: object): Manifest {
  return {
    path: `/apis/apps/v1/namespaces/${namespace}/deployments`,
    body: {
      metadata: { name: labels.app },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            hostNetwork: true,
            automountServiceAccountToken: false,
            containers: [{ name: 'main', image, imagePullPolicy: 'Never', ...container }],
          },
        },
      },
    },
  };
}

/** weeder's config. It does not name the service of the trials without weeder. */
export const weederConfig = {
  servicesAndDependantSelectors: { [services.withWeeder]: { podSelectors: [{ matchLabels: dependantLabels }] } },
};
