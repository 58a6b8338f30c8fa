import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type LabelSelector, matchesSelector, selectorToString } from '../../../src/kube/objects/selector.ts';
import { type ChangeType, readLineMetadata } from '../../../src/kube/watch/metadataFastPath.ts';
import type { ObjectSink } from '../../../src/kube/watch/sink.ts';
import type { StreamNeed } from '../../../src/kube/watch/streamNeed.ts';
import type { PodIndex } from '../../../src/weeder/pods/podIndex.ts';
import { createStreams } from '../../../src/weeder/streams.ts';
import { createWeeder } from '../../../src/weeder/weeder.ts';
import { backOff, type ContainerState, pod, running } from '../objects/objects.ts';
import { selectors } from '../objects/selectors.ts';
import { serviceConfig } from './simulation.ts';
import { virtualClock } from './virtualClock.ts';
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

export function podOf({ uid, state, labels: its }: Change): Pod {
  return pod({ uid, name: uid, labels: its, containers: state === 'deleted' ? [] : [states[state]] });
}

/** Delivers the change as a watch does: a line that is irrelevant is not parsed. */
export function deliver(sink: ObjectSink, type: ChangeType, object: Pod): void {
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
export function byText(all: readonly LabelSelector[]): ReadonlyMap<string, LabelSelector> {
  return new Map(all.map((each) => [selectorToString(each), each]));
}

/** The pods, and the real streams of a weeder, each of which delivers in the server's order, and later than others. */
export function lateStreams() {
  let selectors = byText([{ matchLabels: { app: 'a' } }]);
  const configNow = () => ({
    services: new Map([['db', serviceConfig({ name: 'db', podSelectors: [...selectors.values()] })]]),
    restart: undefined,
  });
  const weeder = createWeeder(weederOptions(configNow(), virtualClock()));
  const streams = createStreams({ weeder, config: configNow(), namespaces: 'all' });
  const changes: Change[] = [];
  /** By name of the stream: how many changes it has delivered, and the pods that it has. */
  const positions = new Map<string, { sink: ObjectSink; at: number; has: Set<string> }>();

  const objects: Pod[] = [];
  const podStreams = () => [...streams.needs.values()].filter(({ kind }) => kind === 'Pod');
  /** Of old configs, too: their streams may still be open. */
  const known = new Map<string, LabelSelector>(selectors);
  const isIn = (labelSelector: string, { state, labels }: Change) =>
    state !== 'deleted' && matchesSelector(known.get(labelSelector) ?? {}, labels);

  function list({ name, sink, labelSelector }: StreamNeed): void {
    const newest = new Map(changes.map(({ uid }, index) => [uid, index]));
    const has = new Set<string>();
    positions.set(name, { sink, at: changes.length, has });
    sink.begin();
    for (const [uid, index] of newest) {
      const [each, object] = [changes[index], objects[index]];
      if (each === undefined || object === undefined || !isIn(labelSelector, each)) continue;
      has.add(uid);
      deliver(sink, 'ADDED', object);
    }
    // The list may close streams, this one included.
    sink.end();
  }

  /** Delivers the next change of a stream, or its first list. False: it has delivered everything. */
  function next(stream: StreamNeed): boolean {
    const position = positions.get(stream.name);
    if (position === undefined || position.sink !== stream.sink) {
      list(stream);
      return true;
    }
    const { at, has } = position;
    const [each, object] = [changes[at], objects[at]];
    if (each === undefined || object === undefined) return false;
    position.at += 1;
    const type = changeOf(has.has(each.uid), isIn(stream.labelSelector, each));
    if (type === 'ADDED') has.add(each.uid);
    if (type === 'DELETED') has.delete(each.uid);
    if (type !== undefined) deliver(stream.sink, type, object);
    return true;
  }

  function pick(number: number) {
    const open = podStreams();
    return open[number % open.length];
  }

  return {
    weeder,
    change(each: Change) {
      changes.push(each);
      objects.push(podOf(each));
    },
    deliverTo(number: number) {
      const stream = pick(number);
      if (stream !== undefined) next(stream);
    },
    relist(number: number) {
      const stream = pick(number);
      if (stream !== undefined) list(stream);
    },
    configure(all: readonly LabelSelector[]) {
      selectors = byText(all);
      for (const [text, each] of selectors) known.set(text, each);
      weeder.configure(configNow());
      streams.configure(configNow());
    },
    catchUp() {
      for (let isBehind = true; isBehind; ) isBehind = podStreams().map(next).includes(true);
    },
    expected() {
      const now = [...new Map(changes.map((each) => [each.uid, each])).values()];
      return [...selectors].flatMap(([text, each]) =>
        now.flatMap(({ uid, state, labels: its }) => {
          const words = { looping: 'crash-loops', stuck: 'never started', healthy: '', deleted: '' }[state];
          return words !== '' && matchesSelector(each, its) ? [`${text}: ${uid} ${words}`] : [];
        }),
      );
    },
  };
}

/** What a stream delivers of a pod that its selector selected before, and selects now. */
function changeOf(was: boolean, is: boolean): ChangeType | undefined {
  if (is) return was ? 'MODIFIED' : 'ADDED';
  return was ? 'DELETED' : undefined;
}
