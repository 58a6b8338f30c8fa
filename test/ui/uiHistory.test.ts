import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHistory, type History, lastHour } from '../../src/ui/history.ts';
import { lanesOf } from '../../src/ui/page/timeline/spans.ts';

const hour = 3_600_000;

function add(history: History, t: number, what: string, about = 'a/db'): void {
  history.add({ t, what, about, detail: '' });
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
  history.clear();
  assert.deepEqual(contents(history), []);
});

test('an outage that was in progress when the history begins is drawn from the left edge to its end', () => {
  const history = createHistory(lastHour);
  add(history, 0, 'service.notReady');
  add(history, 2 * hour, 'service.notReady', 'a/other');
  const lanes = () => lanesOf(history.texts().map((text) => JSON.parse(text)));
  const [during] = lanes();
  assert.deepEqual(during?.outages, [{ from: 0, to: undefined, hasBegunBefore: false }]);
  add(history, 2 * hour + 5, 'window.opened');
  const [after] = lanes();
  assert.deepEqual(after?.outages, [{ from: 0, to: 2 * hour + 5, hasBegunBefore: false }]);
  assert.deepEqual(after?.recoveries, [2 * hour + 5]);
});

test('no outage is drawn if only its end is known', () => {
  const history = createHistory(lastHour);
  add(history, 5, 'window.opened');
  const [lane] = lanesOf(history.texts().map((text) => JSON.parse(text)));
  assert.deepEqual([lane?.outages, lane?.recoveries], [[], []]);
});
