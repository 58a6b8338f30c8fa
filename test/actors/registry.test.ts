import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assign, createActor, setup } from 'xstate';
import { createRegistry } from '../../src/actors/registry.ts';

const lamp = setup({
  types: { context: {} as { readonly switched: number }, events: {} as { readonly type: 'toggle' | 'break' | 'end' } },
  actions: {
    fail: () => {
      throw new Error('the lamp is broken');
    },
  },
}).createMachine({
  context: { switched: 0 },
  initial: 'off',
  states: {
    off: {
      on: {
        toggle: { actions: assign({ switched: ({ context }) => context.switched + 1 }) },
        break: { actions: 'fail' },
        end: { target: 'over' },
      },
    },
    over: { type: 'final' },
  },
});

function entryOf(room: string) {
  return { room, actor: createActor(lamp) };
}

type Entry = ReturnType<typeof entryOf>;

/** A registry of lamps that notes its calls. */
function lamps(options: Partial<Parameters<typeof createRegistry<Entry>>[0]> = {}) {
  const calls: string[] = [];
  const registry = createRegistry<Entry>({
    changed: (key, { actor }) => calls.push(`${key} changed ${actor.getSnapshot().context.switched}`),
    failed: (key, error, { room }) => calls.push(`${key} in the ${room} failed: ${String(error)}`),
    ...options,
  });
  return { registry, calls };
}

test('an actor is started after its entry was stored, and its changes are reported', () => {
  const { registry, calls } = lamps();
  const entry = entryOf('hall');
  let wasStored = false;
  entry.actor.subscribe(() => {
    wasStored ||= registry.get('a') === entry;
  });
  registry.add('a', entry);
  assert.ok(wasStored);
  entry.actor.send({ type: 'toggle' });
  assert.deepEqual(calls, ['a changed 0', 'a changed 1']);
});

test('an entry that is added is stored, and its actor is started after that', () => {
  const calls: string[] = [];
  const { registry } = lamps({
    added: (key, entry) => calls.push(`${key} stored: ${registry.get(key) === entry}`),
    changed: () => calls.push('started'),
  });
  registry.add('a', entryOf('hall'));
  assert.deepEqual(calls, ['a stored: true', 'started']);
});

test('keys, entries and actors are listed and counted', () => {
  const { registry } = lamps();
  const [one, two] = [entryOf('hall'), entryOf('cellar')];
  registry.add('a', one);
  registry.add('b', two);
  assert.deepEqual([...registry.keys()], ['a', 'b']);
  assert.deepEqual([...registry.entries()], [one, two]);
  assert.deepEqual([...registry.actors()], [one.actor, two.actor]);
  assert.equal(registry.size, 2);
  assert.equal(registry.get('c'), undefined);
});

test('the entry of an actor that is done is removed', () => {
  const { registry } = lamps();
  const entry = entryOf('hall');
  registry.add('a', entry);
  entry.actor.send({ type: 'end' });
  assert.equal(registry.size, 0);
});

test('with a rule of its own for actors that are done, their entries stay', () => {
  const done: string[] = [];
  const { registry } = lamps({ done: (key) => done.push(key) });
  const entry = entryOf('hall');
  registry.add('a', entry);
  entry.actor.send({ type: 'end' });
  assert.deepEqual(done, ['a']);
  assert.equal(registry.get('a'), entry);
});

test('the entry of an actor that fails is removed, and the failure is reported', () => {
  const { registry, calls } = lamps();
  const entry = entryOf('hall');
  registry.add('a', entry);
  entry.actor.send({ type: 'break' });
  assert.equal(registry.size, 0);
  assert.equal(calls.at(-1), 'a in the hall failed: Error: the lamp is broken');
});

test('an entry that is removed is dropped once, before its actor is stopped', () => {
  const dropped: string[] = [];
  const { registry } = lamps({
    dropped: (key, { actor }) =>
      dropped.push(`${key} ${registry.get(key) === undefined} ${actor.getSnapshot().status}`),
  });
  const entries = [entryOf('hall'), entryOf('cellar'), entryOf('attic')];
  for (const [index, entry] of entries.entries()) registry.add(String(index), entry);
  registry.remove('unknown');
  entries[2]?.actor.send({ type: 'end' });
  registry.remove('0');
  registry.remove('0');
  registry.stop();
  assert.deepEqual(dropped, ['2 true done', '0 true active', '1 true active']);
});

test('the entry of an actor that fails is dropped before the failure is reported', () => {
  const calls: string[] = [];
  const { registry } = lamps({ dropped: () => calls.push('dropped'), failed: () => calls.push('failed') });
  const entry = entryOf('hall');
  registry.add('a', entry);
  entry.actor.send({ type: 'break' });
  assert.deepEqual(calls, ['dropped', 'failed']);
});

test('a removed actor is stopped, and one that was stopped is not reported', () => {
  const { registry, calls } = lamps();
  const entries = [entryOf('hall'), entryOf('cellar'), entryOf('attic')];
  for (const [index, entry] of entries.entries()) registry.add(String(index), entry);
  registry.remove('0');
  registry.remove('unknown');
  assert.deepEqual([...registry.keys()], ['1', '2']);
  registry.stop();
  assert.equal(registry.size, 0);
  for (const { actor } of entries) assert.equal(actor.getSnapshot().status, 'stopped');
  assert.deepEqual(calls, ['0 changed 0', '1 changed 0', '2 changed 0']);
});

test('the actor of a replaced entry does not remove the entry that replaced it', () => {
  for (const type of ['end', 'break'] as const) {
    const { registry, calls } = lamps({ dropped: (key) => calls.push(`${key} dropped`) });
    const [before, after] = [entryOf('hall'), entryOf('cellar')];
    registry.add('a', before);
    registry.add('a', after);
    before.actor.send({ type });
    assert.equal(registry.get('a'), after);
    assert.ok(!calls.includes('a dropped'));
    assert.equal(calls.filter((call) => call.includes('failed')).length, type === 'break' ? 1 : 0);
  }
});
