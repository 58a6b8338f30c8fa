import type { JsonObject } from '@weeder/kube-runtime/base';
import type { Config } from '../../src/config/config.ts';
import type { Dependency } from '../../src/dependencies/dependency.ts';
import { readObjects } from '../../src/suggest/observed.ts';
import { suggestDependencies } from '../../src/suggest/suggestDependencies.ts';

interface ServiceOptions {
  readonly namespace?: string;
  readonly ports?: readonly number[];
  readonly spec?: object;
}

/** A Service that selects the pods with the label `app` of its own name. */
export function service(name: string, { namespace = 'shop', ports = [], spec = {} }: ServiceOptions = {}): JsonObject {
  const fullSpec = { ports: ports.map((port) => ({ port })), selector: { app: name }, ...spec };
  return { apiVersion: 'v1', kind: 'Service', metadata: { namespace, name }, spec: fullSpec };
}

interface WorkloadOptions {
  readonly kind?: string;
  readonly namespace?: string;
  readonly container?: object;
  readonly pod?: object;
  readonly labels?: object;
  readonly annotations?: object;
  readonly spec?: object;
}

/** A workload with one container, whose pods have the label `app` of its own name. */
export function workload(name: string, options: WorkloadOptions = {}): JsonObject {
  const { kind = 'Deployment', namespace = 'shop', container = {}, pod = {}, labels, annotations = {} } = options;
  const own = { app: name, ...labels };
  const template = {
    metadata: { labels: own, annotations },
    spec: { containers: [{ name: 'main', ...container }], ...pod },
  };
  const spec = { selector: { matchLabels: { app: name } }, ...options.spec };
  const owner = kind === 'CronJob' ? { jobTemplate: { spec: { template } } } : { ...spec, template };
  return { apiVersion: 'apps/v1', kind, metadata: { namespace, name }, spec: owner };
}

export function configMap(name: string, data: Readonly<Record<string, string>>): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'shop', name }, data };
}

/** The dependencies in these objects. */
export function suggested(objects: readonly JsonObject[], config?: Config): Dependency[] {
  return suggestDependencies(readObjects(objects), config);
}

/** One line for each dependency: `high postgres: env DB_HOST of container main: postgres:5432`. */
export function inShort(dependencies: readonly Dependency[]): string[] {
  return dependencies.map(({ service: { name }, confidence, evidence: [first] }) =>
    first === undefined ? `- ${name}` : `${confidence} ${name}: ${first.where}: ${first.found}`,
  );
}
