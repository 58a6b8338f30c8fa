import type { VirtualClock } from '@weeder/kube-runtime/testing';
import {
  configMap,
  type ObserverWorld,
  type ObserverWorldOptions,
  observerWorld,
  refusal,
} from '../world/observerWorld.ts';

const second = 1_000;

/** An Application with each kind of problem, and others that are in sync: 40 of them. */
export const troubled = ['account', 'contested', 'detect', 'invalid', 'paused', 'refused'] as const;
const inSync = Array.from({ length: 40 - troubled.length }, (_, n) => `calm-${n + 1}`);

/** The observer of the scene, with its Applications applied. */
export async function createApplications(
  clock: VirtualClock,
  options: Required<Pick<ObserverWorldOptions, 'inspect' | 'onEvent'>>,
): Promise<ObserverWorld> {
  const world = await observerWorld({ clock, ...options });
  const no = refusal('permanent', 'No such key.');
  world.rejects = ({ metadata }) => (JSON.stringify(metadata).includes('"refused"') ? no : undefined);
  world.missingAccounts.add('shop/gone');
  for (const name of [...inSync, 'contested']) world.apply(name, { manifests: [configMap(name)] });
  world.apply('refused', { manifests: [configMap('refused')] });
  world.apply('invalid', { manifests: [configMap('invalid'), configMap('invalid')] });
  world.apply('account', { manifests: [configMap('account')], serviceAccountName: 'gone' });
  world.apply('paused', { manifests: [configMap('paused')], pausedUntil: '2026-11-22T12:00:00Z' });
  world.put({ ...configMap('detect', 'other'), metadata: { name: 'detect', namespace: 'shop' } });
  world.apply('detect', { manifests: [configMap('detect')], mode: 'detect' });
  await world.pass(30 * second);
  return world;
}

/** Another manager changes an object back after each correction. Takes a minute. */
export async function contest(world: ObserverWorld): Promise<void> {
  for (const value of ['b', 'c', 'd', 'e', 'f']) {
    world.edit('ConfigMap/contested', { data: { key: value } }, { manager: 'evil-bot' });
    await world.pass(12 * second);
  }
  world.edit('ConfigMap/contested', { data: { key: 'g' } }, { manager: 'evil-bot' });
  await world.pass(second);
}
