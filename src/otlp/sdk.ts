/** With the files that only this one imports, the only ones that load the SDK of OpenTelemetry. */

import { DiagLogLevel, diag, ROOT_CONTEXT } from '@opentelemetry/api';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import packageJson from '../../package.json' with { type: 'json' };
import type { Logger } from '../base/log.ts';
import { setNewest } from '../base/newest.ts';
import type { Span } from '../controller/report/span.ts';
import type { MetricSamples } from '../metrics/metricSamples.ts';
import { emitSpan } from './emitSpan.ts';
import { registryProducer } from './registryProducer.ts';
import type { Environment, WantedSignals } from './signals.ts';

const scope = { name: 'weeder', version: packageJson.version };

/** The spans of two thousand services that recover at once. Those that do not fit are dropped, with a log line. */
const maxQueueSize = 8_192;

/** The defaults of OpenTelemetry. Milliseconds. */
const exportInterval = 60_000;
const exportTimeout = 30_000;
const requestTimeout = 10_000;

const hour = 3_600_000;
const maxKinds = 32;

export interface SdkOptions {
  readonly signals: WantedSignals;
  readonly env: Environment;
  readonly logger: Logger;
  /** The name of this replica. */
  readonly instance: string;
  /** Reads the metrics that `/metrics` serves. */
  readonly collect: () => Promise<readonly MetricSamples[]>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface Sdk {
  /** Queues a trace. */
  emit(trace: Span): void;
  /** Sends what is queued, and the metrics a last time. */
  shutdown(): Promise<void>;
}

export function createSdk(options: SdkOptions): Sdk {
  const { signals, logger } = options;
  reportProblems(options);
  const resource = resourceOf(options);
  const traces = signals.traces ? tracesOf(resource, logger) : undefined;
  const metrics = signals.metrics ? metricsOf(resource, options) : undefined;
  return {
    emit: (trace) => traces?.emit(trace),
    async shutdown() {
      await Promise.allSettled([traces?.shutdown(), metrics?.shutdown()]);
    },
  };
}

/** Logs what the SDK says of itself, each kind of problem once an hour; `noticing` reports failed exports. */
function reportProblems({ logger, now }: SdkOptions): void {
  const loggedAt = new Map<string, number>();
  const warn = (cause: string) => {
    const kind = cause.replace(/\d+/g, '0');
    if (now() - (loggedAt.get(kind) ?? Number.NEGATIVE_INFINITY) < hour) return;
    setNewest(loggedAt, kind, now(), maxKinds);
    logger.warn({ cause }, 'the export over OTLP has a problem');
  };
  const ignore = () => {};
  const all = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(all, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  setGlobalErrorHandler(ignore);
}

/** The variables of OpenTelemetry come before what weeder says of itself. */
function resourceOf({ instance, env }: SdkOptions): Resource {
  const { POD_NAME: pod, POD_NAMESPACE: namespace } = env;
  const own = resourceFromAttributes({
    'service.name': scope.name,
    'service.version': scope.version,
    'service.instance.id': instance,
    ...(pod ? { 'k8s.pod.name': pod } : {}),
    ...(namespace ? { 'k8s.namespace.name': namespace } : {}),
  });
  const detectors = [resourceAttributesEnvDetector, serviceNameEnvDetector];
  return defaultResource().merge(own).merge(detectResources({ detectors }));
}

function tracesOf(resource: Resource, logger: Logger) {
  const exporter = noticing(new OTLPTraceExporter(), 'traces', logger);
  const processor = new BatchSpanProcessor({ exporter, maxQueueSize });
  const provider = new TracerProvider({ resource, spanProcessors: [processor] });
  const tracer = provider.getTracer(scope.name, scope.version);
  return {
    emit: (trace: Span) => emitSpan(tracer, trace, ROOT_CONTEXT),
    shutdown: () => provider.shutdown(),
  };
}

/** The reader has the registry in place of a MeterProvider, whose instruments weeder does not use. */
function metricsOf(resource: Resource, { env, logger, collect, now }: SdkOptions): PeriodicExportingMetricReader {
  const exportIntervalMillis = numberIn(env, 'OTEL_METRIC_EXPORT_INTERVAL') ?? exportInterval;
  const timeout = numberIn(env, 'OTEL_METRIC_EXPORT_TIMEOUT') ?? exportTimeout;
  const exportTimeoutMillis = Math.min(timeout, exportIntervalMillis);
  const ofRequests =
    numberIn(env, 'OTEL_EXPORTER_OTLP_METRICS_TIMEOUT') ??
    numberIn(env, 'OTEL_EXPORTER_OTLP_TIMEOUT') ??
    requestTimeout;
  // The exporter retries for this time: for longer, older values would arrive after newer ones.
  const timeoutMillis = Math.min(ofRequests, exportTimeoutMillis);
  const exporter = noticing(new OTLPMetricExporter({ timeoutMillis }), 'metrics', logger);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis, exportTimeoutMillis });
  reader.setMetricProducer(registryProducer({ resource, scope, collect, now }));
  return reader;
}

function numberIn(env: Environment, name: string): number | undefined {
  const value = Number(env[name]);
  return value > 0 && Number.isFinite(value) ? value : undefined;
}

interface Exporter<Data, Done> {
  export(data: Data, done: Done): void;
  forceFlush?(): Promise<void>;
  shutdown(): Promise<void>;
}

/** The same exporter, which logs one line when its exports begin to fail, and one when they succeed again. */
function noticing<Data, Result extends { readonly error?: Error }>(
  exporter: Exporter<Data, (result: Result) => void>,
  signal: string,
  logger: Logger,
) {
  let isFailing = false;
  return {
    export(data: Data, done: (result: Result) => void) {
      exporter.export(data, (result) => {
        const { error } = result;
        if (error !== undefined && !isFailing)
          logger.warn({ signal, cause: error.message }, 'the export over OTLP fails');
        if (error === undefined && isFailing) logger.info({ signal }, 'the export over OTLP succeeds again');
        isFailing = error !== undefined;
        done(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}
