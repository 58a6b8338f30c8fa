import { type Config, distinctSelectors } from '../config/config.ts';
import type { LabelSelector } from '../kube/objects/selector.ts';

/** One list+watch stream that a config requires. */
export interface StreamPlan {
  /** Streams of one kind in one place, which replace one another when the config changes. */
  readonly group: string;
  /** The name of the stream in log lines. */
  readonly name: string;
  readonly path: string;
  readonly kind: 'EndpointSlice' | 'Pod';
  readonly labelSelector: string;
  /** What the stream serves: names of services, or canonical texts of podSelectors. */
  readonly covers: ReadonlySet<string>;
  /** Of a stream of all pods: the podSelectors to which its pods are distributed. */
  readonly selectors?: ReadonlyMap<string, LabelSelector>;
}

/** Above this number of distinct podSelectors, one stream of all pods costs less than one stream for each. */
const mostPodStreams = 16;
/** A longer label selector is left out of the request, and weeder filters the objects itself. Characters of a URL. */
const longestSelector = 4000;

/**
 * One stream of EndpointSlices, and one of pods for each distinct podSelector, cluster-wide or in each namespace.
 * Without services there are no streams.
 */
export function planStreams(config: Config, namespaces: 'all' | readonly string[]): StreamPlan[] {
  if (config.services.size === 0) return [];
  if (namespaces === 'all') return planIn(config, undefined);
  return namespaces.flatMap((namespace) => planIn(config, namespace));
}

/**
 * Whether this stream delivers everything that `required` would deliver, so that nothing has to be listed again.
 */
export function canServe(open: StreamPlan, required: StreamPlan): boolean {
  const isSame = open.path === required.path && open.labelSelector === required.labelSelector;
  return isSame && [...required.covers].every((each) => open.covers.has(each));
}

/** Whether a stream of EndpointSlices with this label selector delivers only those of the services that it names. */
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
