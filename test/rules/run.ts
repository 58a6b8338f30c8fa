/**
 * `npm run test:rules`: checks the alert rules, the expressions of the dashboard and the metrics with promtool, which has
 * to be in PATH. It is part of Prometheus, for example of the package `prometheus` of Debian and Ubuntu.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import dashboard from '../../deploy/components/grafana-dashboard/dashboard.json' with { type: 'json' };
import { createMetrics } from '../../src/metrics/metrics.ts';
import { countWeeder } from '../../src/weeder/contribution/countWeeder.ts';

const monitoring = join(import.meta.dirname, '..', '..', 'deploy', 'monitoring');

/** Runs promtool. Returns true if it succeeds. */
function promtool(words: readonly string[], input = ''): boolean {
  const { error, status } = spawnSync('promtool', words, {
    cwd: monitoring,
    input,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  if (error !== undefined) throw error;
  return status === 0;
}

/** The expressions of the dashboard as recording rules, with a value for each variable of Grafana. */
function dashboardRules(): string {
  const targets = dashboard.panels.flatMap((panel) => panel.targets ?? []);
  const rules = targets.map(({ expr }, index) => ({
    record: `dashboard:${index}`,
    expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$__range', '6h').replaceAll('$job', 'weeder'),
  }));
  return JSON.stringify({ groups: [{ name: 'dashboard', rules }] });
}

/** The metrics that weeder itself defines. promtool rejects some names of prom-client's default metrics. */
async function ownMetrics(): Promise<string> {
  const metrics = createMetrics();
  countWeeder(metrics, { now: Date.now }).begin(['db']);
  const text = await metrics.registry.metrics();
  return `${text
    .split('\n\n')
    .filter((family) => family.startsWith('# HELP weeder_'))
    .join('\n')}\n`;
}

const folder = mkdtempSync(join(tmpdir(), 'weeder-rules-'));
try {
  const text = await ownMetrics();
  const file = join(folder, 'dashboard.yaml');
  writeFileSync(file, dashboardRules());
  const results = [
    promtool(['check', 'rules', 'alerts.yaml']),
    promtool(['test', 'rules', 'alerts.test.yaml']),
    promtool(['check', 'rules', file]),
    promtool(['check', 'metrics'], text),
  ];
  process.exitCode = results.every(Boolean) ? 0 : 1;
} catch (error) {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  const hint = 'promtool is not in PATH: it is part of Prometheus (Debian and Ubuntu: the package prometheus).';
  console.error(isMissing ? hint : error);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
