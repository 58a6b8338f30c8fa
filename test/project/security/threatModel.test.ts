import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { checkout } from '../../support/cache.ts';
import { grantsOfChart, grantsOfManifests } from './grants.ts';

const page = readFileSync(join(checkout, 'docs/explanation/threat-model.md'), 'utf8');
const [, section = ''] = page.split('### What weeder writes\n');
const [table = ''] = section.split('\n#', 1);
const rows = [...table.matchAll(/^\| ([a-z/, ]+): ([a-z, ]+) \| `([\w-]+)` \| (.+) \|$/gm)].map(
  ([, resources = '', verbs = '', part = '', purpose = '']) => ({
    part,
    purpose,
    permissions: resources.split(', ').flatMap((resource) => verbs.split(', ').map((verb) => `${resource}: ${verb}`)),
  }),
);
const named = rows.flatMap(({ part, permissions }) => permissions.map((each) => `${part} ${each}`));
/** Only values of the chart name these, in `restartControl.workloadKinds`. */
const ofOtherKinds = ['rollouts: patch', 'clonesets: patch'];
const ofAnyKind = '{{ .resource }}: patch';

suite('the threat model names what weeder may write', () => {
  test('and each permission of the manifests, with the part that grants it', () => {
    const granted = grantsOfManifests();
    assert.ok(granted.size > 25);
    assert.deepEqual(
      [...granted].filter((each) => !named.includes(each)),
      [],
      'add these to the table of docs/explanation/threat-model.md',
    );
    assert.deepEqual(
      named.filter((each) => !granted.has(each)),
      [],
      'no manifest grants these',
    );
    assert.equal(new Set(named).size, named.length);
  });

  test('and each permission of the chart', () => {
    const ofPage = named.map((each) => each.slice(each.indexOf(' ') + 1));
    const granted = [...grantsOfChart()].flatMap((each) => (each === ofAnyKind ? ofOtherKinds : each));
    assert.deepEqual([...new Set(granted)].sort(), [...new Set(ofPage)].sort());
  });

  test('in a table whose every row can be read, and says what for', () => {
    const lines = table
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(2);
    assert.equal(rows.length, lines.length);
    for (const { purpose } of rows) assert.ok(purpose.length > 15, purpose);
  });
});
