import type { Logger } from '../base/log.ts';

/** Signals to stop, as something to wait for. */
export interface StopRequest {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Signals have their usual effect again. */
  forget(): void;
}

interface StopOptions {
  readonly signals?: readonly NodeJS.Signals[];
  /** Signals within so many milliseconds are one: npm hands on the Ctrl-C that the terminal has sent already. */
  readonly onePress?: number;
}

/** The first signal stops in good order, the second at once, with the exit code that a shell gives it. */
export function stopOnSignals(
  logger: Logger,
  { signals = ['SIGTERM', 'SIGINT'], onePress = 0 }: StopOptions = {},
): StopRequest {
  let firstAt = Number.NEGATIVE_INFINITY;
  const controller = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
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

/** SIGHUP does not end the process, at whatever time it comes. Returns what gives it its usual effect again. */
export function ignoreHangUps(): () => void {
  const ignore = () => {};
  process.on('SIGHUP', ignore);
  return () => process.off('SIGHUP', ignore);
}
