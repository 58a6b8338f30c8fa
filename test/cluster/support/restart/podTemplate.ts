import type { TestNamespace } from '../namespace.ts';

const nodeName = 'weeder-test-node';

/** The options of a test's pods. */
export interface PodOptions {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Names of the main containers; default one, `main`. */
  readonly containers?: readonly string[];
  readonly initContainers?: readonly string[];
  /** Names of restartable init containers. */
  readonly sidecars?: readonly string[];
  /** Default `Always`; a ReplicaSet or Deployment takes no other. */
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  /** Restart policies of single main containers, by name. */
  readonly containerRestartPolicies?: Readonly<Record<string, 'Always' | 'OnFailure' | 'Never'>>;
  /** Bound to a node: necessary behind a real service. It is still removed at once when it is deleted. */
  readonly onNode?: boolean;
  /** Default 0: no kubelet would ever end the grace period of a pod on a node. */
  readonly gracePeriodSeconds?: number;
  /** Delayed by a finalizer, so that a DELETE leaves a terminating pod behind (see `removeFinalizers`). */
  readonly finalizers?: readonly string[];
}

interface Template {
  readonly metadata: object;
  readonly spec: object;
}

/** The template of a workload's pods, which also have the label `workload` with its name. */
export function podTemplate(options: PodOptions, workload: string): Template {
  const { containers = ['main'], initContainers = [], sidecars = [], containerRestartPolicies = {} } = options;
  const image = 'registry.invalid/weeder-test:1';
  const init = [
    ...sidecars.map((name) => ({ name, image, restartPolicy: 'Always' })),
    ...initContainers.map((name) => ({ name, image })),
  ];
  const main = containers.map((name) => {
    const own = containerRestartPolicies[name];
    return { name, image, ...(own === undefined ? {} : { restartPolicy: own }) };
  });
  return {
    metadata: {
      labels: { ...options.labels, workload },
      annotations: options.annotations ?? {},
      ...(options.finalizers ? { finalizers: options.finalizers } : {}),
    },
    spec: {
      containers: main,
      ...(init.length > 0 ? { initContainers: init } : {}),
      restartPolicy: options.restartPolicy ?? 'Always',
      terminationGracePeriodSeconds: options.gracePeriodSeconds ?? 0,
      ...(options.onNode ? { nodeName } : {}),
    },
  };
}

/** The node that pods with `onNode` are bound to; it exists as an object only. */
export async function ensureNode(ns: TestNamespace): Promise<void> {
  const answer = await ns.cluster.send('POST', '/api/v1/nodes', { body: { metadata: { name: nodeName } } });
  if (answer.status !== 201 && answer.status !== 409) throw new Error(`no node: ${JSON.stringify(answer.body)}`);
}
