import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workload } from '../../machines/restart/workload.ts';
import { rareTransitions } from '../support/objects/workloadRare.ts';
import { decide } from '../support/oracle/decisions.ts';
import { transitionsWith } from '../support/oracle/transitionCoverage.ts';

for (const { name, why, events } of rareTransitions) {
  test(`${name}, which no replay takes (${why}), is taken`, () => {
    const last = events.at(-1) ?? assert.fail('no event takes it');
    const before = decide(workload, {}, events.slice(0, -1)).snapshot;
    assert.deepEqual(transitionsWith(workload, before, last), [name]);
    const target = name.replace(/^.* -> workload\./, '');
    assert.equal(decide(workload, {}, events).state, target);
  });
}
