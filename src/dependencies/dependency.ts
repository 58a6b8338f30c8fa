import { keyOf } from '@weeder/kube-runtime/objects';

/** A Service. */
export interface ServiceRef {
  readonly namespace: string;
  readonly name: string;
}

/** A workload whose pods depend on a service; `kind` as the API names it, such as `Deployment`. */
export interface DependantRef extends ServiceRef {
  readonly kind: string;
}

/** From the highest to the lowest. */
export const confidences = ['high', 'medium', 'low'] as const;

export type Confidence = (typeof confidences)[number];

/** The formats that show which services and dependants belong together. */
export const pictureFormats = ['mermaid', 'dot'] as const;

export type PictureFormat = (typeof pictureFormats)[number];

/** One indication that a workload depends on a service. It never contains a whole value. */
export interface Evidence {
  readonly confidence: Confidence;
  /** Where it was found: `env DATABASE_URL of container web`. */
  readonly where: string;
  /** What was found: `postgres:5432`. */
  readonly found: string;
  /** The rule that gives the confidence, as a clause. */
  readonly because: string;
}

/** Who says that a workload depends on a service: the config, the workload itself, or evidence. */
export const dependencySources = ['configured', 'declared', 'suggested'] as const;

export type DependencySource = (typeof dependencySources)[number];

/** A workload depends on a service, or seems to. */
export interface Dependency {
  readonly service: ServiceRef;
  readonly workload: DependantRef;
  readonly sources: readonly DependencySource[];
  /** False: no Service of this name was found, although the workload declares it. */
  readonly isFound: boolean;
  /** The highest confidence of its evidence; undefined: there is none. */
  readonly confidence: Confidence | undefined;
  /** The strongest first. */
  readonly evidence: readonly Evidence[];
}

/** Returns a key for maps that is also readable: `shop/postgres`. */
export function serviceKey({ namespace, name }: ServiceRef): string {
  return keyOf(namespace, name);
}

/** Returns a key for maps that is also readable: `deployment/shop/web`. */
export function dependantKey({ kind, namespace, name }: DependantRef): string {
  return `${kind.toLowerCase()}/${namespace}/${name}`;
}

/** Whether a confidence is at least as high as the threshold. */
export function isAtLeast(confidence: Confidence | undefined, threshold: Confidence): boolean {
  return confidence !== undefined && confidences.indexOf(confidence) <= confidences.indexOf(threshold);
}

/** Those that the config or the workload names, without evidence. */
export function knownDependencies(dependencies: readonly Dependency[]): Dependency[] {
  return dependencies.flatMap((dependency) => {
    const sources = dependency.sources.filter((source) => source !== 'suggested');
    return sources.length === 0 ? [] : [{ ...dependency, sources, confidence: undefined, evidence: [] }];
  });
}

/** Sorts evidence by its confidence, and keeps the order of equals. */
export function strongestFirst(evidence: readonly Evidence[]): Evidence[] {
  return evidence.toSorted((a, b) => confidences.indexOf(a.confidence) - confidences.indexOf(b.confidence));
}

/** Merges what several readers found, so that each pair of workload and service occurs once, in a stable order. */
export function mergeDependencies(dependencies: readonly Dependency[]): Dependency[] {
  const groups = Map.groupBy(
    dependencies,
    ({ workload, service }) => `${dependantKey(workload)} ${serviceKey(service)}`,
  );
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, [first, ...others]]) => (first === undefined ? [] : [others.reduce(merged, first)]));
}

function merged(one: Dependency, other: Dependency): Dependency {
  const evidence = strongestFirst([...one.evidence, ...other.evidence]);
  return {
    ...one,
    sources: [...new Set([...one.sources, ...other.sources])].sort(),
    isFound: one.isFound || other.isFound,
    confidence: evidence[0]?.confidence,
    evidence,
  };
}
