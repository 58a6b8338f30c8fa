import type { IndexedSelector, SelectorIndex } from '@weeder/kube-runtime/objects';
import { labelsOf, uidOf } from '@weeder/kube-runtime/objects';
import type { ClosableSink } from '@weeder/kube-runtime/watch';
import { addTo, removeFrom } from '../../base/mapOfSets.ts';
import type { PodIndex } from './podIndex.ts';
import { type PodSource, saysNothing } from './podSink.ts';

/** The sink of one stream of all pods. */
interface FanOut extends ClosableSink {
  /** Stops delivery for the selectors that are not in this set. */
  keepOnly(selectors: ReadonlySet<string>): void;
}

/** The index of one podSelector. */
interface Target extends IndexedSelector {
  readonly index: PodIndex;
}

/**
 * Distributes the pods of one stream to the indexes of the podSelectors that select them. An index whose selector does
 * not select a pod any more sees it as deleted. No step visits all podSelectors: there may be ten thousand.
 */
export function fanOut(indexes: ReadonlyMap<string, PodIndex>, selectors: SelectorIndex): FanOut {
  const source: PodSource = { list: 0 };
  const targets = new Map<string, Target>();
  /** By uid of a pod: the indexes that have it from this stream. */
  const holders = new Map<string, Set<Target>>();
  let covered: ReadonlySet<string> | 'all' = 'all';

  function targetsFor(object: unknown): Target[] {
    return selectors.matching(labelsOf(object)).flatMap((selector) => targetOf(selector) ?? []);
  }

  function targetOf({ text, position }: IndexedSelector): Target | undefined {
    const index = covered === 'all' || covered.has(text) ? indexes.get(text) : undefined;
    if (index === undefined) return undefined;
    const target = targets.get(text) ?? { text, position, index };
    targets.set(text, target);
    return target;
  }

  function update(uid: string, target: Target): void {
    if (target.index.has(uid)) addTo(holders, uid, target);
    else removeFrom(holders, uid, target);
  }

  function close(closed: Iterable<Target>): void {
    for (const { text, index } of inOrder(closed)) {
      targets.delete(text);
      index.closed(source);
    }
    for (const [uid, held] of holders)
      for (const target of held) if (!targets.has(target.text)) removeFrom(holders, uid, target);
  }

  return {
    begin() {
      source.list += 1;
    },
    apply(type, object) {
      const uid = uidOf(object);
      const selected = new Set(type === 'DELETED' ? [] : targetsFor(object));
      for (const target of inOrder([...selected, ...(holders.get(uid) ?? [])])) {
        target.index.report(source, selected.has(target) ? type : 'DELETED', object);
        update(uid, target);
      }
    },
    end() {
      for (const { index } of inOrder([...holders.values()].flatMap((held) => [...held]))) index.completed(source);
      for (const [uid, held] of holders) for (const target of held) update(uid, target);
    },
    isIrrelevant: (line, metadata) => !holders.has(metadata.uid) && saysNothing(line, metadata),
    close: () => close([...targets.values()]),
    keepOnly(remaining) {
      covered = remaining;
      close([...targets.values()].filter(({ text }) => !remaining.has(text)));
    },
  };
}

/** In the order of the config, without duplicates. */
function inOrder(targets: Iterable<Target>): Target[] {
  return [...new Set(targets)].sort((a, b) => a.position - b.position);
}
