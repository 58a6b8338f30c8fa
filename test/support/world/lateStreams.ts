import assert from 'node:assert/strict';
import { type Cursor, createStorage, openCursor } from '@weeder/embedded-cluster/registry';
import { pods } from '@weeder/embedded-cluster/resources';
import { type LabelSelector, matchesSelector, selectorToString } from '@weeder/kube-runtime/objects';
import { selectors, virtualClock } from '@weeder/kube-runtime/testing';
import type { ObjectSink, StreamNeed } from '@weeder/kube-runtime/watch';
import { type ChangeType, readLineMetadata } from '@weeder/kube-runtime/watch';
import fc from 'fast-check';
import type { PodIndex } from '../../../src/weeder/pods/podIndex.ts';
import { createStreams } from '../../../src/weeder/streams.ts';
import { createWeeder } from '../../../src/weeder/weeder.ts';
import { backOff, type ContainerState, pod, running } from '../objects/objects.ts';
import { restore } from './heldCluster.ts';
import { selectedBy } from './simulatedStreams.ts';
import { serviceConfig } from './simulation.ts';
import { weederOptions } from './weederOptions.ts';

type Pod = ReturnType<typeof pod>;

const arbitraries = selectors(['app', 'role', 'tier'], ['a', 'b', 'c']);
export const { selector } = arbitraries;
const stuck: ContainerState = { state: { waiting: { reason: 'ImagePullBackOff' } } };
const states = { looping: backOff(), healthy: running(4), stuck } as const;
/** The newest state of a pod. */
export const change = fc.record({
  uid: fc.constantFrom('u0', 'u1', 'u2', 'u3'),
  state: fc.constantFrom('looping', 'looping', 'healthy', 'stuck', 'deleted'),
  labels: arbitraries.labels,
});
export type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

export function podOf({ uid, state, labels }: Change): Pod {
  return pod({ uid, name: uid, labels, containers: state === 'deleted' ? [] : [states[state]] });
}

/** Delivers the change as a watch does: a line that is irrelevant is not parsed. */
export function deliver(sink: ObjectSink, type: ChangeType, object: object): void {
  const line = Buffer.from(JSON.stringify({ type, object }));
  const metadata = readLineMetadata(line);
  assert.ok(metadata);
  if (sink.isIrrelevant?.(line, metadata) !== true) sink.apply(type, object);
}

/** What the indexes hold. */
export function contents(indexes: ReadonlyMap<string, PodIndex>): string[] {
  return [...indexes].flatMap(([text, index]) => [
    ...index.podsIn('all').map(({ uid }) => `${text}: ${uid} crash-loops`),
    ...[...index.neverStarted('all')].map(({ name }) => `${text}: ${name} never started`),
  ]);
}

/** By canonical text. */
export function byText(podSelectors: readonly LabelSelector[]): ReadonlyMap<string, LabelSelector> {
  return new Map(podSelectors.map((each) => [selectorToString(each), each]));
}

/** The pods, and the real streams of a weeder, each of which delivers in the server's order, and later than others. */
export function lateStreams() {
  let selectors = byText([{ matchLabels: { app: 'a' } }]);
  const configNow = () => ({
    services: new Map([['db', serviceConfig({ name: 'db', podSelectors: [...selectors.values()] })]]),
    restart: undefined,
  });
  const clock = virtualClock();
  const weeder = createWeeder(weederOptions(configNow(), clock));
  const streams = createStreams({ weeder, config: configNow(), namespaces: 'all' });
  const storage = createStorage({ clock, random: () => 0, resources: [pods], historyLimit: 100 });
  const newest = new Map<string, Change>();
  /** By name of the stream. */
  const opened = new Map<string, { readonly sink: ObjectSink; readonly cursor: Cursor | undefined }>();
  const podStreams = () => [...streams.needs.values()].filter(({ kind }) => kind === 'Pod');

  /** Delivers the next change of a stream. False: it has delivered everything. */
  function deliverNext({ sink, cursor }: { readonly sink: ObjectSink; readonly cursor: Cursor | undefined }): boolean {
    const item = cursor?.next();
    if (typeof item !== 'object') return false;
    deliver(sink, item.type, item.object);
    return true;
  }

  function list({ name, sink, ...need }: StreamNeed): void {
    const { resource, selection } = selectedBy(storage, need);
    const stream = { sink, cursor: openCursor(storage, resource, selection, 'now', () => {}) };
    opened.set(name, stream);
    sink.begin();
    while (deliverNext(stream));
    // The list may close streams, this one included.
    sink.end();
  }

  /** Delivers the next change of a stream, or its first list. False: it has delivered everything. */
  function next(need: StreamNeed): boolean {
    const stream = opened.get(need.name);
    if (stream?.sink === need.sink) return deliverNext(stream);
    list(need);
    return true;
  }

  function pick(number: number) {
    const open = podStreams();
    return open[number % open.length];
  }

  return {
    weeder,
    change(change: Change) {
      newest.set(change.uid, change);
      const storedPod = storage.collectionOf(pods).get('shoot-1', change.uid);
      if (change.state !== 'deleted') restore(storage, pods, podOf(change));
      else if (storedPod !== undefined) storage.remove(pods, storedPod);
    },
    deliverTo(number: number) {
      const stream = pick(number);
      if (stream !== undefined) next(stream);
    },
    relist(number: number) {
      const stream = pick(number);
      if (stream !== undefined) list(stream);
    },
    configure(podSelectors: readonly LabelSelector[]) {
      selectors = byText(podSelectors);
      weeder.configure(configNow());
      streams.configure(configNow());
    },
    catchUp() {
      for (let isBehind = true; isBehind; ) isBehind = podStreams().map(next).includes(true);
    },
    expected() {
      const now = [...newest.values()];
      return [...selectors].flatMap(([text, selector]) =>
        now.flatMap(({ uid, state, labels }) => {
          const words = { looping: 'crash-loops', stuck: 'never started', healthy: '', deleted: '' }[state];
          return words !== '' && matchesSelector(selector, labels) ? [`${text}: ${uid} ${words}`] : [];
        }),
      );
    },
  };
}
