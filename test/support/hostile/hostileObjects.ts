import type { JsonObject } from '@weeder/kube-runtime/base';

/** These fields of an object have a text of this length. */
export interface Hostile {
  readonly fields: readonly Field[];
  readonly length: number;
  readonly character: string;
}

/** The texts that Kubernetes does not limit in the objects that weeder and restart control read. */
export const hostileFields = [
  ...['ownerApiVersion', 'ownerKind', 'ownerName', 'ownerUid', 'image', 'message', 'reason', 'nodeName'],
  ...['containerName', 'targetName', 'targetNamespace', 'targetKind', 'address', 'involvedName', 'involvedUid'],
  ...['involvedKind', 'sourceName', 'sourceKey', 'serviceName', 'serviceNamespace', 'managedBy', 'selector'],
] as const;

type Field = (typeof hostileFields)[number];

/** An object of the kind, with ordinary texts in the other fields. */
export function hostileObject(kind: string, number: number, { fields, length, character }: Hostile): JsonObject {
  const text: Text = (field, usual) => (fields.includes(field) ? `${number}${character.repeat(length)}` : usual);
  const create = byKind[kind];
  if (create === undefined) throw new Error(`there are no objects of kind ${kind}`);
  return create(number, text);
}

type Text = (field: Field, usual: string) => string;

function metadata(name: string, number: number, text: Text): JsonObject {
  return {
    namespace: 'shop',
    name: `${name}-${number}`,
    uid: `${name}-${number}-0000-4000-8000-000000000000`,
    resourceVersion: `${number + 1}`,
    creationTimestamp: '2026-11-28T00:00:00Z',
    labels: { app: 'web', 'weeder.dev/depends-on': 'db', 'kubernetes.io/service-name': 'db' },
    annotations: { 'weeder.dev/depends-on-services': 'queue.middleware' },
    ownerReferences: [
      {
        apiVersion: text('ownerApiVersion', 'apps/v1'),
        kind: text('ownerKind', 'ReplicaSet'),
        name: text('ownerName', 'web-5f8'),
        uid: text('ownerUid', 'f5f7'),
        controller: true,
      },
    ],
  };
}

function podObject(number: number, text: Text): JsonObject {
  const name = text('containerName', 'main');
  const message = text('message', 'back-off 40s restarting failed container');
  const terminated = { exitCode: 1, reason: text('reason', 'Error'), message, finishedAt: '2026-11-28T00:00:00Z' };
  const waiting = { reason: number % 2 === 0 ? 'CrashLoopBackOff' : 'ErrImagePull', message };
  const state = number % 2 === 0 ? { lastState: { terminated }, restartCount: 4 } : { restartCount: 0 };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadata('web', number, text),
    spec: {
      nodeName: text('nodeName', 'node-1'),
      containers: [{ name, image: `db.shop.svc/${text('image', 'web')}` }],
      volumes: [{ name: 'a', secret: { secretName: text('sourceName', 'password') } }],
    },
    status: { phase: 'Pending', message, containerStatuses: [{ name, ready: false, ...state, state: { waiting } }] },
  };
}

function sliceObject(number: number, text: Text): JsonObject {
  const targetRef = {
    kind: text('targetKind', 'Pod'),
    namespace: text('targetNamespace', 'shop'),
    name: text('targetName', 'db-0'),
  };
  const addresses = Array.from({ length: 100 }, (_, index) => text('address', `10.0.0.${index}`));
  const endpoint = { addresses: addresses.slice(0, 2), conditions: { ready: true }, targetRef };
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: metadata('db', number, text),
    endpoints: Array.from({ length: 20 }, () => endpoint),
  };
}

function eventObject(number: number, text: Text): JsonObject {
  const call = `failed calling webhook "${text('serviceName', 'policy.example.com')}": connection refused`;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: metadata('event', number, text),
    reason: 'FailedCreate',
    message: `${call} ${text('message', '')}`,
    lastTimestamp: '2026-11-28T00:00:00Z',
    involvedObject: {
      kind: text('involvedKind', 'ReplicaSet'),
      namespace: 'shop',
      name: text('involvedName', `web-${number}`),
      uid: text('involvedUid', `web-${number}`),
    },
  };
}

function webhookObject(kind: string) {
  return (number: number, text: Text): JsonObject => {
    const service = { namespace: text('serviceNamespace', 'policy'), name: text('serviceName', 'webhook') };
    const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }];
    return {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind,
      metadata: metadata('policy', number, text),
      webhooks: [{ name: 'policy.example.com', clientConfig: { service }, rules, failurePolicy: 'Fail' }],
    };
  };
}

function workloadObject(kind: string) {
  return (number: number, text: Text): JsonObject => {
    const name = text('containerName', 'main');
    const key = { name: text('sourceName', 'password'), key: text('sourceKey', 'password') };
    const template = {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [{ name, image: text('image', 'web'), env: [{ name: 'A', valueFrom: { secretKeyRef: key } }] }],
        volumes: [{ name: 'a', secret: { secretName: key.name, items: [{ key: key.key, path: 'a' }] } }],
        imagePullSecrets: [{ name: key.name }],
      },
    };
    const condition = { type: 'ReplicaFailure', status: 'True', reason: text('reason', 'FailedCreate') };
    const selector = { matchLabels: { app: text('selector', 'web') } };
    return {
      apiVersion: 'apps/v1',
      kind,
      metadata: metadata('web', number, text),
      spec: {
        selector,
        managedBy: text('managedBy', 'example.com/queue'),
        template,
        jobTemplate: { spec: { template } },
      },
      status: { conditions: [{ ...condition, message: text('message', 'exceeded quota') }] },
    };
  };
}

const byKind: Readonly<Record<string, (number: number, text: Text) => JsonObject>> = {
  Pod: podObject,
  EndpointSlice: sliceObject,
  Event: eventObject,
  ...of(webhookObject, 'ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'),
  ...of(workloadObject, 'Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'Job'),
};

export const kindsWithTexts = Object.keys(byKind);

function of(create: (kind: string) => (number: number, text: Text) => JsonObject, ...kinds: readonly string[]) {
  return Object.fromEntries(kinds.map((kind) => [kind, create(kind)]));
}
