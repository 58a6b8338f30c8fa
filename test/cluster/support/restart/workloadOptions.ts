import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { WorkloadKind } from '@weeder/kube-runtime/objects';
import type { TestNamespace } from '../namespace.ts';
import { podTemplate } from './podTemplate.ts';

/** The options of a workload. */
export interface WorkloadOptions {
  /** Fields of its only container. Default: `envFrom` with the ConfigMap of the same name. */
  readonly uses?: object;
  /** Fields of the pod spec. */
  readonly podSpec?: object;
  /** Annotations of its pods. */
  readonly podAnnotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: object;
  /** Whether to wait until its pods run. Default true. */
  readonly isAwaited?: boolean;
}

/** Returns the pod template, for a CronJob that of its Jobs. */
export function templateOf(object: JsonObject): JsonObject {
  const spec = objectOf(object['spec']);
  const jobs = objectOf(objectOf(spec['jobTemplate'])['spec']);
  return objectOf(spec['template'] ?? jobs['template']);
}

/** Returns the spec of a workload of this kind and name. */
export function specOf(kind: WorkloadKind, name: string, ns: TestNamespace, request: WorkloadOptions = {}): JsonObject {
  const { uses = { envFrom: [{ configMapRef: { name } }] }, podSpec = {}, podAnnotations = {}, spec = {} } = request;
  const runsOnce = kind === 'Job' || kind === 'CronJob';
  const defaultTemplate = podTemplate({ labels: {}, restartPolicy: runsOnce ? 'Never' : 'Always' }, name);
  const containers = [{ name: 'main', image: 'registry.invalid/weeder-test:1', ...uses }];
  const metadata = { ...defaultTemplate.metadata, annotations: podAnnotations };
  const template = { metadata, spec: { ...defaultTemplate.spec, containers, ...podSpec } };
  const selector = { matchLabels: { workload: name } };
  switch (kind) {
    case 'Deployment':
    case 'StatefulSet':
      return { replicas: 2, selector, template, ...spec };
    case 'DaemonSet': {
      const placed = { nodeSelector: { 'weeder.dev/test': ns.name }, tolerations: [{ operator: 'Exists' }] };
      return { selector, template: { ...template, spec: { ...template.spec, ...placed } }, ...spec };
    }
    case 'Job':
      return { template, ...spec };
    case 'CronJob':
      return { schedule: '0 0 1 1 *', jobTemplate: { spec: { template } }, ...spec };
  }
}

/** Creates the nodes on which the DaemonSets of a scene run their pods. */
export async function makeNodes(ns: TestNamespace): Promise<void> {
  const labels = { 'weeder.dev/test': ns.name };
  for (const name of [`${ns.name}-a`, `${ns.name}-b`])
    await ns.cluster.api('POST', '/api/v1/nodes', { metadata: { name, labels } });
}
