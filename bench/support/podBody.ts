import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@weeder/kube-runtime/base';
import type { ContainerState } from '../../test/cluster/support/observer/statuses.ts';

const image = 'registry.example.org/gardener-project/releases/hyperkube/kube-apiserver:v1.36.3';

/**
 * A typical pod of a hosted cluster: about 5 KB of JSON with its defaults and managed fields. Its owner does not exist,
 * and is of a kind that the embedded API server does not serve, so its garbage collector does not delete the pod.
 */
export function podBody(name: string, labels: Readonly<Record<string, string>>, namespace?: string): JsonObject {
  const owner = { apiVersion: 'apps.kruise.io/v1', kind: 'StatefulSet', name: 'kube-apiserver', uid: randomUUID() };
  return {
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { app: 'kubernetes', 'pod-template-hash': '5c5d9545d8', ...labels },
      annotations: {
        'checksum/secret-ca': 'd2f6ab1c'.repeat(8),
        'checksum/configmap-audit-policy': '7e01b9c3'.repeat(8),
      },
      ownerReferences: [{ ...owner, controller: true }],
    },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: 'kube-apiserver',
          image,
          command: ['/usr/local/bin/kube-apiserver', ...flags],
          ports: [{ name: 'https', containerPort: 443 }],
          resources: { requests: { cpu: '250m', memory: '500Mi' } },
          readinessProbe: {
            httpGet: { scheme: 'HTTPS', path: '/readyz', port: 443 },
            periodSeconds: 10,
            failureThreshold: 3,
          },
          volumeMounts: volumes.map((volume) => ({ name: volume, mountPath: `/srv/kubernetes/${volume}` })),
        },
      ],
      volumes: volumes.map((volume) => ({
        name: volume,
        secret: { secretName: `${volume}-a1b2c3d4`, defaultMode: 416 },
      })),
    },
  };
}

/** The status that its kubelet reports. */
export function podStatus(state: ContainerState): JsonObject {
  const at = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const status = state.ready ? 'True' : 'False';
  const condition = (type: string, value: string) => ({
    type,
    status: value,
    lastTransitionTime: at,
    lastProbeTime: null,
  });
  return {
    phase: 'Running',
    conditions: [
      condition('Initialized', 'True'),
      condition('Ready', status),
      condition('ContainersReady', status),
      condition('PodScheduled', 'True'),
    ],
    hostIP: '10.250.0.7',
    podIP: '100.64.3.21',
    startTime: at,
    qosClass: 'Burstable',
    containerStatuses: [
      { name: 'kube-apiserver', image, imageID: `sha256:${'4f'.repeat(32)}`, lastState: {}, ...state },
    ],
  };
}

const volumes = ['ca', 'etcd-client-tls'];
const flags = [
  '--etcd-servers=https://etcd-main-client:2379',
  '--service-account-issuer=https://api.shoot.example.org',
  '--tls-cert-file=/srv/kubernetes/apiserver/tls.crt',
  '--enable-admission-plugins=NodeRestriction,PodSecurity',
];
