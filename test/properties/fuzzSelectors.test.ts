import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type LabelSelector, matchesSelector, selectorToString } from '../../src/kube/objects/selector.ts';
import { createSelectorIndex } from '../../src/kube/objects/selectorIndex.ts';
import { type ChangeType, readLineMetadata } from '../../src/kube/watch/metadataFastPath.ts';
import type { ObjectSink } from '../../src/kube/watch/sink.ts';
import { fanOut, labelsOf } from '../../src/weeder/pods/fanOut.ts';
import { createPodIndex, type PodIndex } from '../../src/weeder/pods/podIndex.ts';
import { createStreams } from '../../src/weeder/streams.ts';
import { createWeeder } from '../../src/weeder/weeder.ts';
import { backOff, type ContainerState, pod, running } from '../support/objects/objects.ts';
import { selectors as anySelectors } from '../support/objects/selectors.ts';
import { propertyRuns } from '../support/propertyRuns.ts';
import { serviceConfig } from '../support/world/simulation.ts';
import { virtualClock } from '../support/world/virtualClock.ts';
import { weederOptions } from '../support/world/weederOptions.ts';

type Pod = ReturnType<typeof pod>;

const { labels, selector } = anySelectors(['app', 'role', 'tier'], ['a', 'b', 'c']);
const stuck: ContainerState = { state: { waiting: { reason: 'ImagePullBackOff' } } };
const states = { looping: backOff(), healthy: running(4), stuck } as const;
const change = fc.record({
  uid: fc.constantFrom('u0', 'u1', 'u2', 'u3'),
  state: fc.constantFrom('looping', 'looping', 'healthy', 'stuck', 'deleted'),
  labels,
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function podOf({ uid, state, labels: its }: Change): Pod {
  return pod({ uid, name: uid, labels: its, containers: state === 'deleted' ? [] : [states[state]] });
}

/** Delivers the change as a watch does: a line that is irrelevant is not parsed. */
function deliver(sink: ObjectSink, type: ChangeType, object: Pod): void {
  const line = Buffer.from(JSON.stringify({ type, object }));
  const metadata = readLineMetadata(line);
  assert.ok(metadata);
  if (sink.isIrrelevant?.(line, metadata) !== true) sink.apply(type, object);
}

/** What the indexes hold, and everything that they have told their listeners. */
function observed(indexes: ReadonlyMap<string, PodIndex>) {
  const log: string[] = [];
  for (const [text, index] of indexes)
    index.subscribe('all', {
      crashLooping: ({ uid, resourceVersion }) => log.push(`${text}: ${uid} ${resourceVersion}`),
      left: (uid, { isRemoved }) => log.push(`${text}: ${uid} ${isRemoved ? 'removed' : 'recovered'}`),
    });
  return () => ({ log: log.splice(0), holds: contents(indexes) });
}

function contents(indexes: ReadonlyMap<string, PodIndex>): string[] {
  return [...indexes].flatMap(([text, index]) => [
    ...index.podsIn('all').map(({ uid }) => `${text}: ${uid} crash-loops`),
    ...[...index.neverStarted('all')].map(({ name }) => `${text}: ${name} never started`),
  ]);
}

/** Compares each pod with each selector. */
function naive(indexes: ReadonlyMap<string, PodIndex>, selectors: ReadonlyMap<string, LabelSelector>): ObjectSink {
  const sinks = [...selectors].flatMap(([text, each]) => {
    const sink = indexes.get(text)?.createSink();
    return sink === undefined ? [] : [{ each, sink }];
  });
  return {
    begin: () => sinks.forEach(({ sink }) => void sink.begin()),
    apply(type, object) {
      for (const { each, sink } of sinks)
        sink.apply(matchesSelector(each, labelsOf(object)) ? type : 'DELETED', object);
    },
    end: () => sinks.forEach(({ sink }) => void sink.end()),
  };
}

function byText(all: readonly LabelSelector[]): ReadonlyMap<string, LabelSelector> {
  return new Map(all.map((each) => [selectorToString(each), each]));
}

const step = fc.oneof(
  { weight: 5, arbitrary: change },
  fc.record({ list: fc.array(change, { maxLength: 4 }), isInterrupted: fc.boolean() }),
);

test('one stream of all pods fills the indexes as a comparison of each pod with each selector does', () => {
  fc.assert(
    fc.property(fc.array(selector, { maxLength: 12 }), fc.array(step, { maxLength: 20 }), (all, steps) => {
      const selectors = byText(all);
      const create = () => new Map([...selectors.keys()].map((text) => [text, createPodIndex(virtualClock())]));
      const [quick, slow] = [create(), create()];
      const [sink, oracle] = [fanOut(quick, createSelectorIndex(selectors)), naive(slow, selectors)];
      const [found, expected] = [observed(quick), observed(slow)];
      const apply = (given: Change, type: ChangeType) => {
        const object = podOf(given);
        deliver(sink, type, object);
        oracle.apply(type, object);
      };
      for (const each of steps) {
        if ('list' in each) {
          for (const to of [sink, oracle]) to.begin();
          for (const given of each.list) if (given.state !== 'deleted') apply(given, 'ADDED');
          if (!each.isInterrupted) for (const to of [sink, oracle]) to.end();
        } else apply(each, each.state === 'deleted' ? 'DELETED' : 'MODIFIED');
        assert.deepEqual(found(), expected());
      }
      sink.close();
      assert.deepEqual(contents(quick), []);
    }),
    propertyRuns(2000),
  );
});

const numbered = Array.from({ length: 16 }, (_, index): LabelSelector => ({ matchLabels: { role: `r${index}` } }));

const event = fc.oneof(
  { weight: 6, arbitrary: change },
  { weight: 4, arbitrary: fc.record({ deliverTo: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ relist: fc.nat(20) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      // Around the number above which one stream of all pods replaces those of the podSelectors.
      selectors: fc.array(selector, { minLength: 1, maxLength: 5 }),
      others: fc.constantFrom(0, 14, 16),
    }),
  },
);

test('while configs come and go, and streams lag behind, each index ends up with the pods of its selector', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      const at = cluster();
      for (const each of events) {
        if ('uid' in each) at.change(each);
        else if ('deliverTo' in each) at.deliverTo(each.deliverTo);
        else if ('relist' in each) at.relist(each.relist);
        else at.configure([...each.selectors, ...numbered.slice(0, each.others)]);
      }
      at.catchUp();
      assert.deepEqual(contents(at.weeder.pods).sort(), at.expected().sort());
      at.configure([{ matchLabels: { none: 'of them' } }]);
      at.catchUp();
      assert.deepEqual(contents(at.weeder.pods), []);
    }),
    propertyRuns(1000),
  );
});

