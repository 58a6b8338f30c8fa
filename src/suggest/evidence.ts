import { type Evidence, isAtLeast, serviceKey } from '../dependencies/dependency.ts';
import { type Rating, rate, rateShared, sharedWith } from './confidence.ts';
import { isBehind, type Observed, type ObservedService, type ObservedWorkload } from './observed.ts';
import { createPodTexts, type PlacedText } from './podTexts.ts';
import { createServiceNames, type ServiceNames } from './serviceNames.ts';
import { type DeclaredWait, entrypointServices, waitsIn } from './text/declaredWaits.ts';
import { findHosts } from './text/hosts.ts';
import { createWaitedServices, type WaitedServices } from './waitedServices.ts';

interface FoundEvidence {
  readonly service: ObservedService;
  readonly evidence: Evidence;
  /** The pods of the Service take the same ConfigMap or Secret whole. */
  readonly isShared: boolean;
}

/** Finds the evidence of a workload. Each text of a ConfigMap is searched once, for all workloads that use it. */
export function createEvidence(observed: Observed): (workload: ObservedWorkload) => FoundEvidence[] {
  const names = createServiceNames(observed.services);
  const waited = createWaitedServices(observed);
  const textsOf = createPodTexts(observed);
  const searched = new WeakMap<PlacedText, FoundEvidence[]>();
  const evidenceOf = (text: PlacedText, namespace: string) => {
    const evidence =
      searched.get(text) ??
      distinct([...evidenceIn(text, namespace, names), ...evidenceOfWaits(text, namespace, waited)]);
    searched.set(text, evidence);
    return evidence;
  };
  return (workload) => {
    const mentions = textsOf(workload).flatMap((text) => evidenceOf(text, workload.ref.namespace));
    // A Service does not depend on itself: its own pods may name it, to advertise their address.
    const own = mentions.filter(({ service }) => isBehind(workload, service));
    const others = mentions.filter((each) => !own.includes(each));
    // Two that share what names them both: either may depend on the other, or neither.
    return distinct(own.some(({ isShared }) => isShared) ? others.map(doubted) : others);
  };
}

function doubted(mention: FoundEvidence): FoundEvidence {
  return mention.isShared ? { ...mention, evidence: { ...mention.evidence, confidence: 'low' } } : mention;
}

/** Of those that look the same, the strongest. */
function distinct(mentions: readonly FoundEvidence[]): FoundEvidence[] {
  const byKey = new Map<string, FoundEvidence>();
  for (const mention of mentions) {
    const key = JSON.stringify([serviceKey(mention.service), mention.evidence.where, mention.evidence.found]);
    const previous = byKey.get(key);
    if (previous === undefined || !isAtLeast(previous.evidence.confidence, mention.evidence.confidence))
      byKey.set(key, mention);
  }
  return [...byKey.values()];
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
  const isSharedWith = sharedWith(placed);
  const mentions = findHosts(text, (host) => names.find(host, namespace) !== undefined).flatMap((mention) => {
    const named = names.find(mention.host, namespace);
    if (named === undefined) return [];
    const isShared = isSharedWith(named.service);
    const { confidence, because, port } = rateShared(rate(mention, named, placed), placed, isShared);
    const shown = port ?? (mention.form === 'word' ? undefined : mention.port);
    const address = shown === undefined ? mention.host : `${mention.host}:${shown}`;
    return [{ service: named.service, isShared, evidence: { confidence, where, found: address, because } }];
  });
  const variables = [...text.matchAll(serviceVariable)].flatMap(([, name = '']) => {
    const service = names.findByVariable(name, namespace);
    const variable = `${name}_SERVICE_HOST`;
    if (service === undefined) return [];
    const isShared = isSharedWith(service);
    const { confidence, because } = rateShared(ofVariable, placed, isShared);
    return [{ service, isShared, evidence: { confidence, where, found: variable, because } }];
  });
  return [...mentions, ...variables];
}

function evidenceOfWaits(placed: PlacedText, namespace: string, waited: WaitedServices): FoundEvidence[] {
  const waits: DeclaredWait[] = [...entrypointServices(placed.key, placed.text), ...waitsIn(placed.text)];
  const isSharedWith = sharedWith(placed);
  return waits.flatMap((wait) =>
    waited.servicesOf(wait, namespace).map((service) => {
      const declared: Rating = { confidence: wait.isSure ? 'high' : 'medium', because: wait.because, port: undefined };
      const isShared = isSharedWith(service);
      const { confidence, because } = rateShared(declared, placed, isShared);
      return { service, isShared, evidence: { confidence, where: placed.where, found: service.name, because } };
    }),
  );
}
