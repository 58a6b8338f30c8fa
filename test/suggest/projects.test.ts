import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measuredEdges, measuredProjects } from './projects.ts';

test('in the facts of 22 public projects, nothing wrong has a high confidence, and 95 % of what is shown is right', () => {
  const projects = measuredProjects();
  assert.equal(new Set(projects.map(({ project }) => project)).size, 22);
  assert.equal(
    projects.reduce((sum, { truth }) => sum + truth.size, 0),
    100,
  );
  assert.deepEqual(measuredEdges('high').wrong, []);
  const { precision, wrong } = measuredEdges('medium');
  assert.equal(precision.toFixed(2), '0.97', `${wrong}: find-dependencies.md has the figure`);
});

test('of what the manifests show, at least 96 % is found', () => {
  const { recall, missed } = measuredEdges('medium');
  assert.equal(recall.toFixed(2), '0.99', `${missed}: find-dependencies.md has the figure`);
  assert.deepEqual(measuredEdges('low').missed, []);
});
