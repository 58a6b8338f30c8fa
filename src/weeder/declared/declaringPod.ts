import { partsOf } from '@weeder/kube-runtime/objects';
import { type CrashLoopingPod, crashLooping } from '../pods/crashLooping.ts';
import { failedPull, waitsForImages } from '../pods/failedPull.ts';
import type { ReadPod } from '../pods/podIndex.ts';
import { groupsOfDeclared, groupsOfService, servicesDeclaredBy } from './declaration.ts';

/**
 * Reads a pod that declares services. One that crash-loops depends on all of them. One whose images cannot be pulled
 * depends, until it has them, only on the services from which they come, and counts only if it declares these.
 */
export const readDeclaringPod: ReadPod = (object, before) => {
  const pod = crashLooping(object);
  if (pod !== undefined) return { pod, groups: groupsOfDeclared(object) };
  const pull = failingPullOf(object, before);
  if (pull === undefined) return { pod: undefined, groups: groupsOfDeclared(object) };
  return { pod: pull.pod, groups: pull.services.flatMap((service) => groupsOfService(service, pull.pod.namespace)) };
};

/** A pod that is in back-off: see `crashLooping` and `failedPull`. */
export function failingPod(object: unknown, before?: CrashLoopingPod): CrashLoopingPod | undefined {
  return crashLooping(object) ?? failingPullOf(object, before)?.pod;
}

/** Whether this version of the pod may say something of pulls that concerns the windows of a service. */
export function mayConcernPulls(object: unknown): boolean {
  return servicesDeclaredBy(object).length > 0 && waitsForImages(object);
}

/** The services that the pod declares, and from which all of its missing images come. */
function failingPullOf(object: unknown, before: CrashLoopingPod | undefined) {
  const declared = servicesDeclaredBy(object);
  const pull = declared.length === 0 ? undefined : failedPull(object, before);
  if (pull === undefined) return undefined;
  const sources = pull.hosts.map((host) => declared.find((service) => isNameOf(service, host)));
  const services = [...new Set(sources.flatMap((service) => service ?? []))];
  return sources.includes(undefined) ? undefined : { pod: pull.pod, services };
}

/**
 * Whether a host is this service, by the name that the cluster gives it: `registry.images.svc`, or with the domain of
 * the cluster after it. A shorter name may be that of another host, because nodes do not search the domain.
 */
function isNameOf(service: string, host: string): boolean {
  const { namespace, name } = partsOf(service);
  const qualified = `${name}.${namespace}.svc`;
  return host === qualified || host.startsWith(`${qualified}.`);
}
