import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Moment } from '../protocol/moment.ts';
import { neighbourOf } from '../src/timeline/neighbour.ts';

const at = (t: number): Moment => ({ t, what: 'pod.deleted', words: 'pod deleted', about: 'shop/db', detail: '' });
const moments = [10, 20.5, 20.5, 30].map(at);

test('the next and the previous event are beside the chosen one, also if they have the same time', () => {
  assert.equal(neighbourOf(moments, 1, moments[1], 0), moments[2]);
  assert.equal(neighbourOf(moments, -1, moments[2], 0), moments[1]);
  assert.equal(neighbourOf(moments, 1, moments[3], 0), undefined);
  assert.equal(neighbourOf(moments, -1, moments[0], 0), undefined);
});

test('without a chosen event, or if it is not shown any more, they are beside the time', () => {
  assert.equal(neighbourOf(moments, 1, undefined, 10), moments[1]);
  assert.equal(neighbourOf(moments, -1, at(30), 25), moments[2]);
  assert.equal(neighbourOf(moments, 1, undefined, 30), undefined);
});

test('a replay that stands in the millisecond of an event is after it', () => {
  assert.equal(neighbourOf(moments, 1, undefined, 21), moments[3]);
  assert.equal(neighbourOf(moments, -1, undefined, 21), moments[0]);
});
