import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { type AnyActorRef, type AnyStateMachine, type InspectionEvent, StateMachine } from 'xstate';
import type { KubeClient } from '../../src/kube/client/client.ts';
import type { ApiFailure } from '../../src/kube/client/failure.ts';

import { startManager } from '../../src/process/manager.ts';
import { createWeederController } from '../../src/weeder/controller.ts';
import { machineFiles } from '../support/docs/sketch.ts';
import { backOff } from '../support/objects/objects.ts';
import { restartConfig } from '../support/objects/restartSettings.ts';
import { jobWorld } from '../support/world/jobWorld.ts';
import { configMap, observerWorld } from '../support/world/observerWorld.ts';
import { restartWorld, withEnv } from '../support/world/restartWorld.ts';
import { serviceConfig, simulate } from '../support/world/simulation.ts';
import { settled, virtualClock } from '../support/world/virtualClock.ts';

type Kind = 'actions' | 'actors' | 'guards' | 'delays';

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
        const implementation = textOfImplementation(logic, kind, stub);
        assert.ok(implementation !== undefined, `${kind} ${stub} of ${name} is missing`);
        assert.doesNotMatch(implementation, /function unprovided/, `${kind} ${stub} of ${name} is not provided`);
      }
    }
  }
});

test('an effect without an implementation would be detected', () => {
  for (const { name, machines } of machineFiles()) {
    const machine = machines[0] ?? assert.fail(`${name} gives no machine`);
    const stubs = stubsOf(machine, 'actions');
    assert.ok(stubs.length > 0);
    for (const stub of stubs)
      assert.match(String(textOfImplementation(machine, 'actions', stub)), /function unprovided/);
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

function textOfImplementation(machine: AnyStateMachine, kind: Kind, name: string): string | undefined {
  const implementation: unknown = machine.implementations[kind][name];
  if (implementation === undefined) return undefined;
  if (typeof implementation === 'function') return String(implementation);
  const { config } = implementation as { readonly config?: unknown };
  return implementation instanceof StateMachine ? 'a machine' : String(config);
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
      config: { services: new Map([['etcd-main-client', serviceConfig()]]), restart: undefined },
      client: unreachableClient(),
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
  const world = await restartWorld(undefined, { inspect });
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(1_000);
  world.control.stop();
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

/** A client of an API server that cannot be reached. */
function unreachableClient(): KubeClient {
  const failure: ApiFailure = { kind: 'network', message: 'the server does not respond' };
  return {
    server: 'https://127.0.0.1:1',
    call: async () => ({ ok: false, failure }),
    openStream: async () => ({ ok: false, failure }),
    renew: () => {},
    failureOf: () => failure,
    close: async () => {},
  };
}
