import type { Clock } from '../../base/clock.ts';

export type Waited = 'met' | 'late' | 'stopped';

const pollInterval = 50;

/** Waits for a condition, for at most `patience` milliseconds, or until the signal is aborted. */
export async function waitFor(
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  patience: number,
  isMet: () => boolean,
): Promise<Waited> {
  const deadline = clock.monotonic() + patience;
  for (;;) {
    if (signal.aborted) return 'stopped';
    if (isMet()) return 'met';
    if (clock.monotonic() >= deadline) return 'late';
    const pause = Math.max(1, Math.min(pollInterval, deadline - clock.monotonic()));
    await new Promise<void>((resolve) => void clock.setTimeout(resolve, pause));
  }
}
