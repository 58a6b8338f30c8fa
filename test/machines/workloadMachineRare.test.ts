import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rareTransitions } from '../support/objects/workloadRare.ts';
import { decide } from '../support/oracle/decisions.ts';
import { transitionsWith } from '../support/oracle/transitionCoverage.ts';

for (const { name, why, machine, events, state, end } of rareTransitions) {
  test(`${name}, which no replay takes (${why}), is taken`, () => {
    const last = events.at(-1) ?? assert.fail('no event takes it');
    const before = decide(machine, {}, events.slice(0, -1)).snapshot;
    assert.deepEqual(transitionsWith(machine, before, last), [name]);
    const { state: reached, snapshot } = decide(machine, {}, events);
    assert.deepEqual([reached, snapshot.output?.end.type], [state, end]);
  });
}
