import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { ignoredFlags } from '../../src/cli/flags/runFlags.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const Alerts = z.object({
  groups: z.array(
    z.object({ rules: z.array(z.object({ alert: z.string(), annotations: z.object({ runbook: z.string() }) })) }),
  ),
});

test('each alert has a section about what to do, and each section has an alert', () => {
  const { groups } = Alerts.parse(parseDocument(read('deploy/monitoring/alerts.yaml')).toJS());
  const runbooks = groups.flatMap(({ rules }) => rules.map(({ annotations }) => annotations.runbook)).sort();
  const text = read('docs/how-to/operations.md');
  const section = text.slice(text.indexOf('\n## Alerts\n'), text.indexOf('\n## Sizing\n'));
  const headings = [...section.matchAll(/^### (.+)$/gm)].map(([, name = '']) =>
    name.toLowerCase().replaceAll(' ', '-'),
  );
  assert.deepEqual(headings.map((anchor) => `docs/how-to/operations.md#${anchor}`).sort(), runbooks);
});

test('every flag of the original is in the table of the migration guide', () => {
  const text = read('docs/how-to/migrate-from-dependency-watchdog.md');
  const taken = [
    'config-file',
    'kubeconfig',
    'kube-api-qps',
    'kube-api-burst',
    'metrics-bind-addr',
    'health-bind-addr',
    'enable-leader-election',
    'leader-election-namespace',
    'leader-elect-lease-duration',
    'leader-elect-renew-deadline',
    'leader-elect-retry-period',
    'zap-log-level',
  ];
  for (const flag of taken) assert.ok(text.includes(`\`--${flag}\``), flag);
  for (const flag of ignoredFlags) assert.ok(flag.startsWith('zap-') || text.includes(`\`--${flag}\``), flag);
});
