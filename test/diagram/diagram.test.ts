import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DrawnState, drawingOf } from '@weeder/machine-diagrams';
import { type AnyStateNode, createMachine } from 'xstate';
import { diagram } from '../../src/diagram/diagram.ts';
import { type diagramFormats, drawable, system } from '../../src/diagram/formats.ts';
import { machines } from '../../src/diagram/machines.ts';
import { links, parts } from '../../src/diagram/system.ts';
import { oneSentence, sharedCli } from '../support/cli.ts';
import { machineFiles } from '../support/docs/sketch.ts';

function drawn(name: string, format: (typeof diagramFormats)[number]): string {
  const result = diagram(name, format);
  assert.ok(result.ok, JSON.stringify(result));
  return result.value;
}

function allStates(state: DrawnState): DrawnState[] {
  return [state, ...state.children.flatMap(allStates)];
}

test('the help names all pictures', () => {
  assert.deepEqual([...drawable].sort(), [system, ...machines.keys()].sort());
});

test('every machine file is drawn', () => {
  assert.deepEqual(
    [...machines.keys()].sort(),
    machineFiles()
      .map(({ name }) => name)
      .sort(),
  );
});

const members = new Set(parts.flatMap((part) => Object.keys(part.members)));

for (const [name, { machine }] of machines) {
  const { root, transitions, spawns } = drawingOf(machine);

  test(`the pictures of ${name} show every state, event, guard and action`, () => {
    const [svg, text] = [drawn(name, 'svg'), drawn(name, 'ascii')];
    for (const { id, name: state, entry, exit, invokes } of allStates(root)) {
      assert.ok(svg.includes(`data-state="${id}"`), id);
      assert.ok(svg.includes(`>${state}</tspan>`) && text.includes(state), id);
      for (const part of [...entry, ...exit, ...invokes]) assert.ok(svg.includes(part) && text.includes(part), part);
    }
    for (const { from, to, when, guard, actions } of transitions) {
      if (to !== undefined) assert.match(svg, new RegExp(`data-ways="([^"]* )?${from}:${to}[ "]`));
      assert.ok(svg.includes(`>${when}</tspan>`), when);
      assert.ok(text.includes(when), when);
      for (const part of [...(guard === undefined ? [] : [guard]), ...actions]) {
        assert.ok(svg.includes(part) && text.includes(part), part);
      }
    }
  });

  test(`every state, actor and arrow of ${name} is in its Mermaid diagram, which Mermaid can draw`, () => {
    const lines = drawn(name, 'mermaid').split('\n');
    for (const { id } of allStates(root).slice(1)) {
      assert.ok(
        lines.some((line) => line.includes(` as ${id.replaceAll('.', '_')}`)),
        id,
      );
    }
    for (const { id, invokes, children } of allStates(root).slice(1)) {
      for (const invoked of invokes) {
        const isSaid = lines.some(
          (line) => line.includes(id.replaceAll('.', '_')) && line.includes(`invokes ${invoked}`),
        );
        assert.ok(isSaid, `${id} invokes ${invoked}`);
      }
      const described = lines.find((line) => line.trim().startsWith(`${id.replaceAll('.', '_')} :`));
      assert.ok(children.length === 0 || described === undefined, `Mermaid does not draw: ${described}`);
    }
    const isAnywhere = transitions.some(({ from, to }) => from === root.id && to !== undefined);
    assert.equal(lines.includes(`  state "in any state" as ${root.id}`), isAnywhere);
    for (const { from, to, when } of transitions) {
      if (to === undefined) continue;
      const arrow = `${from.replaceAll('.', '_')} --> ${to.replaceAll('.', '_')} : `;
      assert.ok(
        lines.some((line) => line.trim().startsWith(arrow) && line.includes(when)),
        `${arrow}${when}`,
      );
    }
  });

  test(`the JSON of ${name} is a machine with the same states and events`, () => {
    const again = createMachine(JSON.parse(drawn(name, 'json')));
    const shape = (node: AnyStateNode): unknown => [
      node.key,
      [...node.transitions.keys()],
      Object.values(node.states).map(shape),
    ];
    assert.deepEqual(shape(again.root), shape(machine.root));
  });

  test(`the pictures of the system show ${name} as the parent of what it spawns and invokes`, () => {
    const isSaid = (actor: string, verb: string) =>
      links.some(({ from, to, words }) => from === name && to === actor && words.join(' ').startsWith(verb));
    for (const actor of spawns) assert.ok(isSaid(actor, 'spawns'), actor);
    const invoked = allStates(root).flatMap(({ invokes }) => invokes);
    for (const actor of invoked.filter((each) => members.has(each))) assert.ok(isSaid(actor, 'invokes'), actor);
  });
}

test('in the picture of the system every event is known to its receiver', () => {
  for (const { to, events } of links) {
    const machineEvents = new Set(machines.get(to)?.machine.events ?? []);
    for (const event of events) assert.ok(machineEvents.has(event), `${to} knows no ${event}`);
  }
  const linked = new Set(links.flatMap(({ from, to }) => [from, to]));
  assert.deepEqual([...linked].sort(), ['apiServer', ...members].sort());
  assert.deepEqual(
    [...machines.keys()].filter((name) => !linked.has(name)),
    [],
  );
});

test('weeder diagram prints the requested diagram', async () => {
  const byDefault = await sharedCli(['diagram']);
  assert.equal(byDefault.stdout, drawn('system', 'ascii'));
  const output = await sharedCli(['diagram', 'endpoint', '--format', 'mermaid']);
  assert.equal(output.stdout, drawn('endpoint', 'mermaid'));
  assert.equal(output.code, 0);
});

test('an unknown machine or format is reported in one sentence', async () => {
  const unknown = await sharedCli(['diagram', 'endpont']);
  assert.equal(unknown.code, 2);
  assert.equal(unknown.stderr, 'weeder: There is no machine "endpont". Did you mean endpoint?\n');
  const format = await sharedCli(['diagram', 'endpoint', '--format', 'png']);
  assert.match(oneSentence(format, 2), /^The flag --format: Allowed choices are mermaid, svg, json, ascii\. See /);
  const words = await sharedCli(['diagram', 'endpoint', 'lease']);
  assert.match(oneSentence(words, 2), /^weeder diagram accepts fewer arguments than endpoint, lease\. See /);
  const system = await sharedCli(['diagram', 'system', '--format', 'json']);
  assert.match(system.stderr, /The actor system is not a machine/);
});
