/**
 * The namespaces for which this replica acts: those of its shard, and of these the ones that `--namespace-selector` and
 * `--except-namespaces` select. Guarantees that no controller acts on a namespace before its labels are known, and that
 * a namespace whose labels change is taken up, or left, by complete lists of the streams that have its objects.
 */

import { type Clock, objectOf, type TimerHandle, textOf } from '@weeder/kube-runtime/base';
import { type LabelSelector, labelsOf, matchesSelector, namespaceOf } from '@weeder/kube-runtime/objects';
import { createSharedObjects, forwardingTo, type ObjectSink, type StreamNeed } from '@weeder/kube-runtime/watch';
import { ownsNamespace, type Shard } from './shard.ts';

/** Which namespaces are watched, if not all of them. */
export interface NamespaceSelection {
  /** By the labels of the Namespace. Undefined: all. */
  readonly selector: LabelSelector | undefined;
  /** The names of those that are not selected in any case. */
  readonly except: readonly string[];
}

/** What the controllers see of it. */
export interface OwnedNamespaces {
  /** Whether this replica acts for the services, workloads and Applications of the namespace. */
  owns(namespace: string): boolean;
  /** Whether a replica acts for them: this one, or that of another shard. */
  isSelected(namespace: string): boolean;
  /** The stream without the objects of namespaces that this replica does not own. */
  onlyOwned(stream: StreamNeed): StreamNeed;
  /** The stream without the objects of namespaces that are not selected. Those of other shards stay. */
  onlySelected(stream: StreamNeed): StreamNeed;
}

interface NamespaceOwner extends OwnedNamespaces {
  /** The stream of Namespaces: none without a label selector. */
  readonly needs: ReadonlyMap<string, StreamNeed>;
  /** The labels of all namespaces have been read. */
  readonly isKnown: boolean;
  /** How many namespaces the label selector selects. */
  readonly selected: number;
  stop(): void;
}

interface OwnerOptions {
  readonly clock: Clock;
  readonly shard: Shard | undefined;
  readonly selection: NamespaceSelection | undefined;
  /** The labels of all namespaces are known for the first time. */
  readonly onKnown: () => void;
  /** These streams have objects of namespaces that are selected now and were not, or the other way round. */
  readonly onChanged: (streams: ReadonlySet<string>) => void;
}

/** Changes of labels within this time cause one list of each stream. Milliseconds. */
const batchTime = 1000;

export function createNamespaceOwner({ clock, shard, selection, onKnown, onChanged }: OwnerOptions): NamespaceOwner {
  const { selector, except = [] } = selection ?? {};
  const selected = new Set<string>();
  /** The namespaces of which a stream, by its name, has had objects. */
  const seenBy = new Map<string, Set<string>>();
  const changed = new Set<string>();
  let isKnown = selector === undefined;
  let timer: TimerHandle | undefined;

  const isOfShard = (namespace: string) => shard === undefined || ownsNamespace(shard, namespace);
  const isSelected = (namespace: string) =>
    !except.includes(namespace) && (selector === undefined || selected.has(namespace));

  /**
   * Of the namespaces that may be selected, only those that are. A deletion always passes: the namespace may have been
   * left, or deleted, in the meantime.
   */
  function onlyOf(mayBeSelected: (namespace: string) => boolean, need: StreamNeed): StreamNeed {
    const { name, sink } = need;
    const seen = new Set<string>();
    seenBy.set(name, seen);
    const passes = (type: string, namespace: string) => {
      if (!mayBeSelected(namespace)) return false;
      seen.add(namespace);
      return type === 'DELETED' || isSelected(namespace);
    };
    return {
      ...need,
      sink: {
        ...forwardingTo(sink),
        apply(type, object) {
          if (passes(type, namespaceOf(object))) sink.apply(type, object);
        },
        isIrrelevant: (line, metadata) =>
          !passes(metadata.type, metadata.namespace) || sink.isIrrelevant?.(line, metadata) === true,
      },
    };
  }

  function take(name: string, isNow: boolean): void {
    if (selected.has(name) === isNow) return;
    if (isNow) selected.add(name);
    else selected.delete(name);
    if (!isKnown) return;
    changed.add(name);
    timer ??= clock.setTimeout(listAgain, batchTime);
  }

  function listAgain(): void {
    timer = undefined;
    const streams = [...seenBy].filter(([, seen]) => !changed.isDisjointFrom(seen)).map(([name]) => name);
    changed.clear();
    onChanged(new Set(streams));
  }

  const namespaces = namespaceSink(selector, {
    take,
    removed(name) {
      selected.delete(name);
      changed.delete(name);
      for (const seen of seenBy.values()) seen.delete(name);
    },
    listed() {
      if (isKnown) return;
      isKnown = true;
      onKnown();
    },
  });

  return {
    owns: (namespace) => isOfShard(namespace) && isSelected(namespace),
    isSelected,
    onlyOwned: (stream) => onlyOf(isOfShard, stream),
    onlySelected: (stream) => (selection === undefined ? stream : onlyOf(() => true, stream)),
    needs: new Map(selector === undefined ? [] : [[namespaceStream.name, { ...namespaceStream, sink: namespaces }]]),
    get isKnown() {
      return isKnown;
    },
    get selected() {
      return selected.size;
    },
    stop: () => clock.clearTimeout(timer),
  };
}

const namespaceStream = {
  name: 'namespaces',
  path: '/api/v1/namespaces',
  kind: 'Namespace',
  labelSelector: '',
  as: 'metadata',
} as const;

interface NamespaceListener {
  take(name: string, isSelected: boolean): void;
  removed(name: string): void;
  listed(): void;
}

function namespaceSink(selector: LabelSelector | undefined, { take, removed, listed }: NamespaceListener): ObjectSink {
  const objects = createSharedObjects().stream();
  return {
    begin: objects.begin,
    apply(type, object) {
      const name = textOf(objectOf(objectOf(object)['metadata'])['name']) ?? '';
      if (type !== 'DELETED') {
        objects.add(name);
        take(name, selector === undefined || matchesSelector(selector, labelsOf(object)));
      } else if (objects.remove(name)) removed(name);
    },
    end() {
      for (const name of objects.end()) removed(name);
      listed();
    },
  };
}
