import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { emitSpan } from '../../src/otlp/emitSpan.ts';

test('the texts of a span are as long as those in the log, with their length', () => {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const long = 'x'.repeat(1_300_000);
  const attributes = {
    a: long,
    list: Array.from({ length: 150 }, () => long),
    short: 'text',
    count: 3,
    none: undefined,
  };
  const leaf = { name: 'leaf', start: 0, end: 1, attributes, events: [], children: [], problem: long };
  const root = { ...leaf, name: 'root', events: [{ name: 'event', t: 0, attributes }], children: [leaf] };
  emitSpan(provider.getTracer('test'), root, ROOT_CONTEXT);
  const spans = exporter.getFinishedSpans();
  const cut = `${'x'.repeat(1_021)}… (1300000 bytes)`;
  const expected = { a: cut, list: Array.from({ length: 100 }, () => cut), short: 'text', count: 3 };
  assert.deepEqual(
    spans.map((span) => [span.name, span.attributes, span.status.message, span.events.map((each) => each.attributes)]),
    [
      ['leaf', expected, cut, []],
      ['root', expected, cut, [expected]],
    ],
  );
});
