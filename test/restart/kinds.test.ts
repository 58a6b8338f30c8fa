import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { workloadKindNames } from '@weeder/kube-runtime/objects';
import { kinds } from '../../src/restart/kinds/kinds.ts';

test('a kind of workload is known in its own file: no other file of restart control compares kinds', () => {
  const comparison = new RegExp(`(?:[!=]==|case|includes\\() ?'(?:${workloadKindNames.join('|')})'`);
  const files = globSync('{src/restart,src/explain,machines/restart}/**/*.ts', { exclude: ['src/restart/kinds/**'] });
  assert.ok(files.length > 50);
  const violations = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => (comparison.test(line) ? [`${file}:${index + 1}`] : [])),
  );
  assert.deepEqual(violations, []);
});

test('each kind says how it is restarted, and by which template', () => {
  const rows = workloadKindNames.map((kind) => [kind, kinds[kind].restart, kinds[kind].templatePath.join('.')]);
  assert.deepEqual(rows, [
    ['Deployment', 'rollout', 'spec.template'],
    ['StatefulSet', 'rollout', 'spec.template'],
    ['DaemonSet', 'rollout', 'spec.template'],
    ['CronJob', 'nextRun', 'spec.jobTemplate.spec.template'],
    ['Job', 'recreation', 'spec.template'],
  ]);
});
