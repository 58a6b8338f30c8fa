import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { fieldWriters, root } from './fieldWriters.ts';

/** The interfaces of which each field has one writer. */
const records = [
  { file: 'src/observer/entries/entries.ts', name: 'ResourceEntry' },
  { file: 'src/observer/entries/entries.ts', name: 'ApplicationEntry' },
  { file: 'src/restart/patches/finding.ts', name: 'WithFinding' },
  { file: 'src/restart/patches/observed.ts', name: 'WithObserved' },
  { file: 'src/restart/patches/workloadEntry.ts', name: 'WorkloadEntry' },
  { file: 'src/restart/patches/written.ts', name: 'WithWritten' },
  { file: 'src/restart/pace/quietPeriod.ts', name: 'WithChanges' },
  { file: 'src/restart/pods/progress.ts', name: 'WithProgress' },
];

const sample = 'test/project/records/sample';
const writers = fieldWriters(join(root, 'test/project/records/tsconfig.json'), [
  ...records,
  { file: `${sample}/sample.ts`, name: 'Sample' },
]);

test('each field of a record is written by one file after the record was created', () => {
  const shared = [...writers].filter(([, files]) => files.size > 1);
  assert.deepEqual(
    shared.map(([field, files]) => `${field}: ${[...files].sort()}`),
    [],
  );
  for (const { name } of records) assert.ok([...writers.keys()].some((field) => field.startsWith(`${name}.`)));
});

test('a field is written in any of these forms, and by any name of the record', () => {
  const written = [...writers].flatMap(([field, files]) => (field.startsWith('Sample.') ? [[field, ...files]] : []));
  const fields = [
    ...['alias', 'assigned', 'byAnyKey', 'byKey', 'counted', 'defaulted', 'deleted', 'destructured', 'inList', 'list'],
    ...['map', 'merged', 'passed', 'picked', 'set'],
  ];
  assert.deepEqual(
    written.sort(),
    fields.map((field) => [`Sample.${field}`, `${sample}/${field === 'passed' ? 'fill' : 'writes'}.ts`]),
  );
});
