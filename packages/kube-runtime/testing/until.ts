import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { VirtualClock } from '../src/base/virtualClock.ts';

/**
 * Waits for a condition of the real world. With a clock, virtual time advances meanwhile, by `step` milliseconds per
 * check: fast where the product waits, and never while the event loop is busy with real sockets.
 */
export async function until(what: string, condition: () => boolean, clock?: VirtualClock, step = 40): Promise<void> {
  const deadline = performance.now() + 180_000;
  while (!condition()) {
    assert(performance.now() < deadline, `did not come true: ${what}`);
    clock?.advance(step);
    await pause(1);
  }
}
