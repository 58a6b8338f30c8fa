import type { TestNamespace } from './namespace.ts';
import type { Pod } from './objects.ts';
import { type ContainerState, crashLoopBackOff, setPodStatus } from './observer/statuses.ts';
import { ownedPod } from './restart/workloads.ts';

/** Creates a pod with a controller that declares dependencies, by default in CrashLoopBackOff. */
export async function declaringPod(
  ns: TestNamespace,
  name: string,
  dependsOn: string,
  options: { readonly alsoOn?: string; readonly state?: ContainerState } = {},
): Promise<Pod> {
  const { alsoOn, state = crashLoopBackOff(3) } = options;
  const annotations: Record<string, string> = alsoOn === undefined ? {} : { 'weeder.dev/depends-on-services': alsoOn };
  await ownedPod(ns, name, { labels: { 'weeder.dev/depends-on': dependsOn }, annotations });
  return setPodStatus(ns, name, state);
}
