import type { TestNamespace } from '../namespace.ts';
import { ensureNode } from '../plane/node.ts';

const nodeName = 'weeder-test-node';

/** The options of pods. */
export interface PodOptions {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Of all containers. Default: one that does not exist. */
  readonly image?: string;
  /** Names of the main containers. Default: `main`. */
  readonly containers?: readonly string[];
  readonly initContainers?: readonly string[];
  /** Names of restartable init containers. */
  readonly sidecars?: readonly string[];
  /** Default `Always`, the only value for a ReplicaSet or Deployment. */
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  /** Restart policies of main containers, by name. */
  readonly containerRestartPolicies?: Readonly<Record<string, 'Always' | 'OnFailure' | 'Never'>>;
  /** Binds the pod to a node, which an endpoint of a Service needs. The grace period is still 0. */
  readonly onNode?: boolean;
  /** Default 0, because without a kubelet the grace period of a pod on a node does not end. */
  readonly gracePeriodSeconds?: number;
  /** Finalizers, with which a deleted pod remains terminating (see `removeFinalizers`). */
  readonly finalizers?: readonly string[];
}

interface Template {
  readonly metadata: object;
  readonly spec: object;
}

/** Returns a pod template. Pods also have the label `workload` with the name of the workload. */
export function podTemplate(options: PodOptions, workload: string): Template {
  const { containers = ['main'], initContainers = [], sidecars = [], containerRestartPolicies = {} } = options;
  const { image = 'registry.invalid/weeder-test:1' } = options;
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

/** Creates the node to which pods with `onNode` are bound. */
export async function ensureTestNode(ns: TestNamespace): Promise<void> {
  await ensureNode(ns.cluster, nodeName);
}
