import { type HrTime, ValueType } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricSamples, Sample } from '../metrics/metricSamples.ts';
import { hrTimeOf } from './hrTime.ts';

interface ProducerOptions {
  readonly resource: Resource;
  readonly scope: { readonly name: string; readonly version: string };
  /** Reads the metrics that `/metrics` serves. */
  readonly collect: () => Promise<readonly MetricSamples[]>;
  readonly now: () => number;
}

/** Gives OpenTelemetry the metrics of the registry, with the names and labels of `/metrics`. */
export function registryProducer({ resource, scope, collect, now }: ProducerOptions): MetricProducer {
  const startTime = hrTimeOf(performance.timeOrigin);
  return {
    async collect() {
      const samples = await collect();
      const endTime = hrTimeOf(now());
      const all = samples.map((metric) => metricData(metric, startTime, endTime));
      const metrics = all.filter(({ dataPoints }) => dataPoints.length > 0);
      return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] };
    },
  };
}

function metricData({ name, help, type, values }: MetricSamples, startTime: HrTime, endTime: HrTime): MetricData {
  const pointOf = <T>(attributes: Sample['labels'], value: T): DataPoint<T> => ({
    ...{ startTime, endTime, attributes, value },
  });
  const common = {
    descriptor: { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (type === 'histogram') {
    const dataPoints = histogramsOf(name, values).map(({ labels, value }) => pointOf(labels, value));
    return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  // Node has no mean delay of the event loop before it has measured one. Not all receivers accept NaN.
  const numbers = values.filter(({ value }) => !Number.isNaN(value));
  const dataPoints = numbers.map(({ labels, value }) => pointOf(labels, value));
  return type === 'counter'
    ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** The unit that the name of a metric of Prometheus ends with, as OpenTelemetry writes it. */
function unitOf(name: string): string {
  if (/_seconds(_total)?$/.test(name)) return 's';
  return /_bytes(_total)?$/.test(name) ? 'By' : '';
}

/** One histogram for each set of labels. A bucket of Prometheus counts everything below its bound, one of OTLP does not. */
function histogramsOf(name: string, samples: readonly Sample[]) {
  const series = Map.groupBy(samples, ({ labels: { le: _bound, ...labels } }) => JSON.stringify(labels));
  return [...series.values()].map((same) => {
    const sampleOf = (suffix: string) => same.find(({ metricName }) => metricName === `${name}${suffix}`);
    const buckets = same.filter(({ labels }) => labels['le'] !== undefined);
    const counts = buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0));
    const boundaries = buckets.map(({ labels }) => Number(labels['le'])).filter(Number.isFinite);
    const sum = sampleOf('_sum');
    const value: Histogram = {
      ...{ buckets: { boundaries, counts }, sum: sum?.value ?? 0, count: sampleOf('_count')?.value ?? 0 },
    };
    return { labels: sum?.labels ?? {}, value };
  });
}
