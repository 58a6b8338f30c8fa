import { objectOf, textOf } from '../../base/json.ts';
import { type LabelSelector, matchesSelector } from '../../kube/objects/selector.ts';
import type { ClosableSink } from '../../kube/watch/sink.ts';
import type { PodIndex } from './podIndex.ts';

/** The sink of one stream of all pods. */
interface FanOut extends ClosableSink {
  /** Stops delivery for the selectors that are not in this set. */
  keepOnly(selectors: ReadonlySet<string>): void;
}

/**
 * Distributes the pods of one stream to the indexes. An index whose selector does not select a pod sees it as deleted.
 */
export function fanOut(indexes: ReadonlyMap<string, PodIndex>, selectors: ReadonlyMap<string, LabelSelector>): FanOut {
  let targets = [...selectors].flatMap(([text, selector]) => {
    const index = indexes.get(text);
    return index === undefined ? [] : [{ text, selector, sink: index.createSink() }];
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
    end(resourceVersion) {
      for (const { sink } of targets) sink.end(resourceVersion);
    },
    isIrrelevant: (line, metadata) => targets.every(({ sink }) => sink.isIrrelevant?.(line, metadata) === true),
    close() {
      for (const { sink } of targets) sink.close();
    },
    keepOnly(remaining) {
      for (const { text, sink } of targets) if (!remaining.has(text)) sink.close();
      targets = targets.filter(({ text }) => remaining.has(text));
    },
  };
}

/** The labels of an object as the API serves it. */
export function labelsOf(object: unknown): Record<string, string> {
  const labels = Object.entries(objectOf(objectOf(objectOf(object)['metadata'])['labels']));
  return Object.fromEntries(labels.map(([key, value]) => [key, textOf(value) ?? '']));
}
