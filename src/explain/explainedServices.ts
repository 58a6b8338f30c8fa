import { keyOf, partsOf, selectorToString } from '@weeder/kube-runtime/objects';
import { isConfigured, type ServiceConfig } from '../config/config.ts';
import { describeService } from '../config/describeSettings.ts';
import { scopeFrom } from '../config/scopes.ts';
import type { WatchedService } from '../config/serviceLookup.ts';
import { declaredScope } from '../weeder/declared/declaration.ts';
import { describeBackOff } from '../weeder/pods/backOff.ts';
import type { CrashLoopingPod } from '../weeder/pods/crashLooping.ts';
import type { NeverStarted } from '../weeder/pods/neverStarted.ts';
import type { PodIndex, Scope } from '../weeder/pods/podIndex.ts';
import type { ExternalNames } from './externalNames.ts';
import type { ClusterView, PodCounts } from './inspectCluster.ts';
import { verdict } from './verdict.ts';

/** What weeder sees of a service of the config, or of one that only pods declare. */
export interface ExplainedService {
  readonly name: string;
  readonly source: 'configured' | 'declared';
  /** In words. */
  readonly settings: string;
  readonly namespaces: readonly ExplainedNamespace[];
}

/** The service in one namespace. */
export interface ExplainedNamespace {
  readonly namespace: string;
  /** `absent`: it has no EndpointSlice. */
  readonly state: 'ready' | 'notReady' | 'absent';
  /** The DNS name of a Service of type ExternalName. */
  readonly externalName?: string;
  readonly dependants: readonly ExplainedDependants[];
}

/** The pods that one podSelector selects, or that declare the service. */
export interface ExplainedDependants {
  readonly selector: string;
  /** The number of pods. */
  readonly pods: number;
  readonly crashLooping: readonly ExplainedPod[];
  readonly neverStarted: readonly NeverStarted[];
}

interface ExplainedPod extends Pick<CrashLoopingPod, 'container' | 'containerKind' | 'restarts'> {
  readonly namespace: string;
  readonly name: string;
  /** In words. */
  readonly backOff: string;
  /** What weeder would do in a window, in words. */
  readonly verdict: string;
}

/** The services of the config, and then those that only pods declare. */
export function explainedServices(view: ClusterView, externalNames: ExternalNames): ExplainedService[] {
  const { services, declared } = view.config;
  const others = [...(declared?.services ?? [])].sort().flatMap((key) => {
    const { namespace, name } = partsOf(key);
    return isConfigured(services.get(name), namespace) ? [] : explainDeclared(namespace, name, view, externalNames);
  });
  return [...[...services.values()].map((service) => explainConfigured(service, view, externalNames)), ...others];
}

function explainConfigured(service: ServiceConfig, view: ClusterView, externalNames: ExternalNames): ExplainedService {
  const { name } = service;
  const found = view.weeder.slices
    .services()
    .filter((each) => each.service === name && isConfigured(service, each.namespace))
    .sort((a, b) => (a.namespace < b.namespace ? -1 : 1))
    .map(({ namespace, isReady }): ExplainedNamespace => {
      const dependants = dependantsIn(namespace, name, view.services(namespace, name), view);
      return { namespace, state: isReady ? 'ready' : 'notReady', dependants };
    });
  const external = [...externalNames].flatMap(([key, externalName]): ExplainedNamespace[] => {
    const { namespace, name: other } = partsOf(key);
    const isIts = other === name && isConfigured(service, namespace);
    return isIts ? [{ namespace, state: 'absent', externalName, dependants: [] }] : [];
  });
  return { name, source: 'configured', settings: describeService(service), namespaces: [...found, ...external] };
}

function explainDeclared(
  namespace: string,
  name: string,
  view: ClusterView,
  externalNames: ExternalNames,
): ExplainedService[] {
  const service = view.services(namespace, name);
  if (service === undefined) return [];
  const known = view.weeder.slices.services().find((each) => each.service === name && each.namespace === namespace);
  const externalName = known === undefined ? externalNames.get(keyOf(namespace, name)) : undefined;
  const seen: ExplainedNamespace = {
    namespace,
    state: known === undefined ? 'absent' : known.isReady ? 'ready' : 'notReady',
    ...(externalName === undefined ? {} : { externalName }),
    dependants: dependantsIn(namespace, name, service, view),
  };
  return [{ name, source: 'declared', settings: describeService(service), namespaces: [seen] }];
}

/** The crash-looping dependants of a service, and what would be done with each. */
export function dependantsIn(
  namespace: string,
  name: string,
  service: WatchedService | undefined,
  view: ClusterView,
): ExplainedDependants[] {
  if (service === undefined) return [];
  const { dependantNamespaces, declaredIn } = service;
  const scope = scopeFrom(dependantNamespaces, namespace);
  const where = dependantNamespaces === 'same' ? '' : ` in ${scope === 'all' ? 'all namespaces' : scope.join(', ')}`;
  const heldBy = (pod: CrashLoopingPod) => view.heldBy(pod, { namespace, service: name });
  const selected = service.podSelectors.map((selector) => {
    const text = selectorToString(selector);
    const from = { heldBy, scope, index: view.weeder.pods.get(text), counts: view.pods.get(text) };
    return dependantsOf(`${text}${where}`, service, from);
  });
  if (declaredIn === 'none') return selected;
  const declared = declaredScope(keyOf(namespace, name), declaredIn);
  const from = { heldBy, scope: declared, index: view.weeder.declaredPods, counts: view.declaredPods };
  return from.counts.total(declared) === 0 ? selected : [...selected, dependantsOf('declared', service, from)];
}

interface FoundPods {
  /** Another service for which their deletion waits. */
  readonly heldBy: (pod: CrashLoopingPod) => string | undefined;
  readonly scope: Scope;
  readonly index: PodIndex | undefined;
  readonly counts: PodCounts | undefined;
}

function dependantsOf(
  selector: string,
  service: WatchedService,
  { heldBy, scope, index, counts }: FoundPods,
): ExplainedDependants {
  const pods = [...(index?.podsIn(scope) ?? [])].sort(byName).map(
    (pod): ExplainedPod => ({
      namespace: pod.namespace,
      name: pod.name,
      container: pod.container,
      containerKind: pod.containerKind,
      restarts: pod.restarts,
      backOff: describeBackOff(pod),
      verdict: verdict(pod, service, index, heldBy(pod)),
    }),
  );
  const neverStarted = [...(index?.neverStarted(scope) ?? [])].sort(byName);
  return { selector, pods: counts?.total(scope) ?? 0, crashLooping: pods, neverStarted };
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}
