import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { eventually } from '../eventually.ts';
import type { TestNamespace } from '../namespace.ts';
import type { Cluster } from '../plane/access.ts';
import type { ObserverScene } from './observerScene.ts';

const labels = { app: 'shop' };

/** Waits until the API server has no object at this path, or no such path. */
export async function untilAbsent(cluster: Cluster, path: string, what = `the end of ${path}`): Promise<void> {
  await eventually(async () => (await cluster.send('GET', path)).status === 404, { what });
}

/** A Deployment that a test changes as needed; its pods never matter. */
export function deployment(name = 'web', container: JsonObject = {}): JsonObject {
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'web', image: 'web:1', env: [{ name: 'MODE', value: 'a' }], ...container }] },
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: { replicas: 1, selector: { matchLabels: labels }, template },
  };
}

export function service(name: string, ports: readonly JsonObject[], own: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, labels: own }, spec: { selector: labels, ports } };
}

export function configMap(name: string, data: JsonObject, more: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data, ...more };
}

const plurals = {
  Deployment: ['apis/apps/v1', 'deployments'],
  Service: ['api/v1', 'services'],
  ConfigMap: ['api/v1', 'configmaps'],
  Secret: ['api/v1', 'secrets'],
  Ingress: ['apis/networking.k8s.io/v1', 'ingresses'],
} as const;

export type ObservedKind = keyof typeof plurals;

export function pathOf(ns: TestNamespace, kind: ObservedKind, name: string): string {
  const [group, plural] = plurals[kind];
  return ns.path(group, plural, name);
}

export async function read(ns: TestNamespace, kind: ObservedKind, name: string): Promise<JsonObject> {
  return objectOf(await ns.cluster.api('GET', pathOf(ns, kind, name)));
}

export async function isThere(ns: TestNamespace, kind: ObservedKind, name: string): Promise<boolean> {
  return (await ns.cluster.send('GET', pathOf(ns, kind, name))).status === 200;
}

/** The value at a path of names and positions. */
export function at(object: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (value, step) => (typeof step === 'number' ? arrayOf(value)[step] : objectOf(value)[step]),
    object,
  );
}

/** The names of a list's elements. */
export function namesIn(list: unknown): readonly unknown[] {
  return arrayOf(list).map((each) => objectOf(each)['name']);
}

export function containersOf(object: unknown): readonly JsonObject[] {
  return arrayOf(at(object, 'spec', 'template', 'spec', 'containers')).map(objectOf);
}

/** Waits until the object is as expected. */
export function untilObject(
  ns: TestNamespace,
  kind: ObservedKind,
  name: string,
  what: string,
  isExpected: (object: JsonObject) => boolean,
): Promise<JsonObject> {
  return eventually(
    async (saw) => {
      const object = await read(ns, kind, name);
      saw(object);
      return isExpected(object) ? object : undefined;
    },
    { what },
  );
}

/** The row of one resource in the application's inventory. */
export async function rowOf(scene: ObserverScene, application: string, kind: string, name: string) {
  const { status } = await scene.application(application);
  const rows = arrayOf(objectOf(status)['resources']).map(objectOf);
  return rows.find((row) => row['kind'] === kind && row['name'] === name);
}

/** One of its conditions, complete. */
export async function conditionOf(scene: ObserverScene, application: string, type: string): Promise<JsonObject> {
  return conditionsIn(await scene.application(application))[type] ?? {};
}

/** The conditions in the status of an object, by type. */
export function conditionsIn({ status }: JsonObject): Readonly<Record<string, JsonObject>> {
  const conditions = arrayOf(objectOf(status)['conditions']).map(objectOf);
  return Object.fromEntries(conditions.map((each) => [String(each['type']), each]));
}
