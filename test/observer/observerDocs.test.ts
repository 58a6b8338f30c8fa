import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { arrayOf, objectOf } from '@weeder/kube-runtime/base';
import { resourceStates } from '../../machines/observer/resource.ts';
import { formatFieldError } from '../../src/base/fieldError.ts';
import { readApplicationFile } from '../../src/cli/check/checkApplications.ts';
import { schemaErrorTable } from '../../src/observer/schema/schemaErrors.ts';
import { readInventory, writeEntry } from '../../src/observer/spec/inventory.ts';
import { conditionTypes } from '../../src/observer/status/condition.ts';
import { conditionsOf } from '../../src/observer/status/conditions.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const [page, schemaPage] = [read('docs/reference/observer.md'), read('docs/reference/observer-schema.md')];

for (const [path, text] of Object.entries({
  'docs/reference/observer.md': page,
  'docs/reference/observer-schema.md': schemaPage,
})) {
  test(`the Application in ${path} is valid`, () => {
    const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(text) ?? [];
    const file = readApplicationFile(yaml, 'f');
    assert(file !== undefined);
    assert.deepEqual([...file.errors, ...file.warnings].map(formatFieldError), []);
    assert.equal(file.applications.length, 1);
  });
}

test('docs/reference/observer-schema.md lists the errors of a schema exactly as they are reported', () => {
  const rows = [...schemaPage.matchAll(/^\| `(\w+)` \| (.+?) \| (.+) \|$/gm)].map(([, code, meaning, hint]) => [
    code,
    meaning,
    hint,
  ]);
  assert.deepEqual(
    rows,
    Object.entries(schemaErrorTable).map(([code, { meaning, hint }]) => [code, meaning, hint]),
  );
});

test('docs/reference/observer.md lists exactly the states and differences of the inventory', () => {
  const [, states = '', differences = ''] = /The state is (`.*?`)\. A drift is (`.*?`)\./.exec(page) ?? [];
  const named = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
  const source = readFileSync(new URL('../../src/observer/spec/inventory.ts', import.meta.url), 'utf8');
  const written = (list: RegExp) =>
    [...(list.exec(source)?.[1] ?? '').matchAll(/'(\w+)'/g)].map(([, name = '']) => name);
  const rowOf = (row: object) =>
    objectOf(readInventory([{ kind: 'Pod', apiVersion: 'v1', name: 'a', ...row }]).map(writeEntry)[0]);
  const stateInStatus = (state: string) => rowOf({ state })['state'];
  const differenceInStatus = (type: string) =>
    objectOf(arrayOf(rowOf({ drifts: [{ path: '.a', type }] })['drifts'])[0])['type'];
  assert.ok(named(states).length > 0 && named(differences).length > 0);
  assert.deepEqual(named(states), resourceStates.map(stateInStatus));
  assert.deepEqual(named(differences), written(/differences: .*? = \[(.*?)\]/s).map(differenceInStatus));
});

test('docs/reference/observer.md lists exactly the reasons of the conditions', () => {
  const named = new Map(
    [...page.matchAll(/^\| `(Ready|Reconciling|Stalled|Applied|InSync|Degraded|Invalid)` \| (.*) \|$/gm)].map(
      ([, type = '', cells = '']) => [
        type,
        cells.split(' | ').map((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, reason]) => reason)),
      ],
    ),
  );
  const source = ['conditions', 'readiness']
    .map((name) => readFileSync(new URL(`../../src/observer/status/${name}.ts`, import.meta.url), 'utf8'))
    .join('\n');
  const written = new Set([...source.matchAll(/'([A-Z][A-Za-z]+)'/g)].map(([, reason]) => reason));
  const reasons = [...named.values()].flat(2);
  const statuses = new Set<string>(['True', 'False', 'Unknown', ...conditionTypes]);
  for (const reason of written) {
    assert.ok(
      statuses.has(String(reason)) || reasons.includes(String(reason)),
      `${reason} is not in docs/reference/observer.md`,
    );
  }
  for (const reason of reasons) assert.ok(written.has(String(reason)), `${reason} is never used`);
  const well = conditionsOf({
    phase: 'observing',
    mode: 'correct',
    isSettling: false,
    pausedUntil: undefined,
    errors: [],
    accountError: '',
    notes: [],
    resources: [],
  });
  const columns = ['True', 'False', 'Unknown'];
  for (const { type, status, reason } of well) {
    assert.ok(named.get(type)?.[columns.indexOf(status)]?.includes(reason), `${type} ${status} ${reason}`);
  }
});
