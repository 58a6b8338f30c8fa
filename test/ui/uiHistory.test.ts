import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Lane, lanesOf } from '@weeder/live-page/timeline';
import { createHistory, type History, lastHour } from '../../src/ui/history.ts';

const hour = 3_600_000;

function add(history: History, t: number, what: string, about = 'a/db', window?: number): void {
  history.add({ t, what, words: '', about, detail: '', ...(window === undefined ? {} : { window }) });
}

/** The bars of a service, without the events that they open. */
function spansOf(lane: Lane | undefined, kind: 'outages' | 'windows') {
  return lane?.[kind].map(({ moment, ...span }) => span);
}

function lanesIn(history: History): Lane[] {
  return lanesOf(history.texts().map((text) => JSON.parse(text)));
}

/** `what@t` of each moment in the history. */
function contents(history: History, exists?: (about: string) => boolean): string[] {
  return history.texts(exists).map((text) => {
    const { what, t } = JSON.parse(text);
    return `${what}@${t}`;
  });
}

test('the history covers the last hour, with at most 20,000 moments', () => {
  const history = createHistory(lastHour);
  add(history, 0, 'pod.deleted');
  add(history, 1, 'pod.deleted');
  add(history, hour, 'pod.deleted');
  assert.equal(history.texts().length, 3);
  add(history, hour + 1, 'pod.deleted');
  assert.deepEqual(contents(history), ['pod.deleted@1', `pod.deleted@${hour}`, `pod.deleted@${hour + 1}`]);
  for (let n = 0; n < 25_000; n += 1) add(history, hour + 2, 'pod.deleted');
  assert.equal(history.texts().length, 20_000);
});

test('outages and windows that began before the last hour and have not ended come first; ended ones are dropped', () => {
  const history = createHistory(lastHour);
  add(history, 0, 'service.notReady', 'a/down');
  add(history, 1, 'service.notReady', 'a/recovered');
  add(history, 2, 'window.opened', 'a/recovered');
  add(history, 3, 'service.notReady', 'a/steady');
  add(history, 4, 'window.opened', 'a/steady');
  add(history, 5, 'window.closed', 'a/steady');
  add(history, 2 * hour, 'pod.deleted');
  const lasting = ['service.notReady@0', 'window.opened@2', `pod.deleted@${2 * hour}`];
  assert.deepEqual(contents(history), lasting);
  assert.deepEqual(
    contents(history, (about) => about !== 'a/down'),
    lasting.slice(1),
  );
});

test('an outage that was in progress when the history begins is drawn from the left edge to its end', () => {
  const history = createHistory(lastHour);
  add(history, 0, 'service.notReady');
  add(history, 2 * hour, 'service.notReady', 'a/other');
  const [during] = lanesIn(history);
  assert.deepEqual(spansOf(during, 'outages'), [{ from: 0, to: undefined, hasBegunBefore: false }]);
  add(history, 2 * hour + 5, 'window.opened');
  const [after] = lanesIn(history);
  assert.deepEqual(spansOf(after, 'outages'), [{ from: 0, to: 2 * hour + 5, hasBegunBefore: false }]);
  assert.deepEqual(
    after?.marks.map(({ kind, moment }) => [kind, moment.t]),
    [['recovery', 2 * hour + 5]],
  );
});

test('no outage is drawn if only its end is known', () => {
  const history = createHistory(lastHour);
  add(history, 5, 'window.opened');
  const [lane] = lanesIn(history);
  assert.deepEqual([lane?.outages, lane?.marks], [[], []]);
});

/** A window that a second recovery replaces, at an outage of 10 ms. The old one closes after the new one has opened. */
function replaced(history: History): void {
  add(history, 0, 'window.opened', 'a/db', 1);
  add(history, 100, 'service.notReady');
  add(history, 110, 'window.opened', 'a/db', 2);
  add(history, 110, 'window.closed', 'a/db', 1);
}

test('the window that replaces another one is drawn until its own end, and the old one until it was replaced', () => {
  const history = createHistory(lastHour);
  replaced(history);
  const first = { from: 0, to: 110, hasBegunBefore: false };
  assert.deepEqual(spansOf(lanesIn(history)[0], 'windows'), [
    first,
    { from: 110, to: undefined, hasBegunBefore: false },
  ]);
  add(history, 300, 'window.closed', 'a/db', 2);
  assert.deepEqual(spansOf(lanesIn(history)[0], 'windows'), [first, { from: 110, to: 300, hasBegunBefore: false }]);
});

test('the window that replaced another one more than an hour ago comes first, until it has closed', () => {
  const history = createHistory(lastHour);
  replaced(history);
  add(history, 2 * hour, 'pod.deleted');
  assert.deepEqual(contents(history), ['window.opened@110', `pod.deleted@${2 * hour}`]);
  add(history, 2 * hour + 1, 'window.closed', 'a/db', 2);
  add(history, 4 * hour, 'pod.deleted');
  assert.deepEqual(contents(history), [`pod.deleted@${4 * hour}`]);
});

test('a window whose opening is not known is drawn from the left edge until it closed', () => {
  const history = createHistory(lastHour);
  add(history, 5, 'window.closed', 'a/db', 3);
  assert.deepEqual(spansOf(lanesIn(history)[0], 'windows'), [{ from: 5, to: 5, hasBegunBefore: true }]);
});
