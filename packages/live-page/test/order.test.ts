import assert from 'node:assert/strict';
import { test } from 'node:test';
import { worstFirst } from '../protocol/worstFirst.ts';
import { serviceView } from '../scenes/views.ts';
import { sortBy } from '../src/services/serviceOrder.ts';

const names = ['svc-10', 'svc-2', 'svc', 'svc-2b', 'api-1'];
const natural = ['api-1', 'svc', 'svc-2', 'svc-2b', 'svc-10'];

test('the worst come first, whatever their names, and equal ranks in natural order', () => {
  const rankOf = (name: string) => (name === 'svc-2b' ? 0 : 1);
  assert.deepEqual(names.toSorted(worstFirst(rankOf, (name) => name)), ['svc-2b', 'api-1', 'svc', 'svc-2', 'svc-10']);
});

test('services are in natural order, also within equal states, and in reverse', () => {
  const services = names.map((name) => serviceView(name));
  const sorted = (by: 'name' | 'state', isDescending: boolean) =>
    services.toSorted(sortBy({ by, isDescending })).map(({ service }) => service);
  assert.deepEqual(sorted('name', false), natural);
  assert.deepEqual(sorted('name', true), natural.toReversed());
  assert.deepEqual(sorted('state', false), natural);
  assert.deepEqual(sorted('state', true), natural);
});
