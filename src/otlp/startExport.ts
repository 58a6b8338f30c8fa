import type { Clock } from '@weeder/kube-runtime/base';
import { contributions, loadEach, makeEach, type Report } from '../controllers/controllers.ts';
import type { Sdk, SdkOptions } from './sdk.ts';
import { wantedSignals } from './signals.ts';

/** How long the end of the process waits for the last export: a part of the grace period of its pod. Milliseconds. */
const patience = 2_000;

/** Metrics and traces on their way to a collector of OpenTelemetry. */
export interface OtlpExport {
  /** The listener for the events of the next manager. */
  nextReport(): Report;
  /** Sends what is left, as far as there is time. */
  close(): Promise<void>;
}

interface ExportOptions extends Omit<SdkOptions, 'signals' | 'now'> {
  readonly clock: Clock;
}

/** Begins to export what the environment asks for. Undefined: nothing, and then the SDK of OpenTelemetry is not loaded. */
export async function startExport({ clock, ...options }: ExportOptions): Promise<OtlpExport | undefined> {
  const { env, logger } = options;
  const signals = wantedSignals(env);
  for (const problem of signals.problems) logger.warn({ problem }, 'not exported over OTLP');
  if (signals.ignored !== undefined) logger.warn({ problem: signals.ignored }, 'a setting of OTLP has no effect');
  if (!signals.traces && !signals.metrics) return undefined;
  const { createSdk } = await import('./sdk.ts');
  const sdk = createSdk({ ...options, signals, now: clock.now });
  const { traces, metrics } = signals;
  logger.info({ traces, metrics }, 'exporting over OTLP');
  const nextReport = traces ? await tracing(sdk, clock) : () => () => {};
  return { nextReport, close: () => withinPatience(sdk.shutdown(), clock) };
}

async function withinPatience(work: Promise<void>, clock: Clock): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = clock.setTimeout(timeout.resolve, patience);
  await Promise.race([work, timeout.promise]);
  clock.clearTimeout(timer);
}

/** Loads what makes traces of the events of each controller. */
async function tracing(sdk: Sdk, clock: Clock): Promise<() => Report> {
  const begin = await loadEach<'beginTraces'>(async (of) => (await contributions[of].loadTraces?.()) ?? noTraces);
  return () => {
    const traces = makeEach<'traces'>((of) => begin[of]());
    return (of, event) => {
      const trace = traces[of](event, clock.now());
      if (trace !== undefined) sdk.emit(trace);
    };
  };
}

function noTraces() {
  return () => undefined;
}
