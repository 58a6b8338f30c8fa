import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pageJson } from '@weeder/live-page/build';
import measured from '../../bench/kubelet/results.json' with { type: 'json' };
import { Results, recoverySentence, shortBackOffTable } from '../../bench/kubelet/results.ts';
import { benchmarksPage } from '../../bench/support/page.ts';
import { committed, readResults } from '../../bench/support/results.ts';
import { sizingTable } from '../../bench/support/sizing.ts';
import { formatFieldErrors } from '../../src/base/fieldError.ts';
import { outputJsonSchema } from '../../src/cli/data/shapes.ts';
import { parseConfig } from '../../src/config/parse.ts';
import {
  configJsonSchema,
  declaredTable,
  evidenceTable,
  notificationsTable,
  observerTables,
  podCreationTable,
  restartTables,
  settingsTable,
} from '../../src/config/schema/reference.ts';
import { machines } from '../../src/diagram/machines.ts';
import { applicationsTable } from '../suggest/applications.ts';
import { chartValuesSchema } from '../support/docs/chartSchema.ts';
import { errorsTable } from '../support/docs/errorsTable.ts';
import { eventReasons, eventsTable } from '../support/docs/eventsTable.ts';
import { readFlagsTable, runFlagsTable, suggestFlagsTable } from '../support/docs/flagsTable.ts';
import { kubernetesTable } from '../support/docs/kubernetesTable.ts';
import { metricsTable } from '../support/docs/metricsTable.ts';
import { recoveryDiagram } from '../support/docs/recoveryDiagram.ts';
import { withSections } from '../support/docs/sections.ts';
import { momentsTable, statesTable } from '../support/docs/statesTable.ts';
import { layoutKeysJson, layoutsJson, machineSections, visualizations } from '../support/docs/visualizations.ts';

/**
 * Every committed file that the sources generate, in whole or in its marked sections. `npm run generate` runs this same
 * test and lets it write, so there is no second way to generate a file.
 */
const generated: Readonly<Record<string, (file: URL) => string | Promise<string>>> = {
  'schema/weeder.schema.json': () => formattedJson(configJsonSchema()),
  'schema/output.schema.json': () => formattedJson(outputJsonSchema()),
  'deploy/chart/values.schema.json': () => formattedJson(chartValuesSchema()),
  // Helm reads only files below the chart, and kustomize only those below a kustomization.
  'deploy/chart/files/applications.yaml': () => deployed('components/observer-named/crd.yaml'),
  'deploy/chart/files/dashboard.json': () => deployed('components/grafana-dashboard/dashboard.json'),
  'deploy/chart/files/prometheus-rule.yaml': () => prometheusRule(),
  'docs/reference/configuration.md': (file) =>
    withSections(file, {
      settings: settingsTable(),
      declared: declaredTable(),
      podCreation: podCreationTable(),
      evidence: evidenceTable(),
      ...restartSections(),
      observer: observerTables().settings,
      'observer-allow': observerTables().entries,
      notifications: notificationsTable(),
      ...faultExample(),
    }),
  'docs/explanation/concepts.md': (file) =>
    withSections(file, { 'short-back-off': shortBackOffTable(Results.parse(measured)) }),
  'docs/how-to/operations.md': (file) => withSections(file, { sizing: sizingTable(readResults(committed)) }),
  'docs/reference/glossary.md': (file) => withSections(file, { states: statesTable(), moments: momentsTable() }),
  'docs/reference/events.md': (file) => withSections(file, { events: eventsTable() }),
  'docs/development/benchmarks.md': () => benchmarksPage(readResults(committed)),
  'docs/reference/command-line.md': (file) =>
    withSections(file, {
      flags: runFlagsTable(),
      'read-flags': readFlagsTable(),
      'suggest-flags': suggestFlagsTable(),
    }),
  'docs/reference/errors.md': (file) => withSections(file, { errors: errorsTable() }),
  'docs/reference/versions.md': (file) => withSections(file, { kubernetes: kubernetesTable() }),
  'docs/how-to/find-dependencies.md': (file) => withSections(file, { applications: applicationsTable() }),
  'generated/eventReasons.json': () => formattedJson(eventReasons()),
  'generated/layouts.json': () => layoutsJson(),
  'generated/layoutKeys.json': () => layoutKeysJson(),
  ...visualizations(),
  'generated/page.json': () => pageJson([...machines.keys()]),
  'deploy/components/prometheus-rule/prometheus-rule.yaml': () => prometheusRule(),
  'visualizations/README.md': (file) => withSections(file, machineSections()),
  'docs/reference/metrics.md': async (file) =>
    withSections(file, { weeder: await metricsTable('weeder_'), process: await metricsTable('process_', 'nodejs_') }),
  'README.md': (file) =>
    withSections(file, {
      endpoint: codeBlock('mermaid', recoveryDiagram()),
      recovery: recoverySentence(Results.parse(measured)),
    }),
};

for (const [name, content] of Object.entries(generated)) {
  test(`${name} is what the sources generate (if not: npm run generate)`, async (t) => {
    const file = new URL(`../../${name}`, import.meta.url);
    t.assert.fileSnapshot(await content(file), fileURLToPath(file), { serializers: [String] });
  });
}

function restartSections(): Readonly<Record<string, string>> {
  const { rule, settings, limits, entries } = restartTables();
  return { 'restart-rule': rule, 'restart-settings': settings, 'restart-limits': limits, 'restart-entries': entries };
}

function faultExample(): Readonly<Record<'faulty' | 'faults', string>> {
  const text = readFileSync(new URL('../data/config/faulty.yaml', import.meta.url), 'utf8');
  const parsed = parseConfig(text, 'weeder.yaml');
  const faults = parsed.ok ? '' : formatFieldErrors(parsed.error);
  return { faulty: codeBlock('yaml', text.trimEnd()), faults: codeBlock('', faults) };
}

/** The alert rules as an object of the Prometheus operator. */
function prometheusRule(): string {
  const rules = deployed('monitoring/alerts.yaml');
  const head = [
    '# Generated from deploy/monitoring/alerts.yaml by npm run generate.',
    'apiVersion: monitoring.coreos.com/v1',
    'kind: PrometheusRule',
    'metadata:',
    '  name: weeder',
    '  namespace: weeder',
    '  labels:',
    '    app.kubernetes.io/component: controller',
    'spec:',
  ];
  return `${head.join('\n')}\n${rules.replace(/^#.*\n/gm, '').replace(/^(?=.)/gm, '  ')}`;
}

function deployed(path: string): string {
  return readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8');
}

/** JSON in the format of the formatter: short lists of short strings, and empty lists, on one line. */
function formattedJson(value: unknown): string {
  const words = /^(.*)\[\n\s+("[^"\n]*"(?:,\n\s+"[^"\n]*")*)\n\s+\](,?)$/gm;
  const text = JSON.stringify(value, null, 2).replace(words, (whole, before: string, list: string, after: string) => {
    const line = `${before}[${list.replace(/\n\s+/g, ' ')}]${after}`;
    return line.length <= 120 ? line : whole;
  });
  return `${text.replace(/\[\n\s+\{\}\n\s+\]/g, '[{}]')}\n`;
}

function codeBlock(language: string, text: string): string {
  return ['```', language, '\n', text, '\n```'].join('');
}
