import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import { settled, unreachable, virtualClock } from '@weeder/kube-runtime/testing';
import { pino } from 'pino';
import { type AnyActorRef, type AnyStateMachine, assign, type InspectionEvent, StateMachine, setup } from 'xstate';
import { startManager } from '../../src/process/manager.ts';
import { createWeederController } from '../../src/weeder/weederController.ts';
import { machineFiles } from '../support/docs/sketch.ts';
import { receiverConfig } from '../support/notifications/notifying.ts';
import { backOff } from '../support/objects/objects.ts';
import { restartConfig } from '../support/objects/restartSettings.ts';
import { creationWorld } from '../support/world/creationWorld.ts';
import { jobWorld } from '../support/world/jobWorld.ts';
import { evicting, lateWorld } from '../support/world/lateWorld.ts';
import { configMap, observerWorld } from '../support/world/observerWorld.ts';
import { restartWorld, configMap as source, withEnv } from '../support/world/restartWorld.ts';
import { serviceConfig, simulate } from '../support/world/simulation.ts';

const kinds = ['actions', 'actors', 'guards', 'delays'] as const;
type Kind = (typeof kinds)[number];

test('every stub of every machine throws, and the program provides an implementation for it', async () => {
  const provided = await runningMachines();
  for (const { name, machines } of machineFiles()) {
    const machine = machines[0] ?? assert.fail(`${name} gives no machine`);
    const logic = provided.get(name);
    assert.ok(logic !== undefined, `${name} is not used by the product`);
    for (const kind of ['actions', 'actors'] as const) {
      for (const stub of stubsOf(machine, kind)) {
        assert.throws(() => callStub(machine, kind, stub), /without its implementation: use the one that src\//);
        assert.throws(() => callStub(machine, kind, stub), new RegExp(`The ${name} machine`));
        assert.ok(stub in logic.implementations[kind], `${kind} ${stub} of ${name} is missing`);
        assert.ok(!isThrowingStub(logic, kind, stub), `${kind} ${stub} of ${name} is not provided`);
      }
    }
  }
});

test('an implementation of the program replaces only a stub that throws', async () => {
  const provided = await runningMachines();
  const replaced = machineFiles().map(async ({ name, path }) => {
    const logic = provided.get(name) ?? assert.fail(`${name} is not used by the product`);
    return replacedBehaviour(await importedMachine(path), logic);
  });
  assert.deepEqual((await Promise.all(replaced)).flat(), []);
});

test('a replaced action, guard, delay or actor would be detected', () => {
  const inner = setup({}).createMachine({});
  const machine = setup({
    actors: { inner },
    actions: { recordIt: assign({}) },
    guards: { isIt: () => true },
    delays: { pause: 5 },
  }).createMachine({ id: 'one' });
  const other = machine.provide({
    actors: { inner: setup({}).createMachine({}) },
    actions: { recordIt: assign({}) },
    guards: { isIt: () => true },
    delays: { pause: 6 },
  });
  assert.deepEqual(replacedBehaviour(machine, machine), []);
  assert.deepEqual(replacedBehaviour(machine, other), ['one.recordIt', 'one.inner', 'one.isIt', 'one.pause']);
});

test('an effect without an implementation would be detected', () => {
  for (const { name, machines } of machineFiles()) {
    const machine = machines[0] ?? assert.fail(`${name} gives no machine`);
    const stubs = stubsOf(machine, 'actions');
    assert.ok(stubs.length > 0);
    for (const stub of stubs) assert.ok(isThrowingStub(machine, 'actions', stub));
  }
});

/** The actors, and the actions that are plain functions: a pure machine has them only as stubs. */
function stubsOf(machine: AnyStateMachine, kind: Kind): string[] {
  const isBuiltIn = (value: unknown) => typeof value === 'function' && 'type' in value;
  return Object.entries(machine.implementations[kind])
    .filter(([, value]) => !isBuiltIn(value))
    .map(([key]) => key);
}

function callStub(machine: AnyStateMachine, kind: Kind, name: string): void {
  functionOf(machine.implementations[kind][name])?.();
}

/** The function of an action, or of a callback actor. */
function functionOf(implementation: unknown): (() => void) | undefined {
  if (typeof implementation === 'function') return () => implementation();
  const { config } = implementation as { readonly config?: unknown };
  return typeof config === 'function' ? () => config() : undefined;
}

/** The names for which the program has another implementation, although the machine's own one does something. */
function replacedBehaviour(machine: AnyStateMachine, logic: AnyStateMachine): string[] {
  const { implementations } = machine;
  return kinds.flatMap((kind) =>
    Object.entries(logic.implementations[kind])
      .filter(([name, value]) => value !== implementations[kind][name] && !isThrowingStub(machine, kind, name))
      .map(([name]) => `${machine.id}.${name}`),
  );
}

function isThrowingStub(machine: AnyStateMachine, kind: Kind, name: string): boolean {
  const implementation: unknown = machine.implementations[kind][name];
  const stub = typeof implementation === 'function' ? implementation : objectOf(implementation)['config'];
  return /^function unprovided\b/.test(String(stub));
}

/** The machine that the program imports: another object than the one that Sketch evaluates. */
async function importedMachine(path: string): Promise<AnyStateMachine> {
  const module: Readonly<Record<string, unknown>> = await import(`../../${path}`);
  const machine = Object.values(module).find((each) => each instanceof StateMachine);
  return machine ?? assert.fail(`${path} exports no machine`);
}

/** Every machine that the program starts, as it starts it, by ID. */
async function runningMachines(): Promise<Map<string, AnyStateMachine>> {
  const machines = new Map<string, AnyStateMachine>();
  const inspect = (event: InspectionEvent) => {
    if (event.type !== '@xstate.actor') return;
    const { logic } = event.actorRef as AnyActorRef & { readonly logic: unknown };
    if (logic instanceof StateMachine) machines.set(logic.id, logic);
  };
  const clock = virtualClock();
  const times = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 };
  for (const elections of [{}, { election: { namespace: 'a', name: 'b', identity: 'me', ...times } }]) {
    const controller = startManager({
      config: {
        services: new Map([['etcd-main-client', serviceConfig()]]),
        restart: undefined,
        notifications: { ops: receiverConfig() },
      },
      client: unreachable,
      clock,
      logger: pino({ level: 'silent' }),
      namespaces: 'all',
      create: (context) => ({ weeder: createWeederController({ ...context, concurrentDeletions: 1 }) }),
      isDryRun: true,
      inspect,
      ...elections,
    });
    await settled();
    controller.shutdown();
    await controller.stopped;
  }
  const simulation = simulate({ inspect });
  simulation.pod({ containers: [backOff()] });
  simulation.slice({ ready: [true] });
  await settled();
  simulation.weeder.stop();
  const creations = creationWorld({ inspect });
  creations.refuse('web');
  creations.service(true);
  await settled();
  creations.weeder.stop();
  const world = await restartWorld(undefined, { inspect });
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(1_000);
  world.control.stop();
  const late = await lateWorld(evicting, { inspect });
  late.putWorkload('web', withEnv('settings', 'a'));
  await late.pass(1_000);
  late.putSource(source('settings'), { a: '1' });
  await late.pass(1_000);
  late.stop();
  const jobs = await jobWorld(restartConfig({ rule: { jobs: 'recreate' } }), { inspect });
  jobs.putSource({ a: '1' });
  jobs.putJob('once');
  await jobs.pass(10_000);
  jobs.putSource({ a: '2' });
  await jobs.pass(10_000);
  jobs.stop();
  const applications = await observerWorld({ inspect });
  applications.apply('web', { manifests: [configMap('one')] });
  await applications.pass(1_000);
  applications.stop();
  return machines;
}
