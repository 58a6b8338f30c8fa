import assert from 'node:assert/strict';
import { test } from 'node:test';
import { driftGoals } from '../../bench/drift/driftGoals.ts';
import { drifted, editOf, keyOf, manifestsOf, observerSchemaOf, rounds } from '../../bench/drift/driftManifests.ts';
import { driftReport } from '../../bench/drift/driftReport.ts';
import { type DriftCandidate, DriftCase, type Drifts, type Start } from '../../bench/drift/driftResults.ts';
import { isMet } from '../../bench/support/goals.ts';

const start: Start = { observed: 20_000, cpu: 10, rss: 200, peak: 240 };
const drifts: Drifts = { count: 200, p50: 10, p90: 15, p99: 60, max: 90, total: 6_000, edits: 0, cpu: 0.5 };
const weeder: DriftCandidate = {
  first: start,
  again: start,
  streams: 4,
  idleCpu: 0.1,
  idleRequests: 0,
  single: drifts,
  many: { ...drifts, count: 1_000, total: 2_500 },
  all: { ...drifts, count: 5_000, total: 13_000 },
  afterRss: 220,
  peakRss: 240,
};

function caseOf(figures: Partial<DriftCandidate>, applications = 1_000): DriftCase {
  return { applications, resources: 5 * applications, kinds: 3, idle: 30, weeder: { ...weeder, ...figures } };
}

function missed(driftCase: DriftCase): string[] {
  return driftGoals([driftCase]).flatMap((goal) => (isMet(goal) ? [] : [`${goal.what}: ${goal.value}`]));
}

test('each goal of the observer is met up to its limit, and missed beyond it', () => {
  assert.equal(driftGoals([caseOf({})]).length, 10);
  assert.deepEqual(missed(caseOf({})), []);
  const figures = {
    single: { ...drifts, p50: 15.1, p99: 120.1 },
    many: { ...drifts, count: 1_000, total: 3_001 },
    streams: 5,
    first: { ...start, rss: 251 },
    again: { ...start, rss: 252 },
    afterRss: 253,
    idleRequests: 1.1,
    idleCpu: 0.6,
  };
  assert.deepEqual(missed(caseOf(figures)), [
    'p50 of one drift with 1000 applications: 15.1',
    'p99 of one drift with 1000 applications: 120.1',
    '1000 drifts at once with 1000 applications: 3001',
    'streams with 1000 applications: 5',
    'memory after applying everything with 1000 applications: 251',
    'memory after the next start with 1000 applications: 252',
    'memory after the corrections with 1000 applications: 253',
    'requests a second at rest with 1000 applications: 1.1',
    'CPU at rest with 1000 applications: 0.6',
  ]);
});

test('five times as many drifts may take up to six times as long', () => {
  const taking = (total: number) => caseOf({ all: { ...drifts, count: 5_000, total } });
  assert.deepEqual(missed(taking(15_000)), []);
  assert.deepEqual(missed(taking(15_001)), [
    `5000 drifts at once, relative to 1000 with 1000 applications: ${15_001 / 2_500}`,
  ]);
});

test('goals apply neither to a smaller size nor to the bare script', () => {
  assert.deepEqual(driftGoals([caseOf({ idleCpu: 50 }, 100)]), []);
  const { weeder: _, ...rest } = caseOf({});
  assert.deepEqual(driftGoals([{ ...rest, bare: weeder }]), []);
});

test('the report has a line for each kind of drift and candidate, and lists the most frequent requests first', () => {
  const driftCase = caseOf({
    many: { ...weeder.many, requests: { 'patch services 200': 2, 'patch configmaps 200': 3 } },
  });
  const lines = driftReport([{ ...driftCase, bare: weeder }]).split('\n');
  const of = (words: string) => lines.filter((line) => line.includes(words));
  assert.deepEqual(
    of('one at a time').map((line) => line.split('|').map((cell) => cell.trim())[3]),
    ['bare', 'weeder'],
  );
  assert.equal(of('5000 at once').length, 2);
  assert.match(of('3 patch')[0] ?? '', /3 patch configmaps 200, 2 patch services 200/);
  assert.deepEqual(DriftCase.parse(JSON.parse(JSON.stringify(driftCase))), driftCase);
});

test('each round changes a field that the schema lists, and no two rounds change the same one', () => {
  const manifests = manifestsOf(7);
  assert.equal(new Set(manifests.map(keyOf)).size, manifests.length);
  assert.ok(!JSON.stringify(manifests).includes(`"${drifted}"`));
  for (const manifest of manifests) {
    const edits = rounds.map((round) => JSON.stringify(editOf(manifest, round)));
    assert.equal(new Set(edits).size, rounds.length);
    assert.ok(edits.every((edit) => edit.includes(`"${drifted}"`)));
  }
  const env = JSON.stringify(observerSchemaOf(7)).match(/"value":"observed"/g);
  assert.equal(env?.length, rounds.length);
});
