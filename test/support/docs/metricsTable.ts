import { createMetrics } from '../../../src/metrics/metrics.ts';

/** One metric as documented in docs/reference/metrics.md. */
export interface DocumentedMetric {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

/** The metrics that weeder defines; the `process_` and `nodejs_` metrics are prom-client's own. */
export async function definedMetrics(): Promise<DocumentedMetric[]> {
  const { registry } = createMetrics();
  const described = await registry.getMetricsAsJSON();
  return described.map(({ name, type, help }) => {
    const metric: object = registry.getSingleMetric(name) ?? {};
    const labels = 'labelNames' in metric && Array.isArray(metric.labelNames) ? metric.labelNames.map(String) : [];
    return { name, type: String(type), labels: labels.length > 0 ? labels : ownLabels(name), help: sentence(help) };
  });
}

/** Returns the table of the metrics whose names have one of these prefixes. */
export async function metricsTable(...prefixes: readonly string[]): Promise<string> {
  const rows = (await definedMetrics())
    .filter(({ name }) => prefixes.some((prefix) => name.startsWith(prefix)))
    .map(({ name, type, labels, help }) => {
      const named = labels.map((label) => `\`${label}\``).join(', ');
      return `| \`${name}\` | ${type} | ${named} | ${help.replaceAll('|', '\\|')} |`;
    });
  return ['| metric | type | labels | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** Reads the tables of docs/reference/metrics.md. */
export function documentedMetrics(markdown: string): DocumentedMetric[] {
  const rows = markdown.matchAll(/^\| `([a-z0-9_]+)` \| (\w+) \| ([^|]*) \| (.*) \|$/gm);
  return [...rows].map(([, name = '', type = '', labels = '', help = '']) => ({
    name,
    type,
    labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
    help,
  }));
}

/** The labels that prom-client adds itself. */
function ownLabels(name: string): string[] {
  return name === 'nodejs_version_info' ? ['version', 'major', 'minor', 'patch'] : [];
}

function sentence(help: string): string {
  return help.trim().replace(/(?<![.!?])$/, '.');
}
