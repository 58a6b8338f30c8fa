import { formatDuration } from '../base/duration.ts';
import { printable } from '../base/printable.ts';
import type { ServiceConfig } from '../config/config.ts';
import { selectorToString } from '../kube/objects/selector.ts';
import { waitForRestart } from '../weeder/deletions/deletionCost.ts';
import type { CrashLoopingPod } from '../weeder/pods/crashLooping.ts';
import type { NeverStarted } from '../weeder/pods/neverStarted.ts';
import type { PodIndex } from '../weeder/pods/podIndex.ts';
import { skippedBecause, waitBecause } from '../weeder/report/wording.ts';
import type { ServiceReadiness } from '../weeder/services/readiness.ts';
import type { ClusterView } from './inspectCluster.ts';

/** Describes one configured service, as lines of text. */
export function explainService(service: ServiceConfig, view: ClusterView): string {
  const found = view.weeder.slices
    .services()
    .filter((each) => each.service === service.name)
    .sort((a, b) => (a.namespace < b.namespace ? -1 : 1));
  const { watchDuration, whileNotReady, deletion } = service;
  const head = `${service.name}  (window ${formatDuration(watchDuration)}, whileNotReady ${whileNotReady}, deletion ${deletion})`;
  if (found.length === 0) return `${head}\n  no watched namespace has an EndpointSlice of this service`;
  return [head, ...found.flatMap((each) => explainIn(each, service, view))].join('\n');
}

function explainIn(readiness: ServiceReadiness, service: ServiceConfig, view: ClusterView): string[] {
  const { dependantNamespaces } = service;
  const scope = dependantNamespaces === 'same' ? [readiness.namespace] : dependantNamespaces;
  const where = dependantNamespaces === 'same' ? '' : ` in ${scope === 'all' ? 'all namespaces' : scope.join(', ')}`;
  const lines = service.podSelectors.flatMap((selector) => {
    const text = selectorToString(selector);
    const index = view.weeder.pods.get(text);
    const pods = index === undefined ? [] : podsIn(index, scope);
    const total = view.pods.get(text)?.total(scope) ?? 0;
    const counts = `${total} ${total === 1 ? 'pod' : 'pods'}, ${pods.length} crash-looping`;
    const stuck = view.pods.get(text)?.neverStarted(scope) ?? [];
    return [
      `    ${text}${where}: ${counts}`,
      ...pods.map((pod) => `      ${explainPod(pod, index, service)}`),
      ...stuck.map((pod) => `      ${explainNeverStarted(pod)}`),
    ];
  });
  return [`  ${readiness.namespace}: ${readiness.isReady ? 'ready' : 'not ready'}`, ...lines];
}

function podsIn(index: PodIndex, scope: 'all' | readonly string[]): CrashLoopingPod[] {
  const pods: CrashLoopingPod[] = [];
  index.subscribe(scope, { crashLooping: (pod) => pods.push(pod), left: () => {} })();
  return pods.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function explainPod(pod: CrashLoopingPod, index: PodIndex | undefined, service: ServiceConfig): string {
  const state = pod.cause === 'silent' ? 'in unreported back-off' : printable(pod.message ?? pod.cause);
  const what = `${pod.namespace}/${pod.name}  ${pod.containerKind} ${pod.container}, restarts ${pod.restarts}, ${state}`;
  return `${what}  → ${verdict(pod, index, service)}`;
}

function explainNeverStarted({ namespace, name, container, reason, because }: NeverStarted): string {
  return `${namespace}/${name}  container ${container}, ${reason}  → left alone: ${because}`;
}

function verdict(pod: CrashLoopingPod, index: PodIndex | undefined, service: ServiceConfig): string {
  const isBareAllowed = pod.protection === 'barePod' && service.barePods === 'delete';
  if (pod.protection !== 'none' && !isBareAllowed) return `skipped: ${skippedBecause[pod.protection]}`;
  const settleIn = index?.settleIn(pod.uid) ?? 0;
  if (settleIn > 0)
    return `would be deleted in a window, if it is not restarted within ${formatDuration(Math.ceil(settleIn))}`;
  const wait = waitForRestart(pod, service, Date.now());
  if (wait > 0) return `would not be deleted now: ${waitBecause.restartIsSooner}`;
  return 'would be deleted in a window';
}
