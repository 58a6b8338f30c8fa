import type { ApiStore, Resource } from '@weeder/embedded-cluster';
import {
  configMaps,
  cronJobs,
  deployments,
  namespaces,
  secrets,
  statefulSets,
} from '@weeder/embedded-cluster/resources';
import type { JsonObject } from '@weeder/kube-runtime/base';

/** The namespace of the shop and of weeder's hash key. */
export const home = 'shop';
export const weederHome = 'weeder';

/** The config: the defaults, for all workloads of the shop. */
export const configText = `restartControl:
  - namespaces: [${home}]
`;

/** The initial content of its ConfigMaps and Secrets. */
const settings = { greeting: 'Hello', currency: 'EUR', note: 'by Ada' };
export const features = { discounts: 'off', gifts: 'off' };

/** The number of workloads in the shop. */
export const workloadCount = 5;

/** Creates the shop: workloads that use the same sources in different ways. */
export function createShop(store: ApiStore): void {
  const create = (resource: Resource, object: JsonObject) => {
    const created = store.create(resource, object, { manager: 'kubectl' });
    if (!created.ok) throw new Error(created.error.message);
  };
  for (const name of [home, weederHome]) create(namespaces, { metadata: { name } });
  create(configMaps, { metadata: named('shop-settings'), data: settings });
  create(configMaps, { metadata: named('features'), data: features });
  create(secrets, { metadata: named('db-password'), data: encoded({ password: 'first' }) });
  create(secrets, { metadata: named('payments-key'), data: encoded({ 'key.pem': 'a key' }) });
  create(deployments, workload('web', { env: [fromSettings('greeting')] }));
  const volumes = [{ name: 'key', secret: { secretName: 'payments-key' } }];
  const volumeMounts = [{ name: 'key', mountPath: '/key' }];
  create(deployments, workload('payments', { env: [fromSettings('currency')], volumeMounts }, { volumes }));
  create(deployments, workload('cart', { envFrom: [{ configMapRef: { name: 'features' } }] }));
  create(statefulSets, workload('db', { env: [password] }, {}, { serviceName: 'db' }));
  create(cronJobs, nightly('report', { env: [password] }));
}

/** The values of a Secret, encoded as in the API. */
export function encoded(values: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));
}

/** The image of a release of a workload. */
export function imageOf(name: string, release: number): string {
  return `shop/${name}:${release}`;
}

const password = {
  name: 'PASSWORD',
  valueFrom: { secretKeyRef: { name: 'db-password', key: 'password' } },
};

function fromSettings(key: string): JsonObject {
  return { name: key.toUpperCase(), valueFrom: { configMapKeyRef: { name: 'shop-settings', key } } };
}

function workload(name: string, container: JsonObject, podSpec: JsonObject = {}, more: JsonObject = {}): JsonObject {
  const template = templateOf(name, container, podSpec);
  return {
    metadata: named(name),
    spec: { replicas: 2, selector: { matchLabels: { app: name } }, template, ...more },
  };
}

function nightly(name: string, container: JsonObject): JsonObject {
  const template = templateOf(name, container, { restartPolicy: 'Never' });
  return { metadata: named(name), spec: { schedule: '0 3 * * *', jobTemplate: { spec: { template } } } };
}

function templateOf(name: string, container: JsonObject, podSpec: JsonObject): JsonObject {
  const containers = [{ name, image: imageOf(name, 1), ...container }];
  return { metadata: { labels: { app: name } }, spec: { containers, ...podSpec } };
}

function named(name: string): JsonObject {
  return { name, namespace: home };
}
