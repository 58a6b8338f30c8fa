import { isDeepStrictEqual } from 'node:util';
import { objectOf, parseDuration } from '@weeder/kube-runtime/base';
import { mergePatch } from '@weeder/kube-runtime/objects';
import type { VirtualClock } from '@weeder/kube-runtime/testing';
import type { InspectionEvent } from 'xstate';
import type { RestMapping } from '../../../src/observer/plan/resourceApi.ts';
import { recordedObserverEventOf } from '../../../src/observer/recording/recordedObserverEvent.ts';
import { createObserverWorld, isReadOnly, type ObserverWorld, refusal } from '../world/observerWorld.ts';
import type { Replay } from './replayFile.ts';
import type { Expectation, ReplayStep } from './replayFormat.ts';
import type { ApplicationStep } from './replayObserverFormat.ts';

export interface ReplayObserverOptions {
  readonly replay: Replay;
  readonly clock: VirtualClock;
  readonly log: (sentence: string) => void;
  readonly inspect: (event: InspectionEvent) => void;
}

/** Undefined: the replay's config has no section `observer`. */
export function replayObserver({ replay, clock, log, inspect }: ReplayObserverOptions) {
  if (replay.resolved.observer === undefined) return undefined;
  const start = clock.now();
  const world = createObserverWorld({
    clock,
    inspect,
    isDryRun: replay.dryRun,
    maintenanceWindows: replay.resolved.observer.maintenanceWindows,
    onRequest({ what, key }) {
      if (!isReadOnly(what)) log(`${what.toUpperCase()} ${key}`);
    },
    onEvent(event) {
      const { out, about, detail } = recordedObserverEventOf(event);
      log(`${about} ${out.replace(/^.*\./, '')}${detail === '' ? '' : `: ${detail}`}`);
    },
  });
  return {
    happen(step: Omit<ReplayStep, 'at'>) {
      if (step.application) world.apply(step.application.name, specOf(step.application, start));
      if (step.applicationDeleted !== undefined) world.deleteApplication(step.applicationDeleted);
      if (step.edit) world.edit(step.edit.object, step.edit.patch);
      if (step.object) world.put(step.object);
      if (step.objectDeleted !== undefined) deleteObject(world, step.objectDeleted);
      if (step.namespaceEnds !== undefined) world.endNamespace();
      happenToApi(world, step);
    },
    start: world.start,
    stop: world.stop,
    pass: world.pass,
    /** Objects that are not as expected; a sentence each. */
    objectsOtherThan: (expected: Expectation['objects']) =>
      Object.entries(expected).flatMap(([name, part]) => {
        const object = world.object(name);
        const isMet = part === null ? object === undefined : object !== undefined && holds(object, part);
        return isMet ? [] : [`expected ${name} to be ${JSON.stringify(part)}, saw ${JSON.stringify(object ?? null)}`];
      }),
    /** Leftovers at the end, as text. */
    leftOver() {
      const { queued, inFlight } = world.core.work();
      return queued + inFlight === 0 ? [] : [`${queued + inFlight} requests`];
    },
  };
}

/** An object with finalizers exists until it is deleted once more. */
function deleteObject(world: ObserverWorld, name: string): void {
  const { finalizers, deletionTimestamp } = objectOf(world.object(name)?.['metadata']);
  if (finalizers === undefined || deletionTimestamp !== undefined) world.remove(name);
  else world.terminate(name);
}

function happenToApi(world: ObserverWorld, { refuse, kind, requests, watchEvents }: Omit<ReplayStep, 'at'>): void {
  if (refuse?.as !== undefined) world.refusals.set(refuse.what, refusal(refuse.as, `as ${refuse.as}`));
  else if (refuse) world.refusals.delete(refuse.what);
  if (kind?.isServed === false) world.stopServing(mappingOf(kind.kind));
  else if (kind) world.serve(mappingOf(kind.kind));
  if (requests !== undefined) world.requestTime = requests;
  if (watchEvents !== undefined) world.sendsEvents = watchEvents;
}

function mappingOf(kind: string): RestMapping {
  return { group: 'example.org', version: 'v1', kind, plural: `${kind.toLowerCase()}s`, isNamespaced: true };
}

function specOf({ name: _name, pausedUntil, ...spec }: ApplicationStep, start: number) {
  if (pausedUntil === undefined) return spec;
  const read = parseDuration(pausedUntil);
  return { ...spec, pausedUntil: read.ok ? new Date(start + read.value).toISOString() : pausedUntil };
}

/** Merged into the object, the part changes nothing: null stands for an absent field. */
function holds(object: Parameters<typeof mergePatch>[0], part: Parameters<typeof mergePatch>[1]): boolean {
  return isDeepStrictEqual(mergePatch(object, part), object);
}
