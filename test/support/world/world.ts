import assert from 'node:assert/strict';
import type { KubeObject } from '@weeder/embedded-cluster';
import { virtualClock } from '@weeder/kube-runtime/testing';
import { dependsOn } from '../../../src/weeder/declared/declaration.ts';
import type { DeletionAnswer, DeletionAttempt } from '../../../src/weeder/deletions/deletePod.ts';
import type { Weeder } from '../../../src/weeder/weeder.ts';
import { type PodOptions, pod } from '../objects/objects.ts';
import { heldCluster, podStream } from './heldCluster.ts';
import { minute, type Simulation, type SimulationOptions, simulate } from './simulation.ts';

/** The weeder in simulated time, with its pods in a simulated cluster that deletes them; a test acts on the services. */
export interface World extends Simulation {
  /** Creates or updates a pod; every stream delivers what its selector makes of the change. */
  put(options?: PodOptions): KubeObject;
  /** The pod is deleted from the cluster. */
  remove(name: string, namespace?: string): void;
  /** Changes the pod without delivering the change: the streams are late, and list again with the next change. */
  putUnseen(options?: PodOptions): void;
  /** The API server's own response. */
  answerTo(request: DeletionAttempt): Promise<DeletionAnswer>;
  pods(): readonly KubeObject[];
  /** Every pod stream lists again. */
  relistPods(): void;
  /** The same, after this pod vanished unobserved. */
  relistWithout(name: string, namespace?: string): void;
  /** The EndpointSlice stream lists again; `between` delivers the content of the list. */
  relistSlices(between: () => void): void;
  /** `name@milliseconds` of every deletion that reached the API server. */
  timeline(): string[];
}

/** `before` delivers the content of the streams before weeder starts. */
export function world(options: SimulationOptions = {}, before: (world: World) => void = () => {}): World {
  const clock = options.clock ?? virtualClock(options.startTime);
  const cluster = heldCluster(clock);

  function extend(simulation: Simulation): World {
    const { weeder, deletions } = simulation;
    return Object.assign(simulation, {
      put(podOptions?: PodOptions) {
        const is = cluster.put('Pod', pod(podOptions));
        cluster.relist('Pod', 'held');
        return is;
      },
      putUnseen(podOptions?: PodOptions) {
        cluster.hold('Pod');
        cluster.put('Pod', pod(podOptions));
      },
      remove(name: string, namespace = 'shoot-1') {
        cluster.remove('Pod', namespace, name);
        cluster.relist('Pod', 'held');
      },
      answerTo: cluster.deletePod,
      pods: () => cluster.list('Pod'),
      relistPods: () => cluster.relist('Pod'),
      relistWithout(name: string, namespace = 'shoot-1') {
        cluster.hold('Pod');
        cluster.remove('Pod', namespace, name);
        cluster.relist('Pod');
      },
      relistSlices(between: () => void) {
        weeder.slices.begin();
        between();
        weeder.slices.end();
      },
      timeline: () => deletions.map(({ name, at }) => `${name}@${at}`),
    });
  }

  function follow(weeder: Weeder): void {
    const sinks = [...weeder.pods, [dependsOn, weeder.declaredPods] as const];
    cluster.follow(sinks.map(([selector, sink]) => podStream(selector, sink)));
  }

  const answer = options.answer ?? cluster.deletePod;
  return extend(simulate({ ...options, answer, clock }, (early) => before(extend(early)), follow));
}

/**
 * Advances past the end of every window, and asserts that nothing is left of any of them: no actor, no timer, no place
 * in the queue.
 */
export async function ends(at: World): Promise<void> {
  await at.clock.pass(20 * minute);
  const { windows, podDeletions, queued, inFlight } = at.weeder.counts();
  const left = { windows, podDeletions, queued, inFlight, timers: at.clock.pending };
  assert.deepEqual(left, { windows: 0, podDeletions: 0, queued: 0, inFlight: 0, timers: 0 });
  assert.deepEqual(at.eventsOf('actor.failed'), []);
}
