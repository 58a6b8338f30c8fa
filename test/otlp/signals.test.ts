import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wantedSignals } from '../../src/otlp/signals.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const both = { traces: true, metrics: true, problems: [] };
const none = { traces: false, metrics: false, problems: [] };

test('nothing is exported unless an endpoint is set', () => {
  for (const env of [
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
    { OTEL_TRACES_EXPORTER: 'otlp' },
    { OTEL_SERVICE_NAME: 'a' },
  ])
    assert.deepEqual(wantedSignals(env), none);
  assert.deepEqual(wantedSignals(endpoint), both);
});

test('an endpoint of one signal exports that one only', () => {
  const traces = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector/v1/traces' };
  const metrics = { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'https://collector/v1/metrics' };
  assert.deepEqual(wantedSignals(traces), { ...none, traces: true });
  assert.deepEqual(wantedSignals(metrics), { ...none, metrics: true });
  assert.deepEqual(wantedSignals({ ...traces, ...metrics }), both);
});

test('the SDK, or one signal, can be turned off', () => {
  assert.deepEqual(wantedSignals({ ...endpoint, OTEL_SDK_DISABLED: 'True' }), none);
  assert.deepEqual(wantedSignals({ ...endpoint, OTEL_SDK_DISABLED: 'false' }), both);
  assert.deepEqual(wantedSignals({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }), { ...both, traces: false });
  assert.deepEqual(wantedSignals({ ...endpoint, OTEL_METRICS_EXPORTER: 'none' }), { ...both, metrics: false });
  assert.deepEqual(wantedSignals({ ...endpoint, OTEL_METRICS_EXPORTER: 'otlp' }), both);
});

test('another exporter, another protocol and a text that is no URL are refused in one sentence', () => {
  const refused = (env: Record<string, string>) => wantedSignals({ ...endpoint, ...env });
  assert.deepEqual(refused({ OTEL_METRICS_EXPORTER: 'prometheus' }), {
    ...both,
    metrics: false,
    problems: ['OTEL_METRICS_EXPORTER is "prometheus": weeder exports by otlp only, so set otlp or none.'],
  });
  for (const value of ['grpc', 'http/json'])
    assert.deepEqual(refused({ OTEL_EXPORTER_OTLP_PROTOCOL: value }), {
      ...none,
      problems: [
        `OTEL_EXPORTER_OTLP_PROTOCOL is "${value}": weeder speaks http/protobuf only, for which a collector listens on port 4318 by default.`,
      ],
    });
  assert.deepEqual(refused({ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }), both);
  // The variable of the signal comes first.
  const own = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' };
  assert.deepEqual([refused(own).traces, refused(own).metrics], [true, false]);
  for (const url of ['collector:4318', 'grpc://collector:4317', 'nonsense', 'https//:S3CRET@collector'])
    assert.deepEqual(refused({ OTEL_EXPORTER_OTLP_ENDPOINT: url }), {
      ...none,
      problems: ['OTEL_EXPORTER_OTLP_ENDPOINT is not a URL such as http://collector.observability:4318.'],
    });
});

test('another temporality than cumulative has no effect, which one sentence says', () => {
  const asked = (value: string, env = {}) =>
    wantedSignals({ ...endpoint, OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: value, ...env });
  for (const value of ['delta', 'LowMemory'])
    assert.deepEqual(asked(value), {
      ...both,
      ignored: `OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE is "${value}": weeder exports cumulative values only, which the processor cumulativetodelta of a collector changes.`,
    });
  for (const value of ['cumulative', 'Cumulative', '']) assert.deepEqual(asked(value), both);
  assert.deepEqual(asked('delta', { OTEL_METRICS_EXPORTER: 'none' }), { ...both, metrics: false });
});
