import { objectOf } from '@weeder/kube-runtime/base';
import { type LabelSelector, selectorToString, uidOf } from '@weeder/kube-runtime/objects';
import type { VirtualClock } from '@weeder/kube-runtime/testing';
import type { ObjectSink } from '@weeder/kube-runtime/watch';
import type { Weeder } from '../../../src/weeder/weeder.ts';
import { backOff, pod, running, terminated } from '../objects/objects.ts';
import type { DeliveredPod, HistoryEvent } from '../recording/history.ts';
import type { Step } from '../steps.ts';
import { heldCluster, podStream } from '../world/heldCluster.ts';

export interface StoryClusterOptions {
  readonly selectors: readonly LabelSelector[];
  readonly clock: VirtualClock;
  readonly note: (event: HistoryEvent) => void;
}

type StoryPod = Omit<DeliveredPod, 'version'>;

/** The pods of a story in a simulated cluster, and what the streams have delivered of them. */
export function storyCluster({ selectors, clock, note }: StoryClusterOptions) {
  const cluster = heldCluster(clock);
  /** By uid: the newest state. */
  const podsByUid = new Map<string, StoryPod>();
  let uids = 0;

  function change(isSeen: boolean, act: () => void): void {
    if (!isSeen) cluster.hold('Pod');
    act();
    if (isSeen) cluster.relist('Pod', 'held');
  }

  return {
    put(step: Extract<Step, { do: 'pod' }>) {
      const before = step.isSuccessor ? undefined : cluster.get('Pod', step.namespace, step.name);
      uids += before === undefined ? 1 : 0;
      const uid = before?.metadata.uid ?? `uid-${uids}`;
      const { entry, object } = makePod(step, uid, clock.now());
      podsByUid.set(uid, entry);
      change(step.isSeen, () => cluster.put('Pod', object));
    },
    touch({ namespace, name, isSeen }: Pick<Extract<Step, { do: 'touch' }>, 'namespace' | 'name' | 'isSeen'>) {
      const before = cluster.get('Pod', namespace, name);
      if (before !== undefined) change(isSeen, () => cluster.put('Pod', before));
    },
    remove: ({ namespace, name, isSeen }: Pick<Extract<Step, { do: 'remove' }>, 'namespace' | 'name' | 'isSeen'>) =>
      change(isSeen, () => cluster.remove('Pod', namespace, name)),
    /** Opens the streams of a weeder; undefined: closes them. */
    follow(weeder: Weeder | undefined) {
      const streams = selectors.map(selectorToString).flatMap((text) => {
        const sink = weeder?.pods.get(text);
        return sink === undefined ? [] : [podStream(text, sink)];
      });
      cluster.follow(weeder === undefined ? [] : [podStream('', notingSink(podsByUid, note)), ...streams]);
    },
    /** Every pod stream reads its complete list again. */
    relist: () => cluster.relist('Pod'),
    /** The API server's own answer. */
    delete: cluster.deletePod,
  };
}

/** Notes what the streams deliver. */
function notingSink(podsByUid: ReadonlyMap<string, StoryPod>, note: (event: HistoryEvent) => void): ObjectSink {
  const delivered = new Set<string>();
  let listed = new Set<string>();

  function lose(uid: string): void {
    if (delivered.delete(uid)) note({ what: 'lost', uid });
  }

  return {
    begin() {
      listed = new Set();
    },
    apply(type, object) {
      const { resourceVersion, deletionTimestamp } = objectOf(objectOf(object)['metadata']);
      const uid = uidOf(object);
      const pod = podsByUid.get(uid);
      if (type === 'DELETED' || pod === undefined) return lose(uid);
      listed.add(uid);
      delivered.add(uid);
      const state = deletionTimestamp === undefined ? pod.state : 'healthy';
      note({ what: 'delivered', pod: { ...pod, version: String(resourceVersion), state } });
    },
    end() {
      for (const uid of delivered) if (!listed.has(uid)) lose(uid);
    },
  };
}

function makePod(step: Extract<Step, { do: 'pod' }>, uid: string, now: number) {
  const { namespace, name, role, type, restarts, finished, protection } = step;
  const finishedAt = now - finished;
  const container = { running, backOff, ended: (times: number) => terminated(finishedAt, times), ending: backOff }[
    type
  ](restarts);
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
    ...(type === 'ending' ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
  });
  const isHealthy = type === 'running' || type === 'ending' || (type === 'ended' && restarts === 0);
  const entry: StoryPod = {
    uid,
    namespace,
    name,
    role,
    state: isHealthy ? 'healthy' : type === 'backOff' ? 'backOff' : 'ended',
    restarts,
    finishedAt,
    protection: protection === 'ignored' || protection === 'mirror' ? 'never' : protection,
  };
  return { entry, object };
}
