import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type AnyMachineSnapshot, type AnyStateMachine, initialTransition, transition } from 'xstate';
import { machines } from '../../src/diagram/machines.ts';
import { bareEvents } from '../support/oracle/exploration.ts';

const file = new URL('../../visualizations/README.md', import.meta.url);
const text = readFileSync(file, 'utf8');
/** The events that the README suggests for each machine. */
const rows = [...text.matchAll(/^\| `(\w+)` \| ((?:`[^`|]+`(?:, )?)+) \|/gm)].map(([, name = '', clicks = '']) => ({
  name,
  clicks: [...clicks.matchAll(/`([^`]+)`/g)].map(([, click = '']) => click),
}));

test('the README suggests something to try in every machine', () => {
  assert.deepEqual(rows.map(({ name }) => name).sort(), [...machines.keys()].sort());
});

for (const { name, clicks } of rows) {
  test(`the clicks that the README suggests in ${name} are possible, and each leads to a further state`, () => {
    const { machine } = machines.get(name) ?? assert.fail(`no machine ${name}`);
    let [snapshot]: readonly [AnyMachineSnapshot, ...unknown[]] = initialTransition(machine);
    for (const click of clicks) {
      const event = eventOf(machine, snapshot, click);
      assert.ok(event !== undefined && snapshot.can(event), `${click} in ${JSON.stringify(snapshot.value)}`);
      [snapshot] = transition(machine, snapshot, event);
      assert.notEqual(snapshot.status, 'error', click);
    }
  });
}

/** `after retryDelay` is what XState calls `xstate.after.retryDelay.` with the state that it leaves. */
function eventOf(machine: AnyStateMachine, snapshot: AnyMachineSnapshot, click: string) {
  const timer = `xstate.${click.replace(' ', '.')}.`;
  return bareEvents(machine, snapshot).find(({ type }) => type === click || type.startsWith(timer));
}

test('every link to a file has a target', () => {
  const links = [...text.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path = '']) => path);
  assert.ok(links.length > 20);
  for (const path of links) assert.ok(existsSync(new URL(path, file)), path);
});
