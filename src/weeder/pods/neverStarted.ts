import { objectOf, textOf } from '@weeder/kube-runtime/base';
import { containerStatusesOf, isPodReady, nameIn } from '@weeder/kube-runtime/objects';

/** A pod with a container that has not crashed, but cannot be created. The kubelet tries again by itself. */
export interface NeverStarted {
  readonly namespace: string;
  readonly name: string;
  readonly container: string;
  /** The reason that the kubelet reports, such as `CreateContainerConfigError`. */
  readonly reason: string;
  readonly because: string;
}

const config = 'the pod spec names something that is missing or invalid, and the kubelet tries again';
const image = 'the image cannot be pulled, and the kubelet tries again';
const becauseOf: ReadonlyMap<unknown, string> = new Map([
  ['CreateContainerConfigError', config],
  ['CreateContainerError', config],
  ['InvalidImageName', config],
  ['ErrImagePull', image],
  ['ImagePullBackOff', image],
  ['RegistryUnavailable', image],
  ['ErrImageNeverPull', image],
]);

const waiting = Buffer.from('"waiting"');
const reasons = ['CreateContainer', 'InvalidImageName', 'ErrImage', 'ImagePullBackOff', 'RegistryUnavailable'].map(
  (each) => Buffer.from(each),
);

/** Whether a line of a watch may be about such a pod, decided without parsing it. */
export function mayNeverStart(line: Buffer): boolean {
  return line.includes(waiting) && reasons.some((reason) => line.includes(reason));
}

/**
 * Reads a Pod as the API serves it, and finds a container that waits for such a reason. Returns undefined if there is
 * none.
 */
export function neverStarted(pod: unknown): NeverStarted | undefined {
  const { metadata, status } = objectOf(pod);
  const { namespace, name, deletionTimestamp } = objectOf(metadata);
  if (deletionTimestamp !== undefined || isPodReady(objectOf(status))) return undefined;
  for (const containerStatus of containerStatusesOf(objectOf(status))) {
    const { reason } = objectOf(objectOf(containerStatus['state'])['waiting']);
    const because = becauseOf.get(reason);
    if (because === undefined) continue;
    const container = nameIn(containerStatus['name']) ?? '';
    return {
      namespace: textOf(namespace) ?? '',
      name: textOf(name) ?? '',
      container,
      reason: textOf(reason) ?? '',
      because,
    };
  }
  return undefined;
}
