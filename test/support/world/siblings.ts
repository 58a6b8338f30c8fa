import { backOff, type PodOptions, running } from '../objects/objects.ts';
import type { SimulationOptions } from './simulation.ts';
import { type World, world } from './world.ts';

/** Pods declare the service `db` of the namespace `shoot-1`, which has sibling evidence. */
export const siblingSettings = {
  services: new Set(['shoot-1/db']),
  siblingEvidence: { readyFor: 10_000, windowsPerHour: 6 },
  onStart: 'never',
} as const;

export function siblingWorld(options: SimulationOptions = {}, before?: (at: World) => void): World {
  return world({ services: [], ...options, declared: { ...siblingSettings, ...options.declared } }, before);
}

/** A pod of the workload that its name begins with: `web-1` is of `web`. It declares the service `db`. */
export function dependant(name: string, options: PodOptions = {}): PodOptions {
  const [workload = ''] = name.split('-');
  const { namespace = 'shoot-1' } = options;
  return {
    name,
    owner: { kind: 'StatefulSet', uid: `${namespace}-${workload}`, name: workload },
    labels: { 'weeder.dev/depends-on': namespace === 'shoot-1' ? 'db' : 'db.shoot-1' },
    containers: [backOff()],
    ...options,
  };
}

/** The same after it has been started again. */
export function ready(name: string, options: PodOptions = {}): PodOptions {
  return dependant(name, { containers: [running(4)], conditions: { Ready: 'True' }, ...options });
}

export function notReady(name: string, options: PodOptions = {}): PodOptions {
  return ready(name, { conditions: { Ready: 'False' }, ...options });
}
