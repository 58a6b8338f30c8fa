import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { z } from 'zod';
import { documentedMetrics } from '../support/docs/metricsTable.ts';
import { mentionedIn } from '../support/docs/promql.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const documented = documentedMetrics(read('docs/reference/metrics.md'));

/** The labels that Prometheus adds to each series, and to the buckets of a histogram. */
const scrapeLabels = ['job', 'instance', 'le'];

/** The errors in the metrics and labels of an expression. */
function errorsOf(expr: string): string[] {
  const { metrics, labels } = mentionedIn(expr);
  const documentedMetrics = [...metrics].map((name) => {
    const histogram = name.replace(/_(bucket|sum|count)$/, '');
    return documented.find((each) => each.name === name || (each.type === 'histogram' && each.name === histogram));
  });
  const documentedLabels = new Set([...scrapeLabels, ...documentedMetrics.flatMap((each) => each?.labels ?? [])]);
  return [
    ...(metrics.size === 0 ? [`no metric in ${expr}`] : []),
    ...[...metrics].filter((_, index) => documentedMetrics[index] === undefined).map((name) => `no metric ${name}`),
    ...[...labels].filter((label) => !documentedLabels.has(label)).map((label) => `no label ${label} in ${expr}`),
  ];
}

test('the metrics and labels of an expression are found, and those that do not exist are reported', () => {
  const quantile =
    'histogram_quantile(0.9, sum by (le, verb) (rate(weeder_api_request_duration_seconds_bucket{job=~"$job"}[5m])))';
  assert.deepEqual([...mentionedIn(quantile).metrics], ['weeder_api_request_duration_seconds_bucket']);
  assert.deepEqual([...mentionedIn(quantile).labels].sort(), ['job', 'le', 'verb']);
  assert.deepEqual(errorsOf(quantile), []);
  assert.deepEqual([...mentionedIn('a > 1 and on (job) b{x="sum(c)"}').metrics], ['a', 'b']);
  assert.deepEqual(errorsOf('sum(weeder_ready_total)'), ['no metric weeder_ready_total']);
  assert.deepEqual(errorsOf('weeder_ready{pod="a"}'), ['no label pod in weeder_ready{pod="a"}']);
});

const text = z.string().regex(/\S/);
const datasource = z.strictObject({ type: z.literal('prometheus'), uid: z.literal('$'.concat('{datasource}')) });
const gridPos = z.strictObject({
  h: z.int().positive(),
  w: z.int().min(1).max(24),
  x: z.int().min(0),
  y: z.int().min(0),
});
const row = z.looseObject({
  id: z.int().positive(),
  type: z.literal('row'),
  title: text,
  gridPos,
  panels: z.tuple([]),
});
const graph = z.looseObject({
  id: z.int().positive(),
  type: z.enum(['timeseries', 'stat']),
  title: text,
  description: z.string().regex(/\.$/),
  datasource,
  gridPos,
  fieldConfig: z.looseObject({ defaults: z.looseObject({ unit: text }), overrides: z.array(z.never()) }),
  targets: z
    .array(z.looseObject({ refId: z.string().regex(/^[A-Z]$/), datasource, expr: text, legendFormat: text }))
    .min(1),
});
const dashboard = z.looseObject({
  uid: text,
  title: text,
  schemaVersion: z.int().min(36),
  time: z.strictObject({ from: text, to: text }),
  templating: z.strictObject({
    list: z.tuple([
      z.looseObject({ name: z.literal('datasource'), type: z.literal('datasource'), query: z.literal('prometheus') }),
      z.looseObject({ name: z.literal('job'), type: z.literal('query'), datasource }),
    ]),
  }),
  panels: z.array(z.discriminatedUnion('type', [row, graph])),
});

test('the dashboard has the fields that an import needs, the data source as a variable, and a description of each panel', () => {
  const json: unknown = JSON.parse(read('deploy/components/grafana-dashboard/dashboard.json'));
  const { panels } = dashboard.parse(json);
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  assert.equal(new Set(panels.map(({ title }) => title)).size, panels.length);
  assert.ok(json !== null && typeof json === 'object' && !('__inputs' in json) && !('id' in json));
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  );
  assert.equal(new Set(cells).size, cells.length, 'panels lie one on the other');
});

test('the dashboard names only metrics and labels that weeder has, and every panel selects the job', () => {
  const { panels } = dashboard.parse(JSON.parse(read('deploy/components/grafana-dashboard/dashboard.json')));
  const targets = panels.flatMap((panel) => (panel.type === 'row' ? [] : panel.targets));
  assert.ok(targets.length > 20);
  for (const { expr, legendFormat } of targets) {
    assert.deepEqual(errorsOf(expr), []);
    assert.equal(expr.match(/\{/g)?.length, expr.match(/\{job=~"\$job"/g)?.length, expr);
    const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label ?? '');
    if (/ by \(/.test(expr)) for (const label of shown) assert.ok(mentionedIn(expr).labels.has(label), expr);
  }
});

test('every metric of weeder except for the build’s version is on the dashboard', () => {
  const { panels } = dashboard.parse(JSON.parse(read('deploy/components/grafana-dashboard/dashboard.json')));
  const shown = new Set(
    panels
      .flatMap((panel) => (panel.type === 'row' ? [] : panel.targets))
      .flatMap(({ expr }) => [...mentionedIn(expr).metrics]),
  );
  const missing = documented
    .filter(({ name }) => name.startsWith('weeder_') && !shown.has(name) && !shown.has(`${name}_bucket`))
    .map(({ name }) => name);
  assert.deepEqual(missing, ['weeder_build_info', 'weeder_stream_objects']);
});

const rules = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: text,
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^Weeder[A-Z]\w+$/),
          expr: text,
          for: z.string().exactOptional(),
          labels: z.strictObject({ severity: z.enum(['critical', 'warning', 'info']) }),
          annotations: z.strictObject({
            summary: z.string().regex(/\.$/),
            description: z.string().regex(/\.$/),
            runbook: text,
          }),
        }),
      ),
    }),
  ),
});
const alerts = rules.parse(parse(read('deploy/monitoring/alerts.yaml'))).groups.flatMap((group) => group.rules);

test('every alert names only metrics and labels that weeder has, with a description and a link to its runbook', () => {
  assert.ok(alerts.length > 5);
  assert.equal(new Set(alerts.map(({ alert }) => alert)).size, alerts.length);
  assert.equal(new Set(alerts.map(({ annotations }) => annotations.runbook)).size, alerts.length);
  for (const { expr } of alerts) assert.deepEqual(errorsOf(expr), []);
});

test('promtool has a case for every alert in which it fires, and one in which it does not', () => {
  const cases = z
    .looseObject({
      tests: z.array(
        z.looseObject({
          alert_rule_test: z.array(
            z.looseObject({ alertname: text, exp_alerts: z.array(z.unknown()).exactOptional() }),
          ),
        }),
      ),
    })
    .parse(parse(read('deploy/monitoring/alerts.test.yaml')))
    .tests.flatMap((each) => each.alert_rule_test);
  const names = (fires: boolean) =>
    [
      ...new Set(cases.filter((each) => (each.exp_alerts !== undefined) === fires).map((each) => each.alertname)),
    ].sort();
  const alertNames = alerts.map(({ alert }) => alert).sort();
  assert.deepEqual(names(true), alertNames);
  assert.deepEqual(names(false), alertNames);
});
