import assert from 'node:assert/strict';
import { distinctSelectors } from '../../../src/config/config.ts';
import { type LabelSelector, matchesSelector } from '../../../src/kube/objects/selector.ts';
import type { ChangeType } from '../../../src/kube/watch/metadataFastPath.ts';
import { dependsOn } from '../../../src/weeder/declared/declaration.ts';
import type { DeletionAnswer, DeletionAttempt } from '../../../src/weeder/deletions/deletePod.ts';
import { nextVersion, type PodOptions, pod } from '../objects/objects.ts';
import { configFor, minute, type Simulation, type SimulationOptions, simulate } from './simulation.ts';

export type Pod = ReturnType<typeof pod>;

/**
 * The weeder in simulated time against a consistent world: pods exist, streams deliver those that their selector
 * selects, deletions check their preconditions and really happen.
 */
export interface World extends Simulation {
  /** Creates or updates a pod; every stream delivers what its selector makes of the change. */
  put(options?: PodOptions): Pod;
  /** The pod is deleted from the cluster. */
  remove(name: string, namespace?: string): void;
  /** Changes the pod without delivering the change: the streams are late. */
  putUnseen(options?: PodOptions): Pod;
  /** The API server's own response. Deletes the pod if it accepts. */
  answerTo(request: DeletionAttempt): DeletionAnswer;
  pods(): Pod[];
  /** Every pod stream lists again. */
  relistPods(): void;
  /** The same, after this pod vanished unobserved. */
  relistWithout(name: string, namespace?: string): void;
  /** The EndpointSlice stream lists again; `between` delivers the content of the list. */
  relistSlices(between: () => void): void;
  /** `name@milliseconds` of every deletion that reached the API server. */
  timeline(): string[];
}

const keyOf = (namespace: string, name: string) => `${namespace}/${name}`;

/** `before` delivers the content of the streams before weeder starts. */
export function world(options: SimulationOptions = {}, before: (world: World) => void = () => {}): World {
  const pods = new Map<string, Pod>();
  const selectors = new Map<string, LabelSelector>(distinctSelectors(configFor(options)));
  selectors.set(dependsOn, { matchExpressions: [{ key: dependsOn, operator: 'Exists' }] });

  const delivered = new Map<string, Pod>();

  function extend(simulation: Simulation): World {
    const podSinks = () => [...simulation.weeder.pods, [dependsOn, simulation.weeder.declaredPods] as const];
    const selects = (text: string, each: Pod | undefined) =>
      each !== undefined && matchesSelector(selectors.get(text) ?? {}, each.metadata.labels);
    const deliver = (was: Pod | undefined, is: Pod | undefined) => {
      for (const [text, sink] of podSinks()) {
        const type = changeOf(selects(text, was), selects(text, is));
        if (type !== undefined) sink.apply(type, is ?? was);
      }
    };
    const note = (each: Pod) => {
      delivered.set(each.metadata.uid, each);
    };
    const removeVanished = () => {
      const existing = new Set([...pods.values()].map((each) => each.metadata.uid));
      for (const uid of [...delivered.keys()]) if (!existing.has(uid)) delivered.delete(uid);
    };
    const store = (each: Pod) => pods.set(keyOf(each.metadata.namespace, each.metadata.name), each);
    const made: World = Object.defineProperties({} as World, Object.getOwnPropertyDescriptors(simulation));
    return Object.assign(made, {
      put(podOptions: PodOptions) {
        const is = pod(podOptions);
        const { namespace, name, uid } = is.metadata;
        const was = pods.get(keyOf(namespace, name));
        if (was !== undefined && was.metadata.uid !== uid) made.remove(name, namespace);
        const before = delivered.get(uid);
        store(is);
        note(is);
        deliver(before, is);
        return is;
      },
      putUnseen(podOptions: PodOptions) {
        const is = pod(podOptions);
        store(is);
        return is;
      },
      remove(name: string, namespace = 'shoot-1') {
        const was = pods.get(keyOf(namespace, name));
        pods.delete(keyOf(namespace, name));
        const before = delivered.get(was?.metadata.uid ?? '');
        if (before === undefined) return;
        delivered.delete(before.metadata.uid);
        deliver({ ...before, metadata: { ...before.metadata, resourceVersion: nextVersion() } }, undefined);
      },
      answerTo({ uid, namespace, name, resourceVersion }: DeletionAttempt): DeletionAnswer {
        const found = pods.get(keyOf(namespace, name))?.metadata;
        if (found === undefined) return { type: 'delete.notFound' };
        if (found.uid !== uid || found.resourceVersion !== resourceVersion) return { type: 'delete.conflicted' };
        made.remove(name, namespace);
        return { type: 'delete.accepted' };
      },
      pods: () => [...pods.values()],
      relistPods() {
        for (const [, sink] of podSinks()) sink.begin();
        for (const each of [...pods.values()]) {
          note(each);
          deliver(undefined, each);
        }
        for (const [, sink] of podSinks()) sink.end();
        removeVanished();
      },
      relistWithout(name: string, namespace = 'shoot-1') {
        pods.delete(keyOf(namespace, name));
        made.relistPods();
      },
      relistSlices(between: () => void) {
        simulation.weeder.slices.begin();
        between();
        simulation.weeder.slices.end();
      },
      timeline: () => simulation.deletions.map(({ name, at }) => `${name}@${at}`),
    });
  }

  let current: World | undefined;
  const answer = (request: DeletionAttempt) =>
    options.answer?.(request) ?? current?.answerTo(request) ?? ({ type: 'delete.notFound' } as const);
  const simulation = simulate({ ...options, answer }, (early) => {
    current = extend(early);
    before(current);
  });
  current = current ?? extend(simulation);
  return current;
}

/** The type of the change that a stream delivers for a pod that its selector selected before, and selects now. */
function changeOf(was: boolean, is: boolean): ChangeType | undefined {
  if (is) return was ? 'MODIFIED' : 'ADDED';
  return was ? 'DELETED' : undefined;
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
