import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSelectorIndex, type LabelSelector, labelsOf, matchesSelector } from '@weeder/kube-runtime/objects';
import { propertyRuns, virtualClock } from '@weeder/kube-runtime/testing';
import type { ChangeType, ObjectSink } from '@weeder/kube-runtime/watch';
import fc from 'fast-check';
import { createPodIndex } from '../../src/weeder/pods/createPodIndex.ts';
import { fanOut } from '../../src/weeder/pods/fanOut.ts';
import type { PodIndex } from '../../src/weeder/pods/podIndex.ts';
import {
  byText,
  type Change,
  change,
  contents,
  deliver,
  lateStreams,
  podOf,
  selector,
} from '../support/world/lateStreams.ts';

/** What the indexes hold, and everything that they have reported to their listeners. */
function observed(indexes: ReadonlyMap<string, PodIndex>) {
  const log: string[] = [];
  for (const [text, index] of indexes)
    index.subscribe('all', {
      crashLooping: ({ uid, resourceVersion }) => log.push(`${text}: ${uid} ${resourceVersion}`),
      left: (uid, { isRemoved }) => log.push(`${text}: ${uid} ${isRemoved ? 'removed' : 'recovered'}`),
    });
  return () => ({ log: log.splice(0), holds: contents(indexes) });
}

/** Compares each pod with each selector. */
function naive(indexes: ReadonlyMap<string, PodIndex>, selectors: ReadonlyMap<string, LabelSelector>): ObjectSink {
  const sinks = [...selectors].flatMap(([text, podSelector]) => {
    const sink = indexes.get(text)?.createSink();
    return sink === undefined ? [] : [{ podSelector, sink }];
  });
  return {
    begin: () => sinks.forEach(({ sink }) => void sink.begin()),
    apply(type, object) {
      for (const { podSelector, sink } of sinks)
        sink.apply(matchesSelector(podSelector, labelsOf(object)) ? type : 'DELETED', object);
    },
    end: () => sinks.forEach(({ sink }) => void sink.end()),
  };
}

const step = fc.oneof(
  { weight: 5, arbitrary: change },
  fc.record({ list: fc.array(change, { maxLength: 4 }), isInterrupted: fc.boolean() }),
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Delivers to the sink what a watch delivers, and all of it to the oracle. */
function take(step: Step, sink: ObjectSink, oracle: ObjectSink): void {
  const apply = (given: Change, type: ChangeType) => {
    const object = podOf(given);
    deliver(sink, type, object);
    oracle.apply(type, object);
  };
  if ('uid' in step) {
    apply(step, step.state === 'deleted' ? 'DELETED' : 'MODIFIED');
    return;
  }
  for (const to of [sink, oracle]) to.begin();
  for (const given of step.list.filter(({ state }) => state !== 'deleted')) apply(given, 'ADDED');
  if (!step.isInterrupted) for (const to of [sink, oracle]) to.end();
}

test('one stream of all pods fills the indexes as a comparison of each pod with each selector does', () => {
  fc.assert(
    fc.property(fc.array(selector, { maxLength: 12 }), fc.array(step, { maxLength: 20 }), (podSelectors, steps) => {
      const selectors = byText(podSelectors);
      const create = () => new Map([...selectors.keys()].map((text) => [text, createPodIndex(virtualClock())]));
      const [quick, slow] = [create(), create()];
      const [sink, oracle] = [fanOut(quick, createSelectorIndex(selectors)), naive(slow, selectors)];
      const [actual, expected] = [observed(quick), observed(slow)];
      for (const step of steps) {
        take(step, sink, oracle);
        assert.deepEqual(actual(), expected());
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
      const at = lateStreams();
      for (const event of events) {
        if ('uid' in event) at.change(event);
        else if ('deliverTo' in event) at.deliverTo(event.deliverTo);
        else if ('relist' in event) at.relist(event.relist);
        else at.configure([...event.selectors, ...numbered.slice(0, event.others)]);
      }
      at.catchUp();
      assert.deepEqual(contents(at.weeder.pods).sort(), at.expected().sort());
      at.configure([{ matchLabels: { none: 'of-them' } }]);
      at.catchUp();
      assert.deepEqual(contents(at.weeder.pods), []);
    }),
    propertyRuns(1000),
  );
});
