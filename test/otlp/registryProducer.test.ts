import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { emptyResource } from '@opentelemetry/resources';
import { readSamples } from '../../src/metrics/metricSamples.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { registryProducer } from '../../src/otlp/registryProducer.ts';
import { scraped } from '../support/api/scraped.ts';
import { collector } from '../support/otlp/collector.ts';
import type { ReceivedSample } from '../support/otlp/otlp.ts';

test('every metric arrives as /metrics has it: types, labels, values, buckets', async () => {
  const metrics = createMetrics();
  metrics.deletions.inc({ service: 'db', result: 'deleted' }, 3);
  metrics.deletions.inc({ service: 'cache', result: 'failed' });
  for (const seconds of [0.001, 0.2, 0.2, 42, 1e6]) metrics.recoveryToDeletion.observe(seconds);
  metrics.requestDuration.observe({ verb: 'list', resource: 'pods' }, 0.3);
  metrics.requestDuration.observe({ verb: 'get', resource: 'pods' }, 0.004);
  metrics.dryRun.set(1);
  // Those of the process itself change between two readings.
  const isOwn = (name: string) => name.startsWith('weeder_');
  const collect = async () => (await readSamples(metrics.registry)).filter(({ name }) => isOwn(name));
  const scope = { name: 'weeder', version: '1' };
  const producer = registryProducer({ resource: emptyResource(), scope, collect, now: Date.now });
  const { resourceMetrics, errors } = await producer.collect();
  assert.deepEqual(errors, []);
  await using receiver = await collector();
  const exporter = new OTLPMetricExporter({ url: `${receiver.url}/v1/metrics` });
  await new Promise((resolve) => exporter.export(resourceMetrics, resolve));
  await exporter.shutdown();
  const { types, samples } = receiver.metrics[0] ?? assert.fail();

  const all = [...scraped(await metrics.registry.metrics())].filter(([name]) => isOwn(name));
  // A metric without samples is not sent.
  const families = all.filter(([, family]) => family.samples.length > 0);
  assert.ok(families.length < all.length);
  assert.deepEqual(types, Object.fromEntries(families.map(([name, { type }]) => [name, type])));
  const expected = families.flatMap(([, family]) => family.samples);
  assert.deepEqual(samples.map(textOf).sort(), expected.map(textOf).sort());
  assert.ok(expected.filter(({ value }) => value > 0).length > 20);
});

test('units are those of the names, and what is not a number is not sent', async () => {
  const values = (value: number) => [{ value, labels: {}, metricName: '' }];
  const units = async (...names: string[]) => {
    const samples = names.map((name) => ({ name, help: '', type: 'gauge', values: values(1) }));
    const unmeasured = { name: 'delay_seconds', help: '', type: 'gauge', values: values(Number.NaN) };
    const options = { resource: emptyResource(), scope: { name: 'weeder', version: '1' }, now: Date.now };
    const producer = registryProducer({ ...options, collect: async () => [...samples, unmeasured] });
    const { resourceMetrics } = await producer.collect();
    const sent = resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
    return sent.map(({ descriptor: { name, unit } }) => `${name} ${unit}`);
  };
  assert.deepEqual(
    await units('lag_seconds', 'saved_seconds_total', 'heap_bytes', 'received_bytes_total', 'bytes_seen'),
    ['lag_seconds s', 'saved_seconds_total s', 'heap_bytes By', 'received_bytes_total By', 'bytes_seen '],
  );
});

function textOf({ name, labels, value }: ReceivedSample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}=${text}`);
  return `${name}{${pairs.sort()}} ${value}`;
}
