import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPod } from '../../src/restart/pods/podSummary.ts';
import { nextToEvict } from '../../src/restart/rollout/evictNext.ts';
import { pod } from '../support/objects/objects.ts';
import { podSummary } from '../support/objects/podSummary.ts';

const one = podSummary({ name: 'one' });
const two = podSummary({ name: 'two' });
const renewed = podSummary({ name: 'new' });
const unready = (name: string) => podSummary({ name, isReady: false });

test('pods are evicted one after another, each once as many pods are ready as desired', () => {
  assert.equal(nextToEvict(2, [one, two], [one, two]), one);
  assert.equal(nextToEvict(2, [two], [two]), undefined, 'the replacement of the first is not there');
  assert.equal(nextToEvict(2, [two, unready('new')], [two]), undefined, 'the replacement of the first is not ready');
  assert.equal(nextToEvict(2, [two, renewed], [two]), two);
  assert.equal(nextToEvict(2, [one, renewed], []), undefined);
});

test('an unready pod with old content is evicted first, without waiting for other pods', () => {
  const broken = unready('broken');
  assert.equal(nextToEvict(3, [one, broken, renewed], [one, broken]), broken);
  assert.equal(nextToEvict(2, [broken, unready('new')], [broken]), broken);
  assert.equal(nextToEvict(3, [broken, renewed], [broken]), undefined, 'one pod is already missing');
});

test('a pod is ready only if its Ready condition is True', () => {
  const whole = pod({});
  const read = (conditions: readonly object[]) =>
    readPod({ ...whole, status: { ...whole.status, conditions } })?.isReady;
  assert.equal(read([{ type: 'Ready', status: 'True' }]), true);
  assert.equal(read([{ type: 'Ready', status: 'False' }]), false);
  assert.equal(read([]), false);
});