/** The pods, and the real streams of a weeder, each of which delivers in the server's order, and later than others. */
function cluster() {
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

  const podStreams = () => [...streams.needs.values()].filter(({ kind }) => kind === 'Pod');
  const selectorOf = (labelSelector: string) => known.get(labelSelector) ?? {};
  /** Of old configs, too: their streams may still be open. */
  const known = new Map<string, LabelSelector>(selectors);

  function list({ name, sink, labelSelector }: ReturnType<typeof podStreams>[number]): void {
    const now = new Map(changes.map((each, index) => [each.uid, { ...each, index }]));
    const has = new Set<string>();
    positions.set(name, { sink, at: changes.length, has });
    sink.begin();
    for (const { index, ...each } of now.values()) {
      if (each.state === 'deleted' || !matchesSelector(selectorOf(labelSelector), each.labels)) continue;
      has.add(each.uid);
      deliver(sink, 'ADDED', objects[index] ?? podOf(each));
    }
    // The list may close streams, this one included.
    sink.end();
  }

  const objects: Pod[] = [];

  function next(stream: ReturnType<typeof podStreams>[number]): boolean {
    const known = positions.get(stream.name);
    if (known === undefined || known.sink !== stream.sink) {
      list(stream);
      return true;
    }
    const [each, object] = [changes[known.at], objects[known.at]];
    if (each === undefined || object === undefined) return false;
    known.at += 1;
    const isSelected = each.state !== 'deleted' && matchesSelector(selectorOf(stream.labelSelector), each.labels);
    if (isSelected) deliver(stream.sink, known.has.has(each.uid) ? 'MODIFIED' : 'ADDED', object);
    else if (known.has.has(each.uid)) deliver(stream.sink, 'DELETED', object);
    if (isSelected) known.has.add(each.uid);
    else known.has.delete(each.uid);
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
