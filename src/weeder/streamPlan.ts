import { type Config, distinctSelectors } from '../config/config.ts';
import type { LabelSelector } from '../kube/objects/selector.ts';

/** One list+watch stream that a config asks for. */
export interface StreamPlan {
  /** The streams that take turns when the config changes: those of one kind in one place. */
  readonly group: string;
  /** Readable in a log line. */
  readonly name: string;
  readonly path: string;
  readonly kind: 'EndpointSlice' | 'Pod';
  readonly labelSelector: string;
  /** Whose objects it is there for: names of services, or canonical texts of podSelectors. */
  readonly covers: ReadonlySet<string>;
  /** Of a stream of all pods: to whom they are dealt out. */
  readonly selectors?: ReadonlyMap<string, LabelSelector>;
}

/** With more distinct podSelectors than this, one stream of all pods costs less than a stream for each. */
const mostPodStreams = 16;
/** A label selector that is longer than this is left out: what comes is filtered here. Characters of a URL. */
const longestSelector = 4000;

/**
 * One stream of EndpointSlices and one of pods for each distinct podSelector, cluster-wide or in each namespace. None
 * without services.
 */
export function planStreams(config: Config, namespaces: 'all' | readonly string[]): StreamPlan[] {
  if (config.services.size === 0) return [];
  if (namespaces === 'all') return planIn(config, undefined);
  return namespaces.flatMap((namespace) => planIn(config, namespace));
}

/** Whether this stream brings all that the other one is to bring, and nothing needs to be read again. */
export function canServe(open: StreamPlan, wanted: StreamPlan): boolean {
  const isSame = open.path === wanted.path && open.labelSelector === wanted.labelSelector;
  return isSame && [...wanted.covers].every((each) => open.covers.has(each));
}

/** Whether a stream of EndpointSlices with this label selector brings those of the services that it names only. */
export function isOfSomeServices(labelSelector: string): boolean {
  return labelSelector.includes(' in (');
}

function planIn(config: Config, namespace: string | undefined): StreamPlan[] {
  const suffix = namespace === undefined ? '' : ` in ${namespace}`;
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const services = [...config.services.keys()];
  const slices: StreamPlan = {
    group: `endpointslices${suffix}`,
    name: `endpointslices${suffix}`,
    path: `/apis/discovery.k8s.io/v1${scope}/endpointslices`,
    kind: 'EndpointSlice',
    labelSelector: serviceSelector(services),
    covers: new Set(services),
  };
  const selectors = distinctSelectors(config);
  const pods = { group: `pods${suffix}`, path: `/api/v1${scope}/pods`, kind: 'Pod' } as const;
  if (selectors.size > mostPodStreams) {
    const covers = new Set(selectors.keys());
    return [slices, { ...pods, name: `pods${suffix}`, labelSelector: '', covers, selectors }];
  }
  const each = [...selectors.keys()].map((labelSelector) => ({
    ...pods,
    name: `pods ${labelSelector}${suffix}`,
    labelSelector,
    covers: new Set([labelSelector]),
  }));
  return [slices, ...each];
}

function serviceSelector(names: readonly string[]): string {
  const exact = `kubernetes.io/service-name in (${[...names].sort().join(',')})`;
  return exact.length > longestSelector ? 'kubernetes.io/service-name' : exact;
}
