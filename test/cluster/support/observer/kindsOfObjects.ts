import type { JsonObject } from '@weeder/kube-runtime/base';
import { gadgetDefinition } from './gadgets.ts';

const labels = { app: 'web' };
const template = {
  metadata: { labels },
  spec: {
    containers: [
      {
        name: 'web',
        image: 'registry.invalid/web:1',
        args: ['--fast'],
        command: ['/web'],
        ports: [{ containerPort: 53 }, { containerPort: 53, protocol: 'UDP', name: 'dns-udp' }],
        env: [
          { name: 'A', value: '1' },
          { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
          { name: 'EMPTY', value: '' },
        ],
        envFrom: [{ configMapRef: { name: 'c' } }],
        resources: { limits: { cpu: '1000m', memory: '1024Mi' }, requests: { cpu: '0.5' } },
        volumeMounts: [{ name: 'scratch', mountPath: '/tmp' }],
        readinessProbe: { httpGet: { path: '/', port: 53 }, initialDelaySeconds: 3 },
      },
      { name: 'sidecar', image: 'registry.invalid/sidecar:1' },
    ],
    volumes: [
      { name: 'scratch', emptyDir: {} },
      { name: 'settings', configMap: { name: 'c', items: [{ key: 'k', path: 'p' }] } },
    ],
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }],
    imagePullSecrets: [{ name: 'pull' }],
    hostAliases: [{ ip: '10.0.0.1', hostnames: ['a', 'b'] }],
    topologySpreadConstraints: [
      { topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 1, labelSelector: { matchLabels: labels } },
    ],
    securityContext: { runAsUser: 1000, supplementalGroups: [1, 2] },
  },
};

/** Manifests with every kind of list and map, and with values that the server normalizes. */
export const objectsOfKinds: readonly JsonObject[] = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', labels, annotations: { 'a.b/c': 'd' }, finalizers: ['example.org/keep'] },
    spec: { replicas: 2, minReadySeconds: 0, selector: { matchLabels: labels }, template },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'web' },
    spec: {
      serviceName: 'web',
      selector: { matchLabels: labels },
      template,
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } },
        },
      ],
    },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'web' },
    spec: { suspend: true, backoffLimit: 2, template: { spec: { ...template.spec, restartPolicy: 'Never' } } },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web' },
    spec: {
      selector: labels,
      ports: [
        { name: 'dns', port: 53 },
        { name: 'dns-udp', port: 53, protocol: 'UDP', targetPort: 'dns-udp' },
      ],
      externalIPs: [],
    },
  },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data: { cpu: '1000m', empty: '', 'a.b': 'c' } },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'web' }, type: 'Opaque', data: { a: 'aGk=', b: 'aGkK' } },
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'web' },
    secrets: [{ name: 'a' }],
    imagePullSecrets: [{ name: 'b' }],
    automountServiceAccountToken: false,
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'web' },
    spec: {
      rules: [
        {
          host: 'a.example',
          http: {
            paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } }],
          },
        },
      ],
      tls: [{ hosts: ['a.example'], secretName: 't' }],
    },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'web' },
    spec: {
      podSelector: {},
      policyTypes: ['Ingress'],
      ingress: [{ from: [{ podSelector: { matchLabels: labels } }], ports: [{ port: 80, protocol: 'TCP' }] }],
    },
  },
  {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 1,
      maxReplicas: 5,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
      ],
    },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'web' },
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'], resourceNames: [] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'web' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'web' },
    subjects: [{ kind: 'ServiceAccount', name: 'web' }],
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web' },
    spec: { minAvailable: '50%', selector: { matchLabels: labels } },
  },
  gadgetDefinition,
  {
    apiVersion: 'observer.example.org/v1',
    kind: 'Gadget',
    metadata: { name: 'web' },
    spec: {
      parts: [
        { name: 'a', size: 1 },
        { name: 'a', protocol: 'UDP' },
      ],
      tags: ['x', 'y'],
      steps: [{ name: 's' }],
      plain: [{ name: 'p', size: 2 }],
      options: { 'a.b': '1', c: '2' },
      whole: { k: 'v' },
      open: { map: { a: 1, b: { c: [1, { d: 2 }] } }, empty: {}, none: [] },
      inner: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'i', labels }, data: { a: 'b' } },
      port: '80%',
    },
  },
];
