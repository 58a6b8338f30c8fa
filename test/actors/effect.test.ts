import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AnyEventObject, createActor, type NonReducibleUnknown, setup } from 'xstate';
import { type Defer, effectLogic } from '../../src/actors/effect.ts';

type Outcome = AnyEventObject | (() => AnyEventObject);

/** An actor that runs one effect in its first state, and the events that it received and the deferred work, in order. */
function running(run: (signal: AbortSignal, defer: Defer) => Promise<Outcome> | undefined) {
  const log: unknown[] = [];
  const inFlight = new Set<Promise<unknown>>();
  const options = { failure: 'refused', random: () => 0.5, actorOf: () => 'one', inFlight: () => inFlight };
  const effect = effectLogic<NonReducibleUnknown>(options, (_input, signal, defer) => run(signal, defer));
  const machine = setup({
    actors: { effect },
    actions: { note: ({ event }) => log.push(event) },
  }).createMachine({
    initial: 'busy',
    states: { busy: { invoke: { src: 'effect' }, on: { leave: 'idle' } }, idle: {} },
    on: { '*': { actions: 'note' } },
  });
  const actor = createActor(machine);
  actor.start();
  return { actor, log, inFlight };
}

test('the machine receives one event, then the deferred work is done, and a shutdown waits for both', async () => {
  const { log, inFlight } = running(async (_signal, defer) => {
    defer(() => log.push('deferred'));
    return { type: 'done', value: 1 };
  });
  assert.equal(inFlight.size, 1);
  await Promise.all(inFlight);
  assert.deepEqual(log, [{ type: 'done', value: 1, jitter: 0.5 }, 'deferred']);
  assert.equal(inFlight.size, 0);
});

test('a function is called immediately before the machine receives its event', async () => {
  const { log, inFlight } = running(async () => () => {
    void Promise.resolve().then(() => log.push('later'));
    return { type: 'done' };
  });
  await Promise.all(inFlight);
  assert.deepEqual(log, [{ type: 'done', jitter: 0.5 }, 'later']);
});

test('an effect that throws refuses, with the message', async () => {
  const { log, inFlight } = running(async () => {
    throw new Error('a bug');
  });
  await Promise.all(inFlight);
  assert.deepEqual(log, [{ type: 'refused', reason: 'a bug', jitter: 0.5 }]);
});

test('a machine that leaves the state aborts the effect, and does not receive its event', async () => {
  let signal: AbortSignal | undefined;
  const done = Promise.withResolvers<AnyEventObject>();
  const { actor, log, inFlight } = running((given) => {
    signal = given;
    return done.promise;
  });
  assert.equal(signal?.aborted, false);
  actor.send({ type: 'leave' });
  assert.equal(signal?.aborted, true);
  done.resolve({ type: 'done' });
  await Promise.all(inFlight);
  assert.deepEqual(log, []);
});

test('an effect with nothing to do sends no event', () => {
  const { log, inFlight } = running(() => undefined);
  assert.deepEqual([log, inFlight.size], [[], 0]);
});
