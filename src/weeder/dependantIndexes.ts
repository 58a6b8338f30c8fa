import type { Clock } from '@weeder/kube-runtime/base';
import { keyOf, selectorToString } from '@weeder/kube-runtime/objects';
import { type Config, distinctSelectors } from '../config/config.ts';
import { scopeFrom } from '../config/scopes.ts';
import type { ServiceLookup } from '../config/serviceLookup.ts';
import { declaredScope } from './declared/declaration.ts';
import type { Dependants } from './deletions/deletionRequest.ts';
import { type DeclaringWorkload, type Dependant, declaring, type SelectorPlace, selectedBy } from './dependants.ts';
import { createPodIndex } from './pods/createPodIndex.ts';
import type { NeverStarted } from './pods/neverStarted.ts';
import type { PodIndex } from './pods/podIndex.ts';

/** The workloads that are known to declare a service `namespace/name`, whether their pods crash-loop or not. */
export type DeclaringWorkloads = (service: string) => Iterable<DeclaringWorkload>;

/**
 * `selector`: the canonical text of the podSelector, and `place`: where the config has it; left out: the pods declare the
 * service.
 */
type DependantsOfService = Dependants &
  ({ readonly selector: string; readonly place: SelectorPlace } | { readonly selector?: undefined });

interface DependantIndexes {
  /** By the canonical text of the podSelector. */
  readonly bySelector: ReadonlyMap<string, PodIndex>;
  all(): readonly PodIndex[];
  /** The dependants of a service: one entry for each podSelector, and one for the pods that declare it. */
  of(namespace: string, service: string): readonly DependantsOfService[];
  /** Those of one podSelector; undefined: those that declare the service. */
  by(namespace: string, service: string, podSelector: string | undefined): DependantsOfService | undefined;
  /** Those whose deletions wait while the service is down. */
  heldBy(namespace: string, service: string, wasReady: boolean): readonly Dependants[];
  described(namespace: string, service: string, workloadsOf?: DeclaringWorkloads): readonly Dependant[];
  /** The number of those that crash-loop now. */
  crashLooping(namespace: string, service: string): number;
  neverStarted(namespace: string, service: string): readonly NeverStarted[];
  /** Opens the indexes that this config needs. */
  open(config: Config): void;
  /** Closes those that it does not need. */
  close(config: Config): void;
}

interface DependantIndexesOptions {
  readonly clock: Clock;
  readonly services: ServiceLookup;
  /** Of the pods that declare services. */
  readonly declaredPods: PodIndex;
}

/** The pods that depend on services: one index for each distinct podSelector, however many services use it. */
export function createDependantIndexes({ clock, services, declaredPods }: DependantIndexesOptions): DependantIndexes {
  const bySelector = new Map<string, PodIndex>();

  function of(namespace: string, name: string): readonly DependantsOfService[] {
    const service = services(namespace, name);
    if (service === undefined) return [];
    const scope = scopeFrom(service.dependantNamespaces, namespace);
    const selected = service.podSelectors.flatMap((podSelector, position) => {
      const selector = selectorToString(podSelector);
      const index = bySelector.get(selector);
      const place = { position, line: service.selectorLines?.[position] };
      return index === undefined ? [] : [{ selector, place, index, scope }];
    });
    if (service.declaredIn === 'none') return selected;
    return [...selected, { index: declaredPods, scope: declaredScope(keyOf(namespace, name), service.declaredIn) }];
  }

  return {
    bySelector,
    all: () => [declaredPods, ...bySelector.values()],
    of,
    by: (namespace, service, podSelector) => of(namespace, service).find(({ selector }) => selector === podSelector),
    heldBy(namespace, service, wasReady) {
      if (services(namespace, service)?.whileNotReady !== 'hold') return [];
      return of(namespace, service).filter(({ selector }) => wasReady || selector === undefined);
    },
    described(namespace, service, workloadsOf = () => []) {
      const ofNamespace = namespace === '' ? [] : of(namespace, service);
      return ofNamespace.flatMap((pods) =>
        pods.selector === undefined
          ? declaring(pods, workloadsOf(keyOf(namespace, service)))
          : [selectedBy(pods.selector, pods.place, pods)],
      );
    },
    crashLooping: (namespace, service) =>
      new Set(of(namespace, service).flatMap(({ index, scope }) => [...index.uids(scope)])).size,
    neverStarted(namespace, service) {
      const pods = of(namespace, service).flatMap(({ index, scope }) => [...index.neverStarted(scope)]);
      return [...new Map(pods.map((pod) => [keyOf(pod.namespace, pod.name), pod])).values()];
    },
    open(config) {
      for (const text of distinctSelectors(config).keys())
        if (!bySelector.has(text)) bySelector.set(text, createPodIndex(clock));
    },
    close(config) {
      const selectors = distinctSelectors(config);
      for (const text of [...bySelector.keys()]) if (!selectors.has(text)) bySelector.delete(text);
    },
  };
}
