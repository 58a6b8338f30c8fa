import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObjectSink } from '../../src/watch/sink.ts';
import { answerWith, isInitialWatch, isResumedWatch, statusBody } from '../../testing/faultyServer.ts';
import { reflecting } from '../../testing/reflecting.ts';
import { isPage, sending } from '../../testing/streamFaults.ts';
import { type TestSink, testSink } from '../../testing/testSink.ts';
import { until } from '../../testing/until.ts';
import { bookmarkLine, eventLine } from '../../testing/watchLines.ts';

const nameless = { kind: 'Pod', metadata: { namespace: 'n', uid: 'u', resourceVersion: '900' } };
const named = { kind: 'Pod', metadata: { namespace: 'n', name: 'good', uid: 'g', resourceVersion: '5' } };
const clusterScoped = { kind: 'Pod', metadata: { name: 'scopeless', uid: 's', resourceVersion: '6' } };

/** A sink that records whether changes may be missed. */
function completenessSink(): {
  readonly sink: ObjectSink;
  readonly state: TestSink['state'];
  readonly notified: string[];
} {
  const inner = testSink();
  const notified: string[] = [];
  const note = (word: string) => {
    if (notified.at(-1) !== word) notified.push(word);
  };
  const sink: ObjectSink = {
    begin: () => inner.begin(),
    apply: (type, object) => inner.apply(type, object),
    end(resourceVersion) {
      inner.end(resourceVersion);
      note('complete');
    },
    lost: () => note('lost'),
    resumed: () => note('resumed'),
  };
  return { sink, state: inner.state, notified };
}

const warningsOf = (logged: readonly { readonly level: string; readonly sentence: string }[]) =>
  logged.filter(({ level }) => level === 'warn').map(({ sentence }) => sentence);
const leftOut = 'an object of the stream cannot be read and is omitted';

test('an object without a namespace is read like any other, in the list and later', async () => {
  const { sink, state } = completenessSink();
  await using it = await reflecting('http', undefined, { sink });
  it.server.failNext(sending([eventLine('ADDED', clusterScoped), bookmarkLine(6, true)], 'end'), isInitialWatch);
  const later = { ...clusterScoped, metadata: { ...clusterScoped.metadata, resourceVersion: '8' } };
  it.server.failNext(sending([eventLine('MODIFIED', later)], 'hold'), isResumedWatch);
  it.start();
  await until('the change came', () => state.get('scopeless') === '8', it.clock);
  assert.deepEqual(warningsOf(it.logged), []);
});

test('an unreadable object in a watch is skipped and logged once, and the others are read', async () => {
  const { sink, state, notified } = completenessSink();
  await using it = await reflecting('http', undefined, { sink });
  it.server.failNext(sending([bookmarkLine(3, true)], 'end'), isInitialWatch);
  const lines = [eventLine('ADDED', nameless), eventLine('ADDED', named), eventLine('MODIFIED', nameless)];
  it.server.failNext(sending(lines, 'hold'), isResumedWatch);
  it.start();
  await until('the other one came', () => state.has('good'), it.clock);
  await until('the sink is marked as lost', () => notified.at(-1) === 'lost', it.clock);
  assert.deepEqual(warningsOf(it.logged), [leftOut]);
  assert.ok(it.isWatching());
});

test('an unreadable object in a list is skipped, and the list counts as incomplete', async () => {
  const { sink, state, notified } = completenessSink();
  await using it = await reflecting('http', undefined, { sink });
  // With any other version the following watch would expire, and the list would be read again.
  const end = bookmarkLine(it.server.store.version, true);
  const lines = [eventLine('ADDED', nameless), eventLine('ADDED', named), end];
  it.server.failNext(sending(lines, 'end'), isInitialWatch);
  it.start();
  await until('it watches', () => it.isWatching(), it.clock);
  assert.ok(state.has('good'));
  assert.deepEqual(notified, ['lost', 'complete', 'lost']);
  assert.deepEqual(warningsOf(it.logged), [leftOut]);
});

test('an unreadable object in a page is skipped', async () => {
  const { sink, state, notified } = completenessSink();
  await using it = await reflecting('http', undefined, { sink });
  it.server.failAll(answerWith(400, statusBody(400, 'BadRequest', 'no')), isInitialWatch);
  const page = {
    kind: 'PodList',
    metadata: { resourceVersion: String(it.server.store.version) },
    items: [nameless, named, clusterScoped],
  };
  it.server.failNext(answerWith(200, JSON.stringify(page)), isPage);
  it.start();
  await until('it watches', () => it.isWatching(), it.clock);
  assert.deepEqual([...state.keys()].sort(), ['good', 'scopeless']);
  assert.equal(notified.at(-1), 'lost');
  assert.deepEqual(warningsOf(it.logged), [leftOut]);
});

test('an object that the sink cannot process is left out of a list, a page and a watch, and the others are read', async () => {
  for (const isPaged of [false, true]) {
    const { sink, state, notified } = completenessSink();
    const refusing: ObjectSink = {
      ...sink,
      apply(type, object) {
        sink.apply(type, object);
        if (JSON.stringify(object).includes('"huge"')) throw new Error('it has too many parts');
      },
    };
    await using it = await reflecting('http', undefined, { sink: refusing });
    if (isPaged) it.server.failAll(answerWith(400, statusBody(400, 'BadRequest', 'no')), isInitialWatch);
    for (const name of ['a', 'huge', 'z']) it.server.store.put(name);
    it.start();
    await until('it watches', () => it.isWatching(), it.clock);
    it.server.store.put('huge');
    it.server.store.put('later');
    await until('the later one came', () => state.has('later'), it.clock);
    assert.ok(state.has('a') && state.has('z'));
    assert.equal(notified.filter((each) => each === 'complete').length, 1, 'it is listed once');
    assert.equal(notified.at(-1), 'lost');
    assert.deepEqual(warningsOf(it.logged), [leftOut]);
    const causes = it.logged.map(({ event }) => String(event['cause']));
    assert.ok(
      causes.some((cause) => /^Pod .*huge: it has too many parts$/.test(cause)),
      causes.join(),
    );
  }
});

test('a sink is notified when its stream is lost, and when it resumes', async () => {
  const { sink, notified } = completenessSink();
  await using it = await reflecting('http', undefined, { sink });
  it.server.store.put('a');
  it.start();
  await until('it watches', () => it.server.requests.some(isResumedWatch), it.clock);
  assert.deepEqual(notified, ['lost', 'complete']);
  it.server.cutConnections();
  await until('it has resumed', () => notified.at(-1) === 'resumed', it.clock);
  assert.deepEqual(notified, ['lost', 'complete', 'lost', 'resumed']);
});
