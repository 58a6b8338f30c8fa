import { formatDuration, objectOf, textOf } from '@weeder/kube-runtime/base';
import type { ActorView } from '@weeder/live-page';
import { type AnyActorRef, type AnyMachineSnapshot, isMachineSnapshot } from 'xstate';
import { activeStates, timersOf } from '../actors/actorStates.ts';
import type { PageSource } from './pageSource.ts';
import type { Pause } from './pageWork.ts';

/** An actor of a machine, with its position in the tree. */
export interface Found {
  readonly id: string;
  readonly parent: string | undefined;
  readonly actor: AnyActorRef;
  readonly snapshot: AnyMachineSnapshot;
}

/** The id of the actor that deletes a pod: with the name of the pod, because users do not know its uid. */
export function podActorId({ namespace, name, uid }: Identified): string {
  return `${namespace}/${name}/${uid}`;
}

interface Identified {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** A root actor; undefined if it is not a machine. */
export function foundRoot(actor: AnyActorRef): Found | undefined {
  const snapshot: unknown = actor.getSnapshot();
  if (!isMachineSnapshot(snapshot)) return undefined;
  const context = objectOf(snapshot.context);
  const [namespace = '', name] = [textOf(context['namespace']), textOf(context['name'])];
  const id = name === undefined ? actor.id : podActorId({ namespace, name, uid: actor.id });
  return { id, parent: undefined, actor, snapshot };
}

/** The root actor with this id. */
export async function rootOf(actors: Iterable<AnyActorRef>, id: string, pause: Pause): Promise<Found | undefined> {
  for (const actor of actors) {
    const found = foundRoot(actor);
    if (found?.id === id) return found;
    await pause();
  }
  return undefined;
}

/** An actor anywhere in the tree; undefined if it is not a machine. */
export function foundAnywhere(actor: AnyActorRef): Found | undefined {
  if (actor._parent === undefined) return foundRoot(actor);
  const parent = foundAnywhere(actor._parent);
  const snapshot: unknown = actor.getSnapshot();
  if (parent === undefined || !isMachineSnapshot(snapshot)) return undefined;
  return { id: `${parent.id}/${actor.id}`, parent: parent.id, actor, snapshot };
}

/** An actor and its descendants, parents first, children by id. */
export function* descend(located: Found): Generator<Found> {
  yield located;
  const children: Found[] = [];
  for (const actor of Object.values<AnyActorRef | undefined>(located.snapshot.children)) {
    const snapshot: unknown = actor?.getSnapshot();
    if (actor === undefined || !isMachineSnapshot(snapshot)) continue;
    children.push({ id: `${located.id}/${actor.id}`, parent: located.id, actor, snapshot });
  }
  for (const child of children.sort(byId)) yield* descend(child);
}

/** The actor in the form of the page's protocol. */
export function viewOf(source: Pick<PageSource, 'since'>, located: Found): ActorView {
  const { id, parent, actor, snapshot } = located;
  return {
    id,
    machine: machineOf(located),
    parent,
    states: activeStates(snapshot.value),
    since: source.since(actor) ?? 0,
    waitsFor: waitsFor(located),
  };
}

export function machineOf({ snapshot }: Found): string {
  return snapshot.machine.id;
}

/** The running timers, and the active children. */
function waitsFor({ actor, snapshot }: Found): string[] {
  const timers = timersOf(actor).map(({ event, delay }) => {
    const name = /^xstate\.after\.([^.]+)\./.exec(event.type)?.[1];
    return `${name === undefined ? event.type : `after ${name}`} (${formatDuration(Math.round(delay))})`;
  });
  const children = Object.values<AnyActorRef | undefined>(snapshot.children)
    .filter((child) => child?.getSnapshot().status === 'active')
    .map((child) => child?.id ?? '');
  return [...timers, ...children];
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
