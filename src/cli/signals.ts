import type { Logger } from '../base/log.ts';

/** Signals to stop, as something to wait for. */
interface StopRequest {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Restores the default effect of the signals. */
  forget(): void;
}

interface StopOptions {
  /** Signals within this many milliseconds count as one: npm forwards the Ctrl-C that the terminal has already sent. */
  readonly onePress?: number;
}

const signals = ['SIGTERM', 'SIGINT'] as const;

/**
 * The first signal causes a graceful stop; the second stops immediately, with the exit code that a shell uses for the
 * signal.
 */
export function stopOnSignals(logger: Logger, { onePress = 0 }: StopOptions = {}): StopRequest {
  let firstAt = Number.NEGATIVE_INFINITY;
  const controller = new AbortController();
  const onSignal = (signal: (typeof signals)[number]) => {
    if (performance.now() - firstAt < onePress) return;
    if (controller.signal.aborted) process.exit(signal === 'SIGINT' ? 130 : 143);
    firstAt = performance.now();
    logger.info({ signal }, 'stopping');
    controller.abort();
  };
  for (const signal of signals) process.on(signal, onSignal);
  return {
    signal: controller.signal,
    forget() {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}

/** SIGHUP never ends the process. Returns the function that restores its default effect. */
export function ignoreHangUps(): () => void {
  const ignore = () => {};
  process.on('SIGHUP', ignore);
  return () => process.off('SIGHUP', ignore);
}
