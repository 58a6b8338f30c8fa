import { keyOf, objectText, partsOf, selectorToString } from '@weeder/kube-runtime/objects';
import { serviceStates } from '@weeder/live-page';
import { printable } from '../base/printable.ts';
import { isConfigured, type ServiceConfig } from '../config/config.ts';
import { describeService } from '../config/describeSettings.ts';
import { scopeFrom } from '../config/scopes.ts';
import type { WatchedService } from '../config/serviceLookup.ts';
import { declaredScope } from '../weeder/declared/declaration.ts';
import { describeBackOff } from '../weeder/pods/backOff.ts';
import type { CrashLoopingPod } from '../weeder/pods/crashLooping.ts';
import type { NeverStarted } from '../weeder/pods/neverStarted.ts';
import type { PodIndex, Scope } from '../weeder/pods/podIndex.ts';
import type { ServiceReadiness } from '../weeder/services/serviceRecords.ts';
import { describeExternalName, type ExternalNames } from './externalNames.ts';
import type { ClusterView, PodCounts } from './inspectCluster.ts';
import { verdict } from './verdict.ts';

/** Describes the services of the config and those that only pods declare, a text of several lines for each. */
export function explainServices(view: ClusterView, externalNames: ExternalNames = new Map()): string[] {
  const { services, declared } = view.config;
  const readiness = view.weeder.slices.services();
  const named = [...services.values()].map((service) => explainService(service, readiness, view, externalNames));
  const others = [...(declared?.services ?? [])].sort().flatMap((key) => {
    const { namespace, name } = partsOf(key);
    return isConfigured(services.get(name), namespace)
      ? []
      : [explainDeclared(namespace, name, readiness, view, externalNames)];
  });
  const isUnused = declared !== undefined && declared.services.size === 0;
  return [...named, ...others, ...explainProblems(view), ...(isUnused ? ['no pod declares a dependency'] : [])];
}

function explainService(
  service: ServiceConfig,
  services: readonly ServiceReadiness[],
  view: ClusterView,
  externalNames: ExternalNames,
): string {
  const namespacesOf = services
    .filter((each) => each.service === service.name && isConfigured(service, each.namespace))
    .sort((a, b) => (a.namespace < b.namespace ? -1 : 1));
  const head = `${service.name}  (${describeService(service)})`;
  const external = [...externalNames].flatMap(([key, externalName]) => {
    const { namespace, name } = partsOf(key);
    const isIts = name === service.name && isConfigured(service, namespace);
    return isIts ? [`  ${namespace}: ${describeExternalName(externalName)}`] : [];
  });
  if (namespacesOf.length === 0 && external.length === 0)
    return `${head}\n  no watched namespace has an EndpointSlice of this service`;
  return [head, ...namespacesOf.flatMap((each) => explainIn(each, view)), ...external].join('\n');
}

function explainDeclared(
  namespace: string,
  name: string,
  services: readonly ServiceReadiness[],
  view: ClusterView,
  externalNames: ExternalNames,
): string {
  const service = view.services(namespace, name);
  if (service === undefined) return '';
  const readiness = services.find((each) => each.service === name && each.namespace === namespace);
  const head = `${keyOf(namespace, name)}  (declared, ${describeService(service)})`;
  if (readiness !== undefined) return [head, ...explainIn(readiness, view)].join('\n');
  const externalName = externalNames.get(keyOf(namespace, name));
  return [
    head,
    externalName === undefined
      ? '  the namespace has no EndpointSlice of this service'
      : `  ${describeExternalName(externalName)}`,
    ...dependantsIn(namespace, name, service, view),
  ].join('\n');
}

function explainProblems({ claims }: ClusterView): string[] {
  const workloads = claims.flatMap(({ workload, about }) =>
    'problem' in about ? [`  ${objectText(workload)}: ${printable(about.problem)}`] : [],
  );
  return workloads.length === 0 ? [] : [['problems with declared dependencies', ...workloads.sort()].join('\n')];
}

function explainIn({ namespace, service: name, isReady }: ServiceReadiness, view: ClusterView): string[] {
  const service = view.services(namespace, name);
  const lines = service === undefined ? [] : dependantsIn(namespace, name, service, view);
  return [`  ${namespace}: ${serviceStates[isReady ? 'ready' : 'notReady'].words}`, ...lines];
}

/** The crash-looping dependants of a service, and what would be done with each. */
export function dependantsIn(namespace: string, name: string, service: WatchedService, view: ClusterView): string[] {
  const { dependantNamespaces, declaredIn } = service;
  const scope = scopeFrom(dependantNamespaces, namespace);
  const where = dependantNamespaces === 'same' ? '' : ` in ${scope === 'all' ? 'all namespaces' : scope.join(', ')}`;
  const heldBy = (pod: CrashLoopingPod) => view.heldBy(pod, { namespace, service: name });
  const selected = service.podSelectors.flatMap((selector) => {
    const text = selectorToString(selector);
    return podLines(`${text}${where}`, service, {
      heldBy,
      scope,
      index: view.weeder.pods.get(text),
      counts: view.pods.get(text),
    });
  });
  if (declaredIn === 'none') return selected;
  const declared = declaredScope(keyOf(namespace, name), declaredIn);
  const from = { heldBy, scope: declared, index: view.weeder.declaredPods, counts: view.declaredPods };
  return from.counts.total(declared) === 0 ? selected : [...selected, ...podLines('declared', service, from)];
}

interface FoundPods {
  /** Another service for which their deletion waits. */
  readonly heldBy: (pod: CrashLoopingPod) => string | undefined;
  readonly scope: Scope;
  readonly index: PodIndex | undefined;
  readonly counts: PodCounts | undefined;
}

function podLines(what: string, service: WatchedService, foundPods: FoundPods): string[] {
  const { scope, index, counts } = foundPods;
  const pods = index === undefined ? [] : podsIn(index, scope);
  const stuck = [...(index?.neverStarted(scope) ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1));
  const total = counts?.total(scope) ?? 0;
  return [
    `    ${what}: ${total} ${total === 1 ? 'pod' : 'pods'}, ${pods.length} crash-looping`,
    ...pods.map((pod) => `      ${explainPod(pod, service, foundPods)}`),
    ...stuck.map((pod) => `      ${explainNeverStarted(pod)}`),
  ];
}

function podsIn(index: PodIndex, scope: Scope): CrashLoopingPod[] {
  return index.podsIn(scope).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function explainPod(pod: CrashLoopingPod, service: WatchedService, { index, heldBy }: FoundPods): string {
  const what = `${pod.namespace}/${pod.name}  ${pod.containerKind} ${pod.container}, restarts ${pod.restarts}, ${describeBackOff(pod)}`;
  return `${what}  → ${verdict(pod, service, index, heldBy(pod))}`;
}

function explainNeverStarted({ namespace, name, container, reason, because }: NeverStarted): string {
  return `${namespace}/${name}  container ${container}, ${reason}  → left alone: ${because}`;
}
