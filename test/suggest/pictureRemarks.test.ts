import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Dependency } from '../../src/dependencies/dependency.ts';
import { drawDependencies } from '../../src/dependencies/draw.ts';
import { pictureRemarks } from '../../src/dependencies/pictureRemarks.ts';

/** So many workloads that declare the service of this name. */
function declaring(count: number, name = 'db'): Dependency[] {
  return Array.from({ length: count }, (_, index) => ({
    workload: { kind: 'Deployment', namespace: 'shop', name: `web-${index}` },
    service: { namespace: 'shop', name },
    sources: ['declared'],
    isFound: true,
    confidence: undefined,
    evidence: [],
  }));
}

function remarks(dependencies: readonly Dependency[], format: 'mermaid' | 'dot' = 'mermaid'): string[] {
  return pictureRemarks(dependencies, format, drawDependencies(dependencies, format));
}

test('a picture that Mermaid does not draw has a remark that says how to draw it', () => {
  assert.deepEqual(remarks(declaring(500)), []);
  const [remark = '', ...others] = remarks(declaring(501));
  assert.match(
    remark,
    /^the picture has 501 arrows and [\d,]+ characters, and Mermaid draws at most 500 and 50,000 by default: use -o dot, or select with -n$/,
  );
  assert.deepEqual(others, []);
});

test('so has one with few arrows and long names', () => {
  const names = declaring(100).map((dependency, index) => ({
    ...dependency,
    service: { namespace: 'shop', name: `${'x'.repeat(500)}${index}` },
  }));
  assert.match(remarks(names).join(), /^the picture has 100 arrows and 5\d,\d{3} characters/);
  assert.deepEqual(remarks(names.slice(0, 50)), []);
});

test('Graphviz draws any number', () => {
  assert.deepEqual(remarks(declaring(501), 'dot'), []);
});

test('with nothing to draw the remark says so', () => {
  const empty = ['there is nothing to draw: no dependency was found'];
  assert.deepEqual([remarks([]), remarks([], 'dot')], [empty, empty]);
});
