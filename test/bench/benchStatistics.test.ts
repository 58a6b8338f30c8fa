import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecoveryCase, RecoveryRound } from '../../bench/recovery/recoveryResults.ts';
import { isMet, recoveryGoals } from '../../bench/support/goals.ts';
import { median, mostWithin, percentile } from '../../bench/support/statistics.ts';
import { figure, table } from '../../bench/support/table.ts';

test('a percentile is one of the values, in any order', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  assert.deepEqual(
    [0, 50, 90, 99, 100].map((p) => percentile(hundred, p)),
    [1, 50, 90, 99, 100],
  );
  assert.equal(percentile([7], 50), 7);
  assert.equal(percentile([1, 1000], 99), 1000);
  assert.equal(percentile([10, 9, 2], 50), 9);
  assert.ok(Number.isNaN(percentile([], 50)));
});

test('a median lies between the two middle values of an even number', () => {
  assert.equal(median([30, 1, 2]), 2);
  assert.equal(median([10, 9, 2, 1]), 5.5);
  assert.ok(Number.isNaN(median([])));
});

test('the most times within an interval are counted wherever it begins, without its end', () => {
  assert.equal(mostWithin([], 1000), 0);
  assert.equal(mostWithin([1000, 0], 1000), 1);
  assert.equal(mostWithin([999, 0], 1000), 2);
  assert.equal(mostWithin([0, 600, 1100, 1500, 1700, 3000], 1000), 3);
});

test('a table aligns names to the left and figures to the right', () => {
  assert.equal(
    table(
      ['client', 'ms', ''],
      [
        ['bare', figure(8.049), 'met'],
        ['weeder', figure(1191.4), 'missed'],
      ],
    ),
    [
      '| client |   ms |        |',
      '| ------ | ---: | ------ |',
      '| bare   | 8.05 | met    |',
      '| weeder | 1191 | missed |',
    ].join('\n'),
  );
});

const round: RecoveryRound = {
  startToSynced: 400,
  idleRss: 80,
  idleCpu: 0.1,
  deletions: 1,
  p50: 10,
  p90: 10,
  p99: 10,
  max: 10,
  total: 10,
  cpu: 0.1,
  cpuAfter: 0,
  peakRss: 90,
  afterRss: 85,
};

function caseOf(namespaces: number, bare: readonly object[], weeder: readonly object[]): RecoveryCase {
  const roundsWith = (changes: readonly object[]) => changes.map((change) => ({ ...round, ...change }));
  const candidates = { bare: roundsWith(bare), weeder: roundsWith(weeder).map((each) => ({ streams: 2, ...each })) };
  return {
    cores: 'separate',
    namespaces,
    podsEach: 1,
    recoveries: 1,
    podBytes: 5000,
    server: 'v1.36.3',
    rounds: candidates,
  };
}

/** The texts of the missed goals. */
function missed(cases: readonly RecoveryCase[]): string[] {
  return recoveryGoals(cases)
    .filter((goal) => !isMet(goal))
    .map(({ what, value }) => `${what}: ${value}`);
}

test('goals are met up to their limits, and missed beyond', () => {
  assert.deepEqual(
    missed([caseOf(1, [{}], [{ p50: 12, p99: 12, idleRss: 90, idleCpu: 0.5, startToSynced: 1000 }])]),
    [],
  );
  assert.deepEqual(
    missed([caseOf(1, [{}], [{ p50: 13, idleRss: 91, idleCpu: 0.6, startToSynced: 1001, streams: 3 }])]),
    [
      'p50 with 1 namespace on separate cores, relative to the bare client: 1.3',
      'memory at rest with 1 namespace on separate cores: 91',
      'CPU at rest with 1 namespace on separate cores: 0.6',
      'start to synced with 1 namespace on separate cores: 1001',
      'streams with 1 namespace on separate cores: 3',
    ],
  );
});

test('speed is judged by the median of the ratios within each round', () => {
  const slow = { p50: 100, p99: 100 };
  assert.deepEqual(missed([caseOf(1, [{}, slow, {}], [{ p50: 11 }, { ...slow, p50: 110 }, { p50: 40 }])]), []);
  assert.deepEqual(missed([caseOf(1, [{}, slow, {}], [{ p50: 11 }, { ...slow, p50: 130 }, { p50: 40 }])]), [
    'p50 with 1 namespace on separate cores, relative to the bare client: 1.3',
  ]);
});

test('memory after a recovery counts with 1,000 namespaces only, and the cost of ten times as many is compared', () => {
  const small = caseOf(100, [{}], [{ afterRss: 200 }]);
  assert.deepEqual(missed([small, caseOf(1000, [{ cpu: 1 }], [{ cpu: 1.2, afterRss: 150 }])]), []);
  assert.deepEqual(missed([small, caseOf(1000, [{ cpu: 1 }], [{ cpu: 1.3, afterRss: 151 }])]), [
    'memory after the recovery with 1000 namespaces on separate cores: 151',
    'CPU with 1000 namespaces on separate cores, relative to 100: 13',
  ]);
});

test('on shared cores the client may take longer, and a mass recovery may cost twice the CPU time of the bare client', () => {
  const slow = caseOf(1, [{}], [{ p50: 15, p99: 15 }]);
  assert.equal(missed([slow]).length, 2);
  assert.deepEqual(missed([{ ...slow, cores: 'shared' }]), []);
  assert.deepEqual(missed([caseOf(10, [{}], [{ cpu: 0.21 }]), caseOf(50, [{}], [{ cpu: 0.2 }])]), []);
  assert.deepEqual(missed([caseOf(50, [{}], [{ cpu: 0.25 }])]), [
    'CPU time with 50 namespaces on separate cores, relative to the bare client: 2.5',
  ]);
});
