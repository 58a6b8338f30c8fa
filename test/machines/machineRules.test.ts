import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AnyEventObject, type AnyMachineSnapshot, type AnyStateNode, initialTransition, transition } from 'xstate';
import { machineFiles, sketch } from '../support/docs/sketch.ts';
import { bareEvents, exploreBare, isInternal, spawnedChildren, statesOf } from '../support/oracle/exploration.ts';

const files = machineFiles();

/** Inputs for machines that need one to have children. */
const inputs: Readonly<Record<string, unknown>> = { manager: { streams: ['pods'] } };

const verbs =
  'announce|clear|close|collect|drop|end|forget|hold|open|raise|reconfigure|record|release|renew|replace|report|request|restart|send|spawn|start|stop|withdraw';

for (const { name, path, imports, machines } of files) {
  const machine = machines[0] ?? assert.fail(`${name} gives no machine`);
  const states = statesOf(machine);

  test(`${path} imports values only from xstate, and exports one machine with its own name`, () => {
    assert.deepEqual(imports, ['xstate']);
    assert.deepEqual(
      machines.map((each) => each.id),
      [name],
    );
  });

  test(`${name} starts without input, and no event without payload causes an error`, () => {
    assert.equal(initialTransition(machine)[0].status, 'active');
    for (const input of [undefined, inputs[name]]) {
      for (const [state, snapshot] of exploreBare(machine, input)) {
        if (snapshot.status !== 'active') continue;
        for (const event of bareEvents(machine, snapshot)) {
          const [next] = transition(machine, snapshot, event);
          assert.notEqual(next.status, 'error', `${event.type} in ${state}: ${String(next.error)}`);
        }
      }
    }
  });

  test(`${name} names its actions, guards, actors and delays, and each name has an implementation`, () => {
    for (const node of [machine.root, ...states]) {
      for (const { kind, value } of referencesOf(node)) {
        assert.equal(typeof value, 'string', `${node.id} has an inline ${kind}`);
        assert.ok(String(value) in machine.implementations[kind], `${node.id}: there is no ${value} in ${kind}`);
      }
    }
  });

  test(`${name} gives every invoked actor an id and onError, and handles the end of the actors that it spawns`, () => {
    for (const node of [machine.root, ...states]) {
      for (const invoked of arrayOf<{ id?: string; onError?: unknown }>(node.config.invoke)) {
        assert.equal(typeof invoked.id, 'string', `an invoke of ${node.id} has no id`);
        assert.ok(invoked.onError !== undefined, `${invoked.id} of ${node.id} has no onError`);
      }
    }
    for (const [state, snapshot] of exploreBare(machine, inputs[name])) {
      if (snapshot.status !== 'active') continue;
      for (const id of spawnedChildren(snapshot)) {
        for (const type of [`xstate.done.actor.${id}`, `xstate.error.actor.${id}`]) {
          const event: AnyEventObject = { type, actorId: id, error: new Error('broken') };
          const [next]: [AnyMachineSnapshot, unknown] = transition(machine, snapshot, event);
          assert.notEqual(next.status, 'error', `${type} in ${state}`);
          const isHandled = snapshot._nodes.some((node: AnyStateNode) => node.transitions.has(type.replace(id, '*')));
          assert.ok(isHandled, `${state} does not manage ${type}`);
        }
      }
    }
  });

  test(`${name} follows the naming conventions, describes every state, and cannot loop forever`, () => {
    assert.ok(machine.config.description, `${name} has no description`);
    assert.ok(Number.isFinite(machine.options.maxIterations), 'maxIterations is not set');
    for (const node of states) {
      assert.match(node.key, /^[a-z][A-Za-z]*$/, `state ${node.id}`);
      assert.ok(node.config.description, `${node.id} has no description`);
    }
    for (const type of machine.events.filter((each) => !isInternal(each))) {
      assert.match(type, /^[a-z][A-Za-z]*(\.[a-z][A-Za-z]*)+$/, `event ${type}`);
      assert.ok(!type.endsWith('.refused'), `${type}: failed is retried, rejected is final`);
    }
    for (const guard of Object.keys(machine.implementations.guards)) {
      assert.match(guard, /^(is|has|can|[a-z]+s)[A-Z][A-Za-z]*$/, `guard ${guard}`);
    }
    for (const action of Object.keys(machine.implementations.actions)) {
      assert.match(action, new RegExp(`^(${verbs})[A-Z][A-Za-z]*$`), `action ${action}`);
    }
  });

  test(`${name} assigns in the actions that record or forget, and in no others`, () => {
    for (const [action, implementation] of Object.entries(machine.implementations.actions)) {
      assert.equal(isAssign(implementation), /^(record|forget)[A-Z]/.test(action), `action ${action}`);
    }
  });
}

test('the weeder has its documented machines', () => {
  const names = files.map((file) => file.name);
  for (const name of ['manager', 'lease', 'reflector', 'endpoint', 'dependants', 'podDeletion', 'podCreation'])
    assert.ok(names.includes(name));
});

test('another import in a machine file, or a target that does not exist, is detected', () => {
  const good = "import { setup } from 'xstate';\nexport const one = setup({}).createMachine({ id: 'one' });";
  assert.deepEqual(sketch(good).imports, ['xstate']);
  assert.deepEqual(sketch(`import type { Foo } from './foo.ts';\n${good}`).imports, ['xstate']);
  assert.throws(() => sketch(`import { foo } from './foo.ts';\n${good}`), SyntaxError);
  assert.throws(() => sketch(good.replace("id: 'one'", "on: { go: { target: 'nowhere' } }")), /nowhere/);
});

function isAssign(implementation: unknown): boolean {
  return typeof implementation === 'function' && 'type' in implementation && implementation.type === 'xstate.assign';
}

interface Reference {
  readonly kind: 'actions' | 'guards' | 'actors' | 'delays';
  readonly value: unknown;
}

interface TransitionConfig {
  readonly actions?: unknown;
  readonly guard?: unknown;
}

/** What a state node refers to, as its file declares it. */
function referencesOf({ config }: AnyStateNode): Reference[] {
  const invokes = arrayOf<{ src: unknown; onDone?: unknown; onError?: unknown }>(config.invoke);
  const transitions = [
    ...Object.values(config.on ?? {}),
    ...Object.values(config.after ?? {}),
    config.always,
    config.onDone,
    ...invokes.flatMap((invoked) => [invoked.onDone, invoked.onError]),
  ].flatMap((each) => arrayOf<TransitionConfig>(each));
  const as = (kind: Reference['kind'], values: readonly unknown[]) => values.map((value) => ({ kind, value }));
  return [
    ...as('actions', [config.entry, config.exit, ...transitions.map((each) => each.actions)].flatMap(arrayOf)),
    ...as(
      'guards',
      transitions.flatMap((each) => arrayOf(each.guard)),
    ),
    ...as(
      'actors',
      invokes.map((invoked) => invoked.src),
    ),
    ...as('delays', Object.keys(config.after ?? {})),
  ];
}

function arrayOf<T>(value: unknown): T[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]) as T[];
}
