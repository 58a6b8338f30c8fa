import { type LabelSelector, matchesSelector, selectorToString } from '../../../src/kube/objects/selector.ts';
import type { ChangeType } from '../../../src/kube/watch/metadataFastPath.ts';
import type { DeletionAnswer, DeletionAttempt } from '../../../src/weeder/deletions/deletePod.ts';
import type { Weeder } from '../../../src/weeder/weeder.ts';
import { backOff, nextVersion, pod, running, terminated } from '../objects/objects.ts';
import type { DeliveredPod, HistoryEvent } from '../recording/history.ts';
import type { Step } from '../steps.ts';

/** The pods of a story, and what the streams have delivered of them. */
export interface StoryCluster {
  put(step: Extract<Step, { do: 'pod' }>): void;
  touch(step: Pick<Extract<Step, { do: 'touch' }>, 'namespace' | 'name' | 'isSeen'>): void;
  remove(step: Pick<Extract<Step, { do: 'remove' }>, 'namespace' | 'name' | 'isSeen'>): void;
  /** Delivers the existing pods to a new weeder. */
  list(): void;
  /** Every pod stream reads its complete list again. */
  relist(): void;
  /** The API server's own answer: it checks preconditions, and an accepted deletion takes effect at once. */
  delete(request: DeletionAttempt): DeletionAnswer;
}

interface StoryPod {
  readonly entry: DeliveredPod;
  readonly object: ReturnType<typeof pod>;
}

export interface StoryClusterOptions {
  readonly selectors: readonly LabelSelector[];
  readonly now: () => number;
  readonly note: (event: HistoryEvent) => void;
  readonly weeder: () => Weeder | undefined;
}

export function storyCluster({ selectors, now, note, weeder }: StoryClusterOptions): StoryCluster {
  const pods = new Map<string, StoryPod>();
  const delivered = new Map<string, StoryPod>();
  let uids = 0;

  const keyOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }) => `${namespace}/${name}`;
  const streams = () =>
    selectors.map((selector) => ({ selector, sink: weeder()?.pods.get(selectorToString(selector)) }));

  function deliver(was: StoryPod | undefined, is: StoryPod | undefined): void {
    for (const { selector, sink } of streams()) {
      const selects = (each: StoryPod | undefined) =>
        each !== undefined && matchesSelector(selector, each.object.metadata.labels);
      const type = changeOf(selects(was), selects(is));
      if (type !== undefined) sink?.apply(type, (is ?? was)?.object);
    }
  }

  function deliverPod(each: StoryPod): void {
    const was = delivered.get(each.entry.uid);
    delivered.set(each.entry.uid, each);
    note({ what: 'delivered', pod: each.entry });
    deliver(was, each);
  }

  function lose(each: StoryPod | undefined): void {
    if (each === undefined || !delivered.delete(each.entry.uid)) return;
    note({ what: 'lost', uid: each.entry.uid });
    deliver(each, undefined);
  }

  function deliveredOfName(key: string): StoryPod | undefined {
    return [...delivered.values()].find((each) => keyOf(each.entry) === key);
  }

  function change(made: StoryPod, isSeen: boolean): void {
    const key = keyOf(made.entry);
    pods.set(key, made);
    if (!isSeen) return;
    const before = deliveredOfName(key);
    if (before?.entry.uid !== made.entry.uid) lose(before);
    deliverPod(made);
  }

  return {
    put(step) {
      const known = step.isSuccessor ? undefined : pods.get(keyOf(step))?.entry.uid;
      uids += known === undefined ? 1 : 0;
      change(makePod(step, known ?? `uid-${uids}`, now()), step.isSeen);
    },
    touch(step) {
      const known = pods.get(keyOf(step));
      if (known === undefined) return;
      const version = nextVersion();
      const metadata = { ...known.object.metadata, resourceVersion: version };
      change({ entry: { ...known.entry, version }, object: { ...known.object, metadata } }, step.isSeen);
    },
    remove(step) {
      pods.delete(keyOf(step));
      if (step.isSeen) lose(deliveredOfName(keyOf(step)));
    },
    list() {
      delivered.clear();
      for (const each of pods.values()) deliverPod(each);
    },
    relist() {
      for (const { sink } of streams()) sink?.begin();
      for (const each of [...pods.values()]) {
        delivered.set(each.entry.uid, each);
        note({ what: 'delivered', pod: each.entry });
        deliver(undefined, each);
      }
      const uidsNow = new Set([...pods.values()].map((each) => each.entry.uid));
      for (const uid of [...delivered.keys()]) {
        if (uidsNow.has(uid)) continue;
        delivered.delete(uid);
        note({ what: 'lost', uid });
      }
      for (const { sink } of streams()) sink?.end();
    },
    delete({ uid, namespace, name, resourceVersion }) {
      const found = pods.get(keyOf({ namespace, name }));
      if (found === undefined) return { type: 'delete.notFound' };
      const isOther = found.entry.uid !== uid || found.entry.version !== resourceVersion;
      if (isOther) return { type: 'delete.conflicted' };
      pods.delete(keyOf({ namespace, name }));
      lose(delivered.get(uid));
      return { type: 'delete.accepted' };
    },
  };
}

function makePod(step: Extract<Step, { do: 'pod' }>, uid: string, now: number): StoryPod {
  const { namespace, name, role, is, restarts, finished, protection } = step;
  const finishedAt = now - finished;
  const container = { running, backOff, ended: (times: number) => terminated(finishedAt, times), ending: backOff }[is](
    restarts,
  );
  const object = pod({
    namespace,
    name,
    uid,
    labels: { role },
    isBare: protection === 'bare',
    annotations: {
      ignored: { 'weeder.dev/ignore': 'true' },
      mirror: { 'kubernetes.io/config.mirror': 'x' },
      none: {},
      bare: {},
    }[protection],
    containers: [container],
    ...(is === 'ending' ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
  });
  const isHealthy = is === 'running' || is === 'ending' || (is === 'ended' && restarts === 0);
  const delivered: DeliveredPod = {
    uid,
    namespace,
    name,
    role,
    version: object.metadata.resourceVersion,
    state: isHealthy ? 'healthy' : is === 'backOff' ? 'backOff' : 'ended',
    restarts,
    finishedAt,
    protection: protection === 'ignored' || protection === 'mirror' ? 'never' : protection,
  };
  return { entry: delivered, object };
}

/** The type of the change that a stream delivers for a pod that its selector selected before, and selects now. */
function changeOf(was: boolean, is: boolean): ChangeType | undefined {
  if (is) return was ? 'MODIFIED' : 'ADDED';
  return was ? 'DELETED' : undefined;
}
