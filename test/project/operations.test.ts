import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { ignoredFlags } from '../../src/cli/flags/runFlags.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The anchors of a Markdown file's headings, as GitHub makes them. */
function anchorsOf(path: string): Set<string> {
  const headings = read(path).matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, text = '']) =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  );
}

const Alerts = z.object({
  groups: z.array(
    z.object({ rules: z.array(z.object({ alert: z.string(), annotations: z.object({ runbook: z.string() }) })) }),
  ),
});

test('for each alert there is a section that says what to do, and for each section an alert', () => {
  const { groups } = Alerts.parse(parseDocument(read('deploy/monitoring/alerts.yaml')).toJS());
  const runbooks = groups.flatMap(({ rules }) => rules.map(({ annotations }) => annotations.runbook)).sort();
  const text = read('docs/operations.md');
  const section = text.slice(text.indexOf('\n## Alerts\n'), text.indexOf('\n## Sizing\n'));
  const headings = [...section.matchAll(/^### (.+)$/gm)].map(([, name = '']) =>
    name.toLowerCase().replaceAll(' ', '-'),
  );
  assert.deepEqual(headings.map((anchor) => `docs/operations.md#${anchor}`).sort(), runbooks);
});

test('every flag of the original is in the table of those who move over', () => {
  const text = read('docs/operations.md');
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

test('every link between the documents leads somewhere', () => {
  const files = globSync(['*.md', 'docs/**/*.md', 'deploy/**/*.md', 'packages/*/README.md', 'visualizations/*.md'], {
    cwd: root,
  });
  assert.ok(files.length > 10);
  for (const file of files) {
    const prose = read(file).replace(/```[\s\S]*?```/g, '');
    for (const [, target = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(https?|mailto):/.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      const found = path === '' ? file : join(dirname(file), path);
      assert.ok(existsSync(join(root, found)), `${file} links to ${target}, which is not there`);
      if (anchor !== undefined) assert.ok(anchorsOf(found).has(anchor), `${file} links to ${target}: no such heading`);
    }
  }
});
