import {
  apiPath,
  createSelectorIndex,
  partsOf,
  placeSuffix,
  placesOf,
  type SelectorIndex,
} from '@weeder/kube-runtime/objects';
import { type Config, distinctSelectors } from '../config/config.ts';
import { includesName } from '../config/scopes.ts';
import { dependsOn } from './declared/declaration.ts';
import { partition } from './partition.ts';

/** One list+watch stream that a config requires. */
export interface StreamPlan {
  /** Streams of one kind in one place, which replace one another when the config changes. */
  readonly group: string;
  /** The name of the stream in log lines. */
  readonly name: string;
  readonly path: string;
  readonly kind: 'EndpointSlice' | 'Pod' | 'Event';
  readonly labelSelector: string;
  readonly fieldSelector?: string | undefined;
  /** What the stream serves: names of services, or canonical texts of podSelectors. */
  readonly covers: ReadonlySet<string>;
  /** Of a stream of all pods: the podSelectors to which its pods are distributed. The streams of a plan share them. */
  readonly selectors?: () => SelectorIndex;
}

/** Above this number of distinct podSelectors, one stream of all pods costs less than one stream for each. */
const maxPodStreams = 16;
/** Above this number of streams for the services by name, one stream of all EndpointSlices costs less. */
const maxSliceStreams = 16;
/** A longer label selector does not fit into the URL of every proxy. Characters. */
const longestSelector = 4000;

const declarations = 'declarations';
/** How the names of the streams of Events begin. */
export const failedCreates = 'failedcreates';
const serviceName = 'kubernetes.io/service-name';

/**
 * One or more streams of EndpointSlices, one of pods for each distinct podSelector, one of the pods that declare
 * dependencies, and one of the Events of pods that could not be created, cluster-wide or in each namespace. Without services and declarations there are no streams. `open`: the
 * plans so far. They decide which services share a stream, so that another service replaces one stream at most.
 */
export function planStreams(
  config: Config,
  namespaces: 'all' | readonly string[],
  open: readonly StreamPlan[] = [],
): StreamPlan[] {
  const selected = selectedBy(config);
  return placesOf(namespaces).flatMap((namespace) => planIn(config, selected, namespace, open));
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

/** Whether the stream of this name has the pods that declare dependencies. */
export function isOfDeclarations(stream: string): boolean {
  return stream.startsWith(declarations);
}

/** One namespace, or all of them. */
interface Place {
  readonly namespace: string | undefined;
  /** At the end of the names of streams. */
  readonly suffix: string;
  /** A part of the paths of streams. */
}

/** The podSelectors of a config, which may be many: each namespace uses the same. */
interface Selected {
  readonly texts: ReadonlySet<string>;
  readonly index: () => SelectorIndex;
}

function selectedBy(config: Config): Selected {
  const selectors = distinctSelectors(config);
  let index: SelectorIndex | undefined;
  return {
    texts: new Set(selectors.keys()),
    index() {
      index ??= createSelectorIndex(selectors);
      return index;
    },
  };
}

function planIn(
  config: Config,
  selected: Selected,
  namespace: string | undefined,
  open: readonly StreamPlan[],
): StreamPlan[] {
  const place: Place = {
    namespace,
    suffix: placeSuffix(namespace),
  };
  return [
    ...planSlices(config, place, open),
    ...planPods(selected, place),
    ...planDeclarations(config, place),
    ...planFailedCreates(config, place),
  ];
}

function planSlices(config: Config, { namespace, suffix }: Place, open: readonly StreamPlan[]): StreamPlan[] {
  const group = `endpointslices${suffix}`;
  const plan = (labelSelector: string, names: readonly string[]): StreamPlan => ({
    group,
    name: group,
    path: apiPath('discovery.k8s.io/v1', 'endpointslices', { namespace }),
    kind: 'EndpointSlice',
    labelSelector,
    covers: new Set(names),
  });
  const names = namesIn(config, namespace);
  const before = open.filter((each) => each.group === group && isOfSomeServices(each.labelSelector));
  const covered = before.map(({ covers }) => covers);
  const parts = partition(names, covered, longestSelector - selectorOf([]).length);
  if (parts.length > maxSliceStreams) return [plan(serviceName, names)];
  return parts.map((part) => plan(selectorOf(part), part));
}

/** The names of the services that a stream of this namespace, or of all, has to deliver. */
function namesIn({ services, declared, podCreation }: Config, namespace: string | undefined): string[] {
  const keys = new Set(services.keys());
  const called = [...(podCreation?.webhooks.values() ?? [])].flatMap((each) => [...each]);
  for (const key of [...(declared?.services ?? []), ...called]) {
    const parts = partsOf(key);
    if (namespace === undefined || parts.namespace === namespace) keys.add(parts.name);
  }
  return [...keys].sort();
}

function selectorOf(names: readonly string[]): string {
  return `${serviceName} in (${names.join(',')})`;
}

function planPods({ texts: covers, index: selectors }: Selected, { namespace, suffix }: Place): StreamPlan[] {
  const pods = { group: `pods${suffix}`, path: apiPath('v1', 'pods', { namespace }), kind: 'Pod' } as const;
  if (covers.size > maxPodStreams) {
    return [{ ...pods, name: `pods${suffix}`, labelSelector: '', covers, selectors }];
  }
  return [...covers].map((labelSelector) => ({
    ...pods,
    name: `pods ${labelSelector}${suffix}`,
    labelSelector,
    covers: new Set([labelSelector]),
  }));
}

function planDeclarations({ declared }: Config, { namespace, suffix }: Place): StreamPlan[] {
  if (declared === undefined) return [];
  if (namespace !== undefined && !includesName(declared.namespaces, namespace)) return [];
  const name = `${declarations}${suffix}`;
  const covers = new Set([dependsOn]);
  return [
    { group: name, name, path: apiPath('v1', 'pods', { namespace }), kind: 'Pod', labelSelector: dependsOn, covers },
  ];
}

/** The API server selects the Events: a cluster may have many of other reasons. */
function planFailedCreates({ podCreation }: Config, { namespace, suffix }: Place): StreamPlan[] {
  if (podCreation === undefined) return [];
  const name = `${failedCreates}${suffix}`;
  const fieldSelector = 'reason=FailedCreate';
  const selected = { labelSelector: '', fieldSelector, covers: new Set([fieldSelector]) };
  return [{ group: name, name, path: apiPath('v1', 'events', { namespace }), kind: 'Event', ...selected }];
}
