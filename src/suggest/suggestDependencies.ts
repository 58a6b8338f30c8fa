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
import { type Rating, rate, rateShared } from './confidence.ts';
import { findHosts } from './hosts.ts';
import { isBehind, type Observed, type ObservedService, type ObservedWorkload } from './observed.ts';
import { createPodTexts, type PlacedText } from './podTexts.ts';
import { createServiceNames, type ServiceNames } from './serviceNames.ts';

/**
 * Which workloads depend on which services: by the names in their pod templates and ConfigMaps, by what they declare,
 * and by the config, if there is one.
 */
export function suggestDependencies(observed: Observed, config: Config | undefined): Dependency[] {
  const evidenceFor = createEvidence(observed);
  const known = new Map(observed.services.map((service) => [serviceKey(service), service]));
  return observed.workloads.flatMap((workload) => {
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

/** Finds the evidence of a workload. Each text of a ConfigMap is searched once, for all workloads that use it. */
function createEvidence(observed: Observed): (workload: ObservedWorkload) => FoundEvidence[] {
  const names = createServiceNames(observed.services);
  const textsOf = createPodTexts(observed);
  const searched = new WeakMap<PlacedText, FoundEvidence[]>();
  const evidenceOf = (text: PlacedText, namespace: string) => {
    const evidence = searched.get(text) ?? distinct(evidenceIn(text, namespace, names));
    searched.set(text, evidence);
    return evidence;
  };
  return (workload) =>
    distinct(textsOf(workload).flatMap((text) => evidenceOf(text, workload.ref.namespace))).filter(
      // A Service does not depend on itself: its own pods may name it, to advertise their address.
      ({ service }) => !isBehind(workload, service),
    );
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

/** The port of `NAME_SERVICE_PORT` has no rating of its own: where it is used, the host is, too. */
const serviceVariable = /\$[({]?([A-Z][A-Z0-9_]*)_SERVICE_HOST\b/g;

const ofVariable: Rating = {
  confidence: 'high',
  because: 'the variable that Kubernetes sets for the Service',
  port: undefined,
};

function evidenceIn(placed: PlacedText, namespace: string, names: ServiceNames): FoundEvidence[] {
  const { text, where } = placed;
  const mentions = findHosts(text, (host) => names.find(host, namespace) !== undefined).flatMap((mention) => {
    const named = names.find(mention.host, namespace);
    if (named === undefined) return [];
    const { confidence, because, port } = rateShared(rate(mention, named, placed), named.service, placed);
    const shown = port ?? (mention.form === 'word' ? undefined : mention.port);
    const found = shown === undefined ? mention.host : `${mention.host}:${shown}`;
    return [{ service: named.service, evidence: { confidence, where, found, because } }];
  });
  const variables = [...text.matchAll(serviceVariable)].flatMap(([, name = '']) => {
    const service = names.findByVariable(name, namespace);
    const found = `${name}_SERVICE_HOST`;
    if (service === undefined) return [];
    const rating = rateShared(ofVariable, service, placed);
    return [{ service, evidence: { confidence: rating.confidence, where, found, because: rating.because } }];
  });
  return [...mentions, ...variables];
}
