import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureActors } from '../../bench/recovery/actors.ts';
import { difference } from '../../bench/support/metricsOf.ts';

test('the benchmark of many windows has the number of windows that its size states', async () => {
  const said: string[] = [];
  const [found] = await measureActors([20], (line) => said.push(line));
  assert.ok(found);
  // For each service one window, and one crash-looping pod.
  assert.deepEqual([found.services, found.windows, found.podDeletions], [20, 20, 20]);
  assert.ok(found.timers >= 40, `${found.timers} timers`);
  assert.ok(found.open > 0 && found.stop > 0 && found.windowsHeap > 0);
  assert.equal(said.length, 1);
});

test('the difference of two scrapes contains only the counters that changed', () => {
  assert.deepEqual(
    difference({ 'delete pods 200': 3, 'get pods 200': 1, 'watch pods 200': 2 }, { 'get pods 200': 1 }),
    {
      'delete pods 200': 3,
      'watch pods 200': 2,
    },
  );
});
