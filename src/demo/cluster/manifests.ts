import type { JsonObject } from '../../base/json.ts';
import { apiserver, apiserverLabels, etcdLabels, etcdReplicas, etcdService } from '../objects.ts';
import { dependantScript, etcdScript, port, readyFile } from './scripts.ts';

/** A readiness gate of the etcd pods. The demo sets this condition to begin and to end the outage. */
export const servingCondition = 'demo.weeder.dev/serving';

/** The label for the set of a dependant. */
export const setLabel = 'demo.weeder.dev/set';
export type DependantSet = 'weeded' | 'ignored';

export interface Manifest {
  /** The collection, in the demo's namespace. */
  readonly path: string;
  readonly body: JsonObject;
}

/** The objects of the demo, in the order of their creation. */
interface Manifests {
  /** The service comes first, because a pod gets the address of a service only if that already exists. */
  readonly etcd: readonly Manifest[];
  /**
   * Created when etcd is ready: without it they would crash before the outage. Of the two equal sets, one is annotated
   * so that weeder ignores it.
   */
  readonly dependants: readonly Manifest[];
}

export function manifests(namespace: string, image: string, replicas: number): Manifests {
  const replicaSetsPath = `/apis/apps/v1/namespaces/${namespace}/replicasets`;
  const dependantsOf = (name: string, set: DependantSet, annotations: JsonObject) =>
    replicaSet(name, replicas, { ...apiserverLabels, [setLabel]: set }, annotations, {
      containers: [container(apiserver, image, dependantScript, { exec: { command: ['cat', readyFile] } })],
    });
  const etcd = [
    {
      path: `/api/v1/namespaces/${namespace}/services`,
      body: { metadata: { name: etcdService }, spec: { selector: etcdLabels, ports: [{ port }] } },
    },
    {
      path: replicaSetsPath,
      body: replicaSet(
        'etcd-main',
        etcdReplicas,
        etcdLabels,
        {},
        {
          containers: [container('etcd', image, etcdScript, { tcpSocket: { port } })],
          readinessGates: [{ conditionType: servingCondition }],
        },
      ),
    },
  ];
  const dependants = [
    { path: replicaSetsPath, body: dependantsOf(apiserver, 'weeded', {}) },
    { path: replicaSetsPath, body: dependantsOf('apiserver-ignored', 'ignored', { 'weeder.dev/ignore': 'true' }) },
  ];
  return { etcd, dependants };
}

function replicaSet(
  name: string,
  replicas: number,
  labels: Readonly<Record<string, string>>,
  annotations: JsonObject,
  spec: JsonObject,
): JsonObject {
  return {
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations },
        spec: {
          terminationGracePeriodSeconds: 1,
          automountServiceAccountToken: false,
          // Required by the Pod Security Standard "restricted".
          securityContext: { runAsNonRoot: true, runAsUser: 65534, seccompProfile: { type: 'RuntimeDefault' } },
          ...spec,
        },
      },
    },
  };
}

function container(name: string, image: string, script: string, probe: JsonObject): JsonObject {
  return {
    name,
    image,
    command: ['sh', '-c', script],
    readinessProbe: { ...probe, periodSeconds: 1, timeoutSeconds: 1, failureThreshold: 1 },
    resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  };
}
