import type { Logger } from '../log.ts';

/** Signals to stop, as something to wait for. */
export interface StopRequest {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Signals have their usual effect again. */
  forget(): void;
}

/** The first signal stops in good order, the second at once, with the exit code that a shell gives it. */
export function stopOnSignals(logger: Logger, signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT']): StopRequest {
  const controller = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(signal === 'SIGINT' ? 130 : 143);
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
