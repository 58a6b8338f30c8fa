import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

/** Waits in real time until the condition is true, and fails after a minute. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!condition()) {
    assert(performance.now() < deadline, `condition not met: ${what}`);
    await pause(2);
  }
}
