import type { Registry } from 'prom-client';

/** A metric with its values at one time. */
export interface MetricSamples {
  readonly name: string;
  readonly help: string;
  /** `counter`, `gauge`, `histogram`. */
  readonly type: string;
  readonly values: readonly Sample[];
}

export interface Sample {
  readonly value: number;
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
  /** Of a histogram, which has several: `weeder_…_bucket`. */
  readonly metricName: string;
}

/** Reads what `/metrics` serves, as values. */
export async function readSamples(registry: Registry): Promise<MetricSamples[]> {
  const metrics = await registry.getMetricsAsJSON();
  return metrics.map(({ name, help, type, values }) => ({
    name,
    help,
    // At runtime it is a text, which the types of prom-client declare as a number.
    type: String(type),
    values: values.map((sample) => ({
      value: sample.value,
      labels: sample.labels,
      metricName: 'metricName' in sample ? String(sample.metricName) : name,
    })),
  }));
}
