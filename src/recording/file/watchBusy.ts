import type { Clock } from '@weeder/kube-runtime/base';
import type { ControllerRecording } from './controllerRecording.ts';
import type { Append } from './entry.ts';

/** Milliseconds. */
const checkInterval = 1_000;

/**
 * Records when those have settled that were busy when a new file began: from then on, a replay that begins with this
 * file makes the same decisions about them. They are checked before a line is appended, whose input the controller has
 * not handled yet. `busyNow` returns the ids of all that have not settled. Returns the function that appends.
 */
export function watchBusy(
  { append, onNewFile }: ControllerRecording,
  clock: Clock,
  busyNow: () => ReadonlySet<string>,
): Append {
  let busy: ReadonlySet<string> = new Set();
  let checkedAt = Number.NEGATIVE_INFINITY;

  function check(): ReadonlySet<string> {
    checkedAt = clock.monotonic();
    return busyNow();
  }

  onNewFile(() => {
    busy = check();
    return [...busy];
  });
  return (entry) => {
    if (busy.size > 0 && clock.monotonic() - checkedAt >= checkInterval) {
      const now = check();
      const settled = busy.difference(now);
      busy = busy.intersection(now);
      for (const id of settled) append({ in: 'settled', id });
    }
    append(entry);
  };
}
