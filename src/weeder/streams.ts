import type { Config } from '../config/config.ts';
import { objectOf, textOf } from '../json.ts';
import { type LabelSelector, matchesSelector, selectorToString } from '../kube/selector.ts';
import type { ObjectSink } from '../kube/sink.ts';
import type { WatchSource } from '../kube/watchOnce.ts';
import type { Weeder } from './weeder.ts';

/** One list+watch stream that the weeder needs. */
export interface StreamNeed extends WatchSource {
  /** Unique, and readable in a log line. */
  readonly name: string;
}

/** With more distinct podSelectors than this, one stream of all pods costs less than a stream for each. */
const mostPodStreams = 16;
/** A label selector that is longer than this is left out: what comes is filtered here. Characters of a URL. */
const longestSelector = 4000;

/** One stream of EndpointSlices and one of pods for each distinct podSelector, cluster-wide or in each namespace. */
export function streamsOf(weeder: Weeder, config: Config, namespaces: 'all' | readonly string[]): StreamNeed[] {
  if (namespaces === 'all') return streamsIn(weeder, config, undefined);
  return namespaces.flatMap((namespace) => streamsIn(weeder, config, namespace));
}

function streamsIn(weeder: Weeder, config: Config, namespace: string | undefined): StreamNeed[] {
  const suffix = namespace === undefined ? '' : ` in ${namespace}`;
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const slices: StreamNeed = {
    name: `endpointslices${suffix}`,
    path: `/apis/discovery.k8s.io/v1${scope}/endpointslices`,
    kind: 'EndpointSlice',
    labelSelector: serviceSelector([...config.services.keys()]),
    sink: weeder.slices.createSink(),
  };
  const path = `/api/v1${scope}/pods`;
  const selectors = distinctSelectors(config);
  if (selectors.size > mostPodStreams) {
    return [slices, { name: `pods${suffix}`, path, kind: 'Pod', labelSelector: '', sink: fanOut(weeder, selectors) }];
  }
  const pods = [...weeder.pods].map(([labelSelector, index]) => ({
    name: `pods ${labelSelector}${suffix}`,
    path,
    kind: 'Pod',
    labelSelector,
    sink: index.createSink(),
  }));
  return [slices, ...pods];
}

function serviceSelector(names: readonly string[]): string {
  const exact = `kubernetes.io/service-name in (${[...names].sort().join(',')})`;
  return exact.length > longestSelector ? 'kubernetes.io/service-name' : exact;
}

/** Every podSelector that the config names, by its canonical text. */
export function distinctSelectors(config: Config): ReadonlyMap<string, LabelSelector> {
  const all = [...config.services.values()].flatMap((service) => service.podSelectors);
  return new Map(all.map((selector) => [selectorToString(selector), selector]));
}

/** Deals the pods of one stream out to the indexes: to one that does not select a pod, it looks as if it had gone. */
function fanOut(weeder: Weeder, selectors: ReadonlyMap<string, LabelSelector>): ObjectSink {
  const targets = [...weeder.pods].flatMap(([text, index]) => {
    const selector = selectors.get(text);
    return selector === undefined ? [] : [{ selector, sink: index.createSink() }];
  });
  return {
    begin() {
      for (const { sink } of targets) sink.begin();
    },
    apply(type, object) {
      const labels = labelsOf(object);
      for (const { selector, sink } of targets)
        sink.apply(matchesSelector(selector, labels) ? type : 'DELETED', object);
    },
    end() {
      for (const { sink } of targets) sink.end();
    },
    isIrrelevant: (line, metadata) => targets.every(({ sink }) => sink.isIrrelevant?.(line, metadata) === true),
  };
}

/** The labels of an object as the API serves it. */
export function labelsOf(object: unknown): Record<string, string> {
  const labels = Object.entries(objectOf(objectOf(objectOf(object)['metadata'])['labels']));
  return Object.fromEntries(labels.map(([key, value]) => [key, textOf(value) ?? '']));
}
