import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { documentedMetrics } from '../support/docs/metricsTable.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const page = read('docs/how-to/troubleshooting.md');
const sources = globSync('{src,packages/kube-runtime/src}/**/*.ts', { cwd: root }).map(read).join('\n');

/** What the first column of a section of the page names. */
function namedIn(section: string): string[] {
  const text = page.slice(page.indexOf(`\n## ${section}\n`) + 1).split(/\n## /)[0] ?? '';
  return [...text.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );
}

/** A line about a stream consists of that word and the reason of the loss. */
function isLogged(line: string): boolean {
  const [, reason] = /^stream (\w+)$/.exec(line) ?? [];
  const losses = /type LossReason = (.*);/.exec(sources)?.[1] ?? '';
  return sources.includes(`'${line}'`) || (reason !== undefined && losses.includes(`'${reason}'`));
}

test('each line of the log on the page about troubleshooting is one that weeder writes', () => {
  const lines = namedIn('Lines of the log');
  assert.ok(lines.length > 5);
  assert.deepEqual(
    lines.filter((line) => !isLogged(line)),
    [],
  );
  assert.ok(!isLogged('stream broken'));
});

test('each Event on the page about troubleshooting is one that weeder records', () => {
  const documented = new Set(
    [...read('docs/reference/events.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, reason]) => reason),
  );
  const reasons = namedIn('Events');
  assert.ok(reasons.length > 5);
  assert.deepEqual(
    reasons.filter((reason) => !documented.has(reason)),
    [],
  );
});

test('each metric on the page about troubleshooting is one that weeder serves', () => {
  const documented = new Set(documentedMetrics(read('docs/reference/metrics.md')).map(({ name }) => name));
  const metrics = [...page.matchAll(/`(weeder_\w+)`/g)].map(([, name = '']) => name);
  assert.ok(metrics.length > 5);
  assert.deepEqual(
    metrics.filter((name) => !documented.has(name)),
    [],
  );
});
