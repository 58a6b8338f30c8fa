import assert from 'node:assert/strict';
import { test } from 'node:test';
import { application } from '../../machines/observer/application.ts';
import { resource } from '../../machines/observer/resource.ts';
import { rareOfApplication, rareOfResource } from '../support/objects/observerRare.ts';
import { decide } from '../support/oracle/decisions.ts';
import { transitionsWith } from '../support/oracle/transitionCoverage.ts';

for (const { name, why, events } of rareOfApplication) {
  test(`${name}, which no replay takes (${why}), is taken`, () => {
    const last = events.at(-1) ?? assert.fail('no event takes it');
    const before = decide(application, {}, events.slice(0, -1));
    assert.deepEqual(transitionsWith(application, before.snapshot, last), [name]);
    const target = targetIn(name) ?? before.state;
    assert.equal(decide(application, {}, events).state, target);
  });
}

for (const { name, why, events, state } of rareOfResource) {
  test(`${name}, which no replay takes (${why}), is taken`, () => {
    const last = events.at(-1) ?? assert.fail('no event takes it');
    const before = decide(resource, {}, events.slice(0, -1));
    assert.deepEqual(transitionsWith(resource, before.snapshot, last), [name]);
    assert.equal(decide(resource, {}, events).state, state ?? targetIn(name) ?? before.state);
  });
}

/** The target state; undefined if the transition stays in its state. */
function targetIn(name: string): string | undefined {
  const [, target] = /-> \w+\.(.*)$/.exec(name) ?? [];
  return target;
}
