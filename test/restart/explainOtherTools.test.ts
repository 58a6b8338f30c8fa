import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainOtherTools } from '../../src/explain/explainOtherTools.ts';

const workloadWithTool = (name: string, isInTemplate: boolean, means: boolean) => ({
  ref: { kind: 'Deployment', namespace: 'shop', name } as const,
  otherTool: { annotation: 'reloader.stakater.com/auto', isInTemplate, means },
});

test('each workload has one line, in order, with the place of the annotation and what to write', () => {
  assert.deepEqual(explainOtherTools([]), []);
  const [section = ''] = explainOtherTools([
    workloadWithTool('web', true, true),
    workloadWithTool('api', false, false),
  ]);
  assert.deepEqual(section.split('\n').slice(1), [
    '  Deployment shop/api: reloader.stakater.com/auto  → weeder.dev/restart-on-change: "false" on the Deployment',
    '  Deployment shop/web: reloader.stakater.com/auto in its pod template  → weeder.dev/restart-on-change: "true" on the Deployment',
  ]);
});

test('of many workloads the first fifty are listed, and the rest is counted', () => {
  const many = Array.from({ length: 60 }, (_, index) => workloadWithTool(`web-${index}`, false, true));
  const lines = explainOtherTools(many).join('\n').split('\n');
  assert.deepEqual([lines.length, lines.at(-1)], [52, '  … and 10 more']);
});
