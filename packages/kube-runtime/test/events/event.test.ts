import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEventNames, eventBody } from '../../src/events/event.ts';
import { occurrence } from '../../testing/recordingEvents.ts';

const source = { controller: 'weeder.dev/weeder', instance: 'weeder-0' };

test('a hundred thousand names within one millisecond are all different', () => {
  const nameOf = createEventNames();
  const names = new Set(Array.from({ length: 100_000 }, () => nameOf('web-0', 1_700_000_000_000)));
  assert.equal(names.size, 100_000);
});

test('the number in a name wraps around', () => {
  const nameOf = createEventNames(0xffff_fffe);
  assert.deepEqual([nameOf('a', 255), nameOf('a', 255)], ['a.ffffffffff', 'a.ff00000000']);
});

test('a name is a valid DNS name, however long the object’s name is', () => {
  const nameOf = createEventNames(0);
  for (const object of [
    'a',
    'a'.repeat(253),
    `${'a'.repeat(200)}.${'a-'.repeat(26)}`,
    `${'a'.repeat(232)}--.bcdefgh`,
  ]) {
    const name = nameOf(object, 1_700_000_000_000);
    assert(name.length <= 253, name);
    assert.match(name, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
  }
});

test('a time has microseconds; a series begins with the second occurrence', () => {
  const once = eventBody('x', occurrence(), source, 1_700_000_000_123.25, { count: 1, lastObserved: 0 });
  assert.equal(once.eventTime, '2023-11-14T22:13:20.123250Z');
  assert.equal('series' in once, false);
  const twice = eventBody('x', occurrence(), source, 0, { count: 2, lastObserved: 1_700_000_000_000 });
  assert.deepEqual('series' in twice && twice.series, { count: 2, lastObservedTime: '2023-11-14T22:13:20.000000Z' });
});

test('the reporting instance is cut to the limit of the API', () => {
  const long = { controller: 'weeder.dev/weeder', instance: 'n'.repeat(200) };
  assert.equal(eventBody('x', occurrence(), long, 0, { count: 1, lastObserved: 0 }).reportingInstance.length, 128);
});
