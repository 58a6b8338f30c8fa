import { eventually } from '../eventually.ts';
import type { TestNamespace } from '../namespace.ts';
import { KubeObject, Pod, PodList } from '../objects.ts';
import { ensureTestNode, type PodOptions, podTemplate } from './podTemplate.ts';

interface ReplicaOptions extends PodOptions {
  readonly replicas?: number;
}

/** Creates a ReplicaSet, and returns its pods when the controller has created them. */
export async function createReplicaSet(ns: TestNamespace, name: string, options: ReplicaOptions): Promise<Pod[]> {
  const { replicas = 1, labels } = options;
  if (options.onNode) await ensureTestNode(ns);
  await ns.cluster.api('POST', ns.path('apis/apps/v1', 'replicasets'), {
    metadata: { name, labels },
    spec: { replicas, selector: { matchLabels: { ...labels, workload: name } }, template: podTemplate(options, name) },
  });
  return podsOf(ns, { workload: name }, replicas);
}

/** Creates a pod without a controller. */
export async function barePod(ns: TestNamespace, name: string, options: PodOptions): Promise<Pod> {
  return createPod(ns, name, options, []);
}

/**
 * Creates a pod with an owner that does not replace it. The owner is a ConfigMap, because the garbage collector
 * deletes a pod whose owner does not exist.
 */
export async function ownedPod(ns: TestNamespace, name: string, options: PodOptions): Promise<Pod> {
  const body = { metadata: { name: `owner-of-${name}` } };
  const { metadata } = KubeObject.parse(await ns.cluster.api('POST', ns.path('api/v1', 'configmaps'), body));
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: metadata.name, uid: metadata.uid, controller: true };
  return createPod(ns, name, options, [owner]);
}

async function createPod(
  ns: TestNamespace,
  name: string,
  options: PodOptions,
  ownerReferences: readonly object[],
): Promise<Pod> {
  if (options.onNode) await ensureTestNode(ns);
  const { metadata, spec } = podTemplate(options, name);
  const pod = { metadata: { ...metadata, name, ownerReferences }, spec };
  return Pod.parse(await ns.cluster.api('POST', ns.path('api/v1', 'pods'), pod));
}

/** Returns the pods with these labels. With `count`, waits for exactly so many, none of them terminating. */
export async function podsOf(
  ns: TestNamespace,
  labels: Readonly<Record<string, string>>,
  count?: number,
): Promise<Pod[]> {
  const selector = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  const list = async (): Promise<Pod[]> => {
    const path = `${ns.path('api/v1', 'pods')}?labelSelector=${encodeURIComponent(selector)}`;
    return PodList.parse(await ns.cluster.api('GET', path)).items;
  };
  if (count === undefined) return list();
  return eventually(
    async (saw) => {
      const pods = await list();
      saw(pods.map(({ metadata }) => `${metadata.name}${metadata.deletionTimestamp ? ' (terminating)' : ''}`));
      return pods.length === count && pods.every(({ metadata }) => !metadata.deletionTimestamp) && pods;
    },
    { what: `${count} pods with ${selector} in ${ns.name}` },
  );
}

/** Waits for the only pod with these labels. With `not`, waits for the replacement of the pod with that uid. */
export async function onePod(
  ns: TestNamespace,
  labels: Readonly<Record<string, string>>,
  options: { readonly not?: string } = {},
): Promise<Pod> {
  return eventually(
    async (saw) => {
      const [pod, ...more] = await podsOf(ns, labels, 1);
      saw(pod?.metadata.name);
      return more.length === 0 && pod?.metadata.uid !== options.not && pod;
    },
    { what: `one pod with ${JSON.stringify(labels)}${options.not ? ` other than ${options.not}` : ''} in ${ns.name}` },
  );
}

/** Returns the pod, or undefined if it does not exist. */
export async function getPod(ns: TestNamespace, name: string): Promise<Pod | undefined> {
  const answer = await ns.cluster.send('GET', ns.path('api/v1', 'pods', name));
  return answer.status === 404 ? undefined : Pod.parse(answer.body);
}

/** Changes the labels and annotations of a pod. Null removes an entry. */
export async function patchPodMetadata(
  ns: TestNamespace,
  name: string,
  metadata: { labels?: Record<string, string | null>; annotations?: Record<string, string | null> },
): Promise<Pod> {
  const path = ns.path('api/v1', 'pods', name);
  return Pod.parse(await ns.cluster.api('PATCH', path, { metadata }));
}

/** Removes the finalizers of a pod. */
export async function removeFinalizers(ns: TestNamespace, name: string): Promise<void> {
  const patch = { metadata: { finalizers: null } };
  await ns.cluster.api('PATCH', ns.path('api/v1', 'pods', name), patch);
}

export function isReady({ status }: Pod): boolean {
  return status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
}
