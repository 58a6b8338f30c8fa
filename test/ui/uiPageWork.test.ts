import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPageWork, type Pause } from '../../src/ui/pageWork.ts';

/** An item that takes a millisecond of the processor. */
function item(): void {
  const end = performance.now() + 1;
  while (performance.now() < end);
}

test('what arrives for the controllers is handled between the slices of a computation', async () => {
  const compute = createPageWork().computation(async (items: number, pause) => {
    for (let n = 0; n < items; n += 1) {
      item();
      await pause();
    }
  });
  let handled = 0;
  let isDone = false;
  const handle = () => {
    handled += 1;
    if (!isDone) setImmediate(handle);
  };
  setImmediate(handle);
  await compute(60).finally(() => {
    isDone = true;
  });
  // Each slice takes two milliseconds, so there are up to 30.
  assert.ok(handled >= 15, `${handled} times`);
});

test('computations follow each other in the order of their requests, also after one that failed', async () => {
  const work = createPageWork();
  const log: string[] = [];
  const compute = async (name: string, pause: Pause) => {
    log.push(`${name} begins`);
    item();
    item();
    await pause();
    log.push(`${name} ends`);
    if (name === 'b') throw new Error('broke');
    return name;
  };
  const [first, second] = [work.computation(compute), work.computation(compute)];
  const results = await Promise.allSettled([first('a'), second('b'), first('c')]);
  assert.deepEqual(log, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});

test('equal queries share a computation that has not begun, and no other', async () => {
  let computed = 0;
  let begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const compute = createPageWork().computation(async ({ search }: { readonly search: string }) => {
    computed += 1;
    begun.resolve();
    await release.promise;
    return `${search} ${computed}`;
  });
  const running = compute({ search: 'db' });
  await begun.promise;
  begun = Promise.withResolvers();
  const waiting = [compute({ search: 'db' }), compute({ search: 'db' }), compute({ search: 'web' })];
  release.resolve();
  assert.deepEqual(await Promise.all([running, ...waiting]), ['db 1', 'db 2', 'db 2', 'web 3']);
});
