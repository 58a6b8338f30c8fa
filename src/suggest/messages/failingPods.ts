import { isObject, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { containerStatusesOf, isPodReady } from '@weeder/kube-runtime/objects';
import { type CrashLoopingPod, crashLooping } from '../../weeder/pods/crashLooping.ts';

/** A text about a container that failed. */
export interface LastMessage {
  /** Where it stands, for a person. */
  readonly where: string;
  /** `run`: what the container itself reported. `pull`: what the kubelet reports of its image. */
  readonly of: 'run' | 'pull';
  readonly text: string;
}

/** What is kept of a pod that crash-loops, or whose image cannot be pulled. */
export interface FailingPod {
  readonly namespace: string;
  readonly metadata: JsonObject;
  /** Its names are resolved by the DNS of the cluster, and not by that of its host. */
  readonly usesClusterDns: boolean;
  readonly messages: readonly LastMessage[];
  /** Undefined: no log explains why the pod fails. */
  readonly crashed: LogTarget | undefined;
}

/** A container whose log can be read. */
export type LogTarget = Pick<CrashLoopingPod, 'namespace' | 'name' | 'container'>;

/** Reads a Pod as the API serves it. Undefined: it does not fail in such a way. */
export function failingPod(pod: JsonObject): FailingPod | undefined {
  const [metadata, spec, status] = [objectOf(pod['metadata']), objectOf(pod['spec']), objectOf(pod['status'])];
  const crashed = crashLooping(pod);
  const messages = isPodReady(status) ? [] : containerStatusesOf(status).flatMap(lastMessage);
  if (crashed === undefined && !messages.some(({ of }) => of === 'pull')) return undefined;
  const { dnsPolicy = 'ClusterFirst', hostNetwork } = spec;
  return {
    namespace: textOf(metadata['namespace']) ?? '',
    metadata,
    usesClusterDns: dnsPolicy === 'ClusterFirstWithHostNet' || (dnsPolicy === 'ClusterFirst' && hostNetwork !== true),
    messages,
    crashed,
  };
}

/** Why the image cannot be pulled, or how the last run ended of a container that does not run now. */
function lastMessage({ name, state, lastState }: JsonObject): LastMessage[] {
  const { running, terminated, waiting } = objectOf(state);
  if (isObject(running)) return [];
  const { reason, message } = objectOf(waiting);
  const isPull = reason === 'ErrImagePull' || reason === 'ImagePullBackOff';
  const text = textOf(isPull ? message : objectOf(terminated ?? objectOf(lastState)['terminated'])['message']) ?? '';
  const where = `${isPull ? 'image pull' : 'last message'} of container ${textOf(name) ?? ''}`;
  return text === '' ? [] : [{ where, of: isPull ? 'pull' : 'run', text }];
}
