import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Release } from '@weeder/kube-runtime/queue';
import { createSemaphore } from '@weeder/kube-runtime/queue';

/** A semaphore that records who acquired a slot, in order. */
function queue(max: number) {
  const slots = createSemaphore(max);
  const got: string[] = [];
  const releases = new Map<string, Release>();
  const note = (name: string) => (release: Release | undefined) => {
    got.push(release === undefined ? `${name} gave up` : name);
    if (release !== undefined) releases.set(name, release);
  };
  return {
    slots,
    got,
    wait: (group: string, name: string) => void slots.acquireEventually(group).then(note(name)),
    take: (group: string, name: string, signal: AbortSignal) => void slots.acquire(group, signal).then(note(name)),
    async release(name: string) {
      releases.get(name)?.();
      await turn();
    },
  };
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test('groups take turns: many requests of one group do not delay another group', async () => {
  const { slots, got, wait, release } = queue(1);
  for (const name of ['a1', 'a2', 'a3']) wait('a', name);
  wait('b', 'b1');
  await turn();
  assert.deepEqual([got, slots.active, slots.waiting], [['a1'], 1, 3]);
  for (const name of ['a1', 'a2', 'b1', 'a3']) await release(name);
  assert.deepEqual(got, ['a1', 'a2', 'b1', 'a3']);
  assert.deepEqual([slots.active, slots.waiting], [0, 0]);
});

test('a slot is released once, however often release is called', async () => {
  const { slots, got, wait, release } = queue(1);
  for (const name of ['a1', 'a2', 'a3']) wait('a', name);
  await turn();
  await release('a1');
  await release('a1');
  assert.deepEqual([got, slots.active, slots.waiting], [['a1', 'a2'], 1, 1]);
});

test('an aborted waiter never gets a slot; an aborted holder retains its slot', async () => {
  const { slots, got, take, wait, release } = queue(1);
  const [first, second, late] = [new AbortController(), new AbortController(), new AbortController()];
  late.abort();
  take('a', 'a1', first.signal);
  take('a', 'a2', second.signal);
  take('a', 'a3', late.signal);
  wait('b', 'b1');
  await turn();
  first.abort();
  second.abort();
  await turn();
  assert.deepEqual(got, ['a1', 'a3 gave up', 'a2 gave up']);
  assert.deepEqual([slots.active, slots.waiting], [1, 1]);
  await release('a1');
  assert.deepEqual(got.at(-1), 'b1');
  assert.deepEqual([slots.active, slots.waiting], [1, 0]);
});

test('a namespace with a hundred applications gets no more slots than one with a single application', async () => {
  const { got, wait, release } = queue(1);
  for (let index = 0; index < 100; index += 1) wait(`many/app-${index}`, `many${index}`);
  wait('few/app', 'few0');
  wait('few/app', 'few1');
  wait('some/app', 'some0');
  await turn();
  // One slot for each namespace, and one more for all of them together.
  assert.deepEqual(got, ['many0', 'few0']);
  await release('few0');
  assert.deepEqual(got.slice(2), ['few1']);
  await release('few1');
  assert.deepEqual(got.slice(3), ['some0']);
  await release('some0');
  assert.deepEqual(got.slice(4), [], 'the namespace has as many as one may have');
  await release('many0');
  assert.deepEqual(got.slice(4), ['many1']);
});

test('a namespace whose requests do not end leaves slots for the others', async () => {
  const { got, slots, wait } = queue(8);
  for (let index = 0; index < 50; index += 1) wait('slow/app', `slow${index}`);
  wait('other/app', 'other');
  await turn();
  assert.deepEqual([got.length, got.at(-1), slots.waiting], [9, 'other', 42]);
});
