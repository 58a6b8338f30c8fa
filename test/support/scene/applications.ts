import type { JsonObject } from '@weeder/kube-runtime/base';
import type { VirtualClock } from '@weeder/kube-runtime/testing';
import { type ObserverWorld, type ObserverWorldOptions, observerWorld, refusal } from '../world/observerWorld.ts';

const second = 1_000;
const inSync = Array.from({ length: 34 }, (_, n) => `calm-${n + 1}`);

/** The ConfigMap that an Application of the scene holds, and that exists with another value before that of `detect`. */
export function configMap(name: string, a = '1'): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'shop' }, data: { a } };
}

/** The specs of 40 Applications by name: one with each kind of problem, and others that are in sync. */
export function applicationSpecs(pausedUntil: string): ReadonlyMap<string, JsonObject> {
  const specOf = (name: string): JsonObject => ({ manifests: [configMap(name)] });
  return new Map<string, JsonObject>([
    ...[...inSync, 'contested'].map((name) => [name, specOf(name)] as const),
    // The API server refuses the key.
    ['refused', { manifests: [{ ...configMap('refused'), data: { 'no key': '1' } }] }],
    ['invalid', { manifests: [configMap('invalid'), configMap('invalid')] }],
    ['account', { ...specOf('account'), serviceAccountName: 'gone' }],
    ['paused', { ...specOf('paused'), pausedUntil }],
    ['detect', { ...specOf('detect'), mode: 'detect' }],
  ]);
}

/** The observer of the scene, with its Applications applied. */
export async function createApplications(
  clock: VirtualClock,
  options: Required<Pick<ObserverWorldOptions, 'inspect' | 'onEvent'>>,
): Promise<ObserverWorld> {
  const world = await observerWorld({ clock, ...options });
  const no = refusal('permanent', 'No such key.');
  world.rejects = ({ data }) => (JSON.stringify(data).includes('"no key"') ? no : undefined);
  world.missingAccounts.add('shop/gone');
  world.put(configMap('detect', 'other'));
  for (const [name, spec] of applicationSpecs('2026-11-22T12:00:00Z')) world.apply(name, spec);
  await world.pass(30 * second);
  return world;
}

/** Another manager changes an object back after each correction. Takes a minute. */
export async function contest(world: ObserverWorld): Promise<void> {
  for (const a of ['2', '3', '4', '5', '6']) {
    world.edit('ConfigMap/contested', { data: { a } }, { manager: 'evil-bot' });
    await world.pass(12 * second);
  }
  world.edit('ConfigMap/contested', { data: { a: '7' } }, { manager: 'evil-bot' });
  await world.pass(second);
}
