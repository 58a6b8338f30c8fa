import type { Config } from '../config/config.ts';
import { isConfiguredDependant } from '../dependencies/configured.ts';
import { declaredServices } from '../dependencies/declared.ts';
import {
  type Dependency,
  type DependencySource,
  type ServiceRef,
  serviceKey,
  strongestFirst,
} from '../dependencies/dependency.ts';
import { createEvidence } from './evidence.ts';
import type { Observed, ObservedService, ObservedWorkload } from './observed.ts';

/**
 * Which workloads depend on which services: by the names in their pod templates and ConfigMaps, by what they declare,
 * and by the config, if there is one.
 */
export function suggestDependencies(observed: Observed, config: Config | undefined): Dependency[] {
  return observed.workloads.flatMap(createSuggester(observed, config));
}

/** The same for one workload after the other. */
export function createSuggester(
  observed: Observed,
  config: Config | undefined,
): (workload: ObservedWorkload) => Dependency[] {
  const evidenceFor = createEvidence(observed);
  const observedServices = new Map(observed.services.map((service) => [serviceKey(service), service]));
  return (workload) => {
    const evidence = Map.groupBy(evidenceFor(workload), ({ service }) => serviceKey(service));
    const declared = new Map(
      declaredServices(workload.template, workload.ref.namespace).map((each) => [serviceKey(each), each]),
    );
    const configured = config === undefined ? [] : configuredFor(workload, observed.services, config);
    const services = new Map<string, ServiceRef>([
      ...declared,
      ...configured.map((each) => [serviceKey(each), each] as const),
    ]);
    for (const [key, [first]] of evidence) if (first !== undefined) services.set(key, first.service);
    return [...services].map(([key, { namespace, name }]): Dependency => {
      const strongest = strongestFirst((evidence.get(key) ?? []).map((each) => each.evidence));
      const sources: [DependencySource, boolean][] = [
        ['configured', configured.some((each) => serviceKey(each) === key)],
        ['declared', declared.has(key)],
        ['suggested', strongest.length > 0],
      ];
      return {
        service: { namespace, name },
        workload: workload.ref,
        sources: sources.flatMap(([source, is]) => (is ? [source] : [])),
        isFound: observedServices.has(key),
        confidence: strongest[0]?.confidence,
        evidence: strongest,
      };
    });
  };
}

/** The configured services whose dependant this workload is. */
function configuredFor({ ref, labels }: ObservedWorkload, services: readonly ObservedService[], config: Config) {
  return services.filter((service) => isConfiguredDependant(config, service, { namespace: ref.namespace, labels }));
}
