import type { Config } from '../config/config.ts';
import { isConfiguredDependant } from '../dependencies/configured.ts';
import { declaredServices } from '../dependencies/declared.ts';
import {
  type Dependency,
  type DependencySource,
  type Evidence,
  isAtLeast,
  type ServiceRef,
  serviceKey,
  strongestFirst,
} from '../dependencies/dependency.ts';
import { matchesSelector } from '../kube/objects/selector.ts';
import { rate } from './confidence.ts';
import { findHosts } from './hosts.ts';
import type { Observed, ObservedService, ObservedWorkload } from './observed.ts';
import { type PlacedText, podTexts } from './podTexts.ts';
import { createServiceNames, type ServiceNames } from './serviceNames.ts';

/**
 * Which workloads depend on which services: by the names in their pod templates and ConfigMaps, by what they declare,
 * and by the config, if there is one.
 */
export function suggestDependencies(observed: Observed, config: Config | undefined): Dependency[] {
  const names = createServiceNames(observed.services);
  const known = new Map(observed.services.map((service) => [serviceKey(service), service]));
  return observed.workloads.flatMap((workload) => {
    const evidence = Map.groupBy(evidenceOf(workload, observed, names), ({ service }) => serviceKey(service));
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
      const all = strongestFirst((evidence.get(key) ?? []).map((each) => each.evidence));
      const sources: [DependencySource, boolean][] = [
        ['configured', configured.some((each) => serviceKey(each) === key)],
        ['declared', declared.has(key)],
        ['suggested', all.length > 0],
      ];
      return {
        service: { namespace, name },
        workload: workload.ref,
        sources: sources.flatMap(([source, is]) => (is ? [source] : [])),
        isFound: known.has(key),
        confidence: all[0]?.confidence,
        evidence: all,
      };
    });
  });
}

/** The configured services whose dependant this workload is. */
function configuredFor({ ref, labels }: ObservedWorkload, services: readonly ObservedService[], config: Config) {
  return services.filter((service) => isConfiguredDependant(config, service, { namespace: ref.namespace, labels }));
}

interface FoundEvidence {
  readonly service: ObservedService;
  readonly evidence: Evidence;
}

function evidenceOf(workload: ObservedWorkload, { configMaps }: Observed, names: ServiceNames): FoundEvidence[] {
  const found = podTexts(workload, configMaps).flatMap((text) => evidenceIn(text, workload.ref.namespace, names));
  return distinct(found).filter(({ service }) => !isBehind(workload, service));
}

/** Of those that look the same, the strongest. */
function distinct(found: readonly FoundEvidence[]): FoundEvidence[] {
  const all = new Map<string, FoundEvidence>();
  for (const each of found) {
    const key = JSON.stringify([serviceKey(each.service), each.evidence.where, each.evidence.found]);
    const known = all.get(key);
    if (known === undefined || !isAtLeast(known.evidence.confidence, each.evidence.confidence)) all.set(key, each);
  }
  return [...all.values()];
}

/** A Service does not depend on itself: its own pods may name it, to advertise their address. */
function isBehind({ ref, labels, governingService }: ObservedWorkload, service: ObservedService): boolean {
  if (ref.namespace !== service.namespace) return false;
  if (governingService === service.name) return true;
  return service.selector !== undefined && matchesSelector(service.selector, labels);
}

/** The port of `NAME_SERVICE_PORT` has no rating of its own: where it is used, the host is, too. */
const serviceVariable = /\$[({]?([A-Z][A-Z0-9_]*)_SERVICE_HOST\b/g;

function evidenceIn(placed: PlacedText, namespace: string, names: ServiceNames): FoundEvidence[] {
  const { text, where } = placed;
  const mentions = findHosts(text, (host) => names.find(host, namespace) !== undefined).flatMap((mention) => {
    const named = names.find(mention.host, namespace);
    if (named === undefined) return [];
    const { confidence, because, port } = rate(mention, named, placed);
    const shown = port ?? (mention.form === 'word' ? undefined : mention.port);
    const found = shown === undefined ? mention.host : `${mention.host}:${shown}`;
    return [{ service: named.service, evidence: { confidence, where, found, because } }];
  });
  const variables = [...text.matchAll(serviceVariable)].flatMap(([, name = '']) => {
    const service = names.findByVariable(name, namespace);
    const because = 'the variable that Kubernetes sets for the Service';
    const found = `${name}_SERVICE_HOST`;
    return service === undefined ? [] : [{ service, evidence: { confidence: 'high' as const, where, found, because } }];
  });
  return [...mentions, ...variables];
}
