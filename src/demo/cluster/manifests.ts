import type { JsonObject } from '../../base/json.ts';
import { apiserver, apiserverLabels, etcdLabels, etcdService } from '../objects.ts';
import { dependantScript, etcdScript, port, readyFile } from './scripts.ts';

/** The condition without which an etcd pod is not ready: the demo sets it, and so begins and ends the outage. */
export const servingCondition = 'demo.weeder.dev/serving';

/** Which dependants weeder may delete. */
export const setLabel = 'demo.weeder.dev/set';
export type DependantSet = 'weeded' | 'ignored';

interface Manifest {
  /** The collection, in the demo's namespace. */
  readonly path: string;
  readonly body: JsonObject;
}

/**
 * What runs in the namespace, in the order of its creation: pods get the address of a service only if it existed
 * first. Two sets of the same dependants suffer the same outage; one of them is annotated, so that weeder keeps it.
 */
export function manifests(namespace: string, image: string, replicas: number): readonly Manifest[] {
  const replicaSetsPath = `/apis/apps/v1/namespaces/${namespace}/replicasets`;
  const dependants = (name: string, set: DependantSet, annotations: JsonObject) =>
    replicaSet(name, replicas, { ...apiserverLabels, [setLabel]: set }, annotations, {
      containers: [container(apiserver, image, dependantScript, { exec: { command: ['cat', readyFile] } })],
    });
  return [
    {
      path: `/api/v1/namespaces/${namespace}/services`,
      body: { metadata: { name: etcdService }, spec: { selector: etcdLabels, ports: [{ port }] } },
    },
    {
      path: replicaSetsPath,
      body: replicaSet(
        'etcd-main',
        2,
        etcdLabels,
        {},
        {
          containers: [container('etcd', image, etcdScript, { tcpSocket: { port } })],
          readinessGates: [{ conditionType: servingCondition }],
        },
      ),
    },
    { path: replicaSetsPath, body: dependants(apiserver, 'weeded', {}) },
    { path: replicaSetsPath, body: dependants('apiserver-ignored', 'ignored', { 'weeder.dev/ignore': 'true' }) },
  ];
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
          // As clusters ask for it that admit no others (Pod Security Standard "restricted").
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
