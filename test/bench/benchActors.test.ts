import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureActors } from '../../bench/recovery/actors.ts';
import { difference } from '../../bench/support/metricsOf.ts';

test('the benchmark of many windows has the number of windows that its size states', async () => {
  const said: string[] = [];
  const [figures] = await measureActors([20], (line) => said.push(line));
  assert.ok(figures);
  // For each service one window, and one crash-looping pod.
  assert.deepEqual([figures.services, figures.windows, figures.podDeletions], [20, 20, 20]);
  assert.ok(figures.timers >= 40, `${figures.timers} timers`);
  assert.ok(figures.open > 0 && figures.stop > 0 && figures.windowsHeap > 0);
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
