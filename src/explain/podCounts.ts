import { objectOf, textOf } from '../base/json.ts';
import { type LabelSelector, matchesSelector } from '../kube/objects/selector.ts';
import type { ObjectSink } from '../kube/watch/sink.ts';
import { labelsOf } from '../weeder/pods/fanOut.ts';
import { type NeverStarted, neverStarted } from '../weeder/pods/neverStarted.ts';

/** Counts the pods that pass through a sink and are selected, by namespace. */
export interface PodCounts {
  /** The sink that hands everything on to `sink` and counts it. */
  beside(sink: ObjectSink): ObjectSink;
  /** In these namespaces, or in all of them. */
  total(namespaces: 'all' | readonly string[]): number;
  /** Those that cannot start, and that weeder leaves alone. */
  neverStarted(namespaces: 'all' | readonly string[]): readonly NeverStarted[];
}

export function countPods(selector: LabelSelector): PodCounts {
  const counts = new Map<string, number>();
  const stuck: NeverStarted[] = [];
  return {
    beside: (sink) => ({
      begin: () => sink.begin(),
      apply(type, object) {
        const namespace = textOf(objectOf(objectOf(object)['metadata'])['namespace']) ?? '';
        if (matchesSelector(selector, labelsOf(object))) {
          counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
          stuck.push(...[neverStarted(object)].filter((each) => each !== undefined));
        }
        sink.apply(type, object);
      },
      end: () => sink.end(),
    }),
    neverStarted: (namespaces) =>
      stuck
        .filter(({ namespace }) => namespaces === 'all' || namespaces.includes(namespace))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    total(namespaces) {
      const wanted = namespaces === 'all' ? [...counts.values()] : namespaces.map((name) => counts.get(name) ?? 0);
      return wanted.reduce((sum, count) => sum + count, 0);
    },
  };
}
