import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backOff, running, terminated } from '../../support/objects/objects.ts';
import { ends, world } from '../../support/world/world.ts';

const up = { ready: [true] };
const down = { ready: [false] };
const crashLooping = (name = 'kapi-0') => ({ name, containers: [backOff()] });

test('a new complete list removes the pods that disappeared during the gap', async () => {
  const at = world();
  at.put(crashLooping('vanished'));
  at.put(crashLooping('stays'));
  assert.equal(at.weeder.counts().crashLoopingPods, 2);
  at.relistWithout('vanished');
  assert.equal(at.weeder.counts().crashLoopingPods, 1);
  at.slice(up);
  await ends(at);
  assert.deepEqual(at.timeline(), ['stays@0']);
});

test('a pod that disappeared while its deletion backed off is not tried again', async () => {
  const at = world({ answer: () => ({ type: 'delete.failed' }) });
  at.put(crashLooping());
  at.slice(up);
  await at.clock.pass(100);
  at.relistWithout('kapi-0');
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi-0@0']);
});

test('an interrupted list removes nothing; the next complete one does', async () => {
  const at = world();
  at.put(crashLooping('a'));
  at.put(crashLooping('b'));
  for (const sink of at.weeder.pods.values()) {
    sink.begin();
    sink.apply('ADDED', at.pods()[0]);
  }
  assert.equal(at.weeder.counts().crashLoopingPods, 2);
  at.relistWithout('a');
  assert.equal(at.weeder.counts().crashLoopingPods, 1);
  at.slice(up);
  await ends(at);
  assert.deepEqual(at.timeline(), ['b@0']);
});

test('a new list changes nothing for the pods that it contains', async () => {
  const at = world({ answer: () => ({ type: 'delete.failed' }) });
  at.put(crashLooping());
  at.slice(up);
  await at.clock.pass(100);
  at.relistPods();
  await at.clock.pass(49);
  assert.equal(at.deletions.length, 1);
  await at.clock.pass(1);
  assert.equal(at.deletions.length, 2);
  at.remove('kapi-0');
  await ends(at);
});

test('the time of an unreported back-off that lasts through a gap does not start over', async () => {
  const at = world();
  at.slice(up);
  at.put({ containers: [terminated(at.clock.now() + 60_000)] });
  await at.clock.pass(1500);
  at.relistPods();
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi-0@2000']);
});

test('changes during the gap are found in the list: a pod that began to crash-loop, and one that recovered', async () => {
  const at = world();
  at.put(crashLooping('recovered'));
  at.slice(down);
  at.putUnseen({ name: 'recovered', containers: [running(4)] });
  at.putUnseen(crashLooping('crashed'));
  at.relistPods();
  at.slice(up);
  await ends(at);
  assert.deepEqual(at.timeline(), ['crashed@0']);
});

test('pods that were listed before the start are deleted when a service recovers after it', async () => {
  const at = world({}, (early) => {
    early.slice(down, 'ADDED');
    early.put(crashLooping());
  });
  await at.clock.pass(1000);
  at.slice(up);
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi-0@1000']);
});

test('events before the start open no window', async () => {
  const at = world({ readySince: () => 0 }, (early) => {
    early.put(crashLooping());
    early.slice(up, 'ADDED');
    early.slice(down);
    early.slice(up);
  });
  await ends(at);
  assert.deepEqual(at.timeline(), []);
});

test('thousands of crash-looping pods without a window need no actor and no timer', async () => {
  const at = world();
  for (let index = 0; index < 3000; index += 1) at.put(crashLooping(`kapi-${index}`));
  assert.equal(at.weeder.counts().crashLoopingPods, 3000);
  assert.equal(at.weeder.counts().podDeletions, 0);
  assert.equal(at.clock.pending, 0);
  for (const { metadata } of at.pods()) at.remove(metadata.name);
  assert.equal(at.weeder.counts().crashLoopingPods, 0);
  await ends(at);
});
