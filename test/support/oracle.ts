import assert from 'node:assert/strict';
import { type LabelSelector, matchesSelector } from '../../src/kube/selector.ts';
import { crashLooping } from '../../src/weeder/crashLooping.ts';
import type { DeletionRequest } from '../../src/weeder/deletePod.ts';
import type { Pod, World } from './world.ts';

/** A service as the oracle knows it: written down from what the test did, not from what weeder thinks. */
export interface ServiceModel {
  readonly name: string;
  readonly podSelectors: readonly LabelSelector[];
  readonly watchDuration: number;
  readonly whileNotReady: 'hold' | 'delete';
  isReady: boolean;
  /** When its newest window ends, by the clock that never jumps. */
  windowEnd: number;
}

/** Says of each deletion whether it may be. */
export interface Oracle {
  /** What was wrong with a deletion that began: an API server that throws is to weeder but one that refuses. */
  readonly violations: readonly string[];
  /** Readiness as the slices say it from now on: a recovery opens a window. */
  service(name: string, isReady: boolean, now: number): void;
  /** Judges whether this deletion may begin now. */
  begins(world: World, request: DeletionRequest): void;
  ends(request: DeletionRequest): void;
  /** The wall clock is about to be set: the time that has counted so far goes on to count. */
  clockIsSet(world: World): void;
  /** The pods that somebody wants deleted now. */
  wanted(world: World): Pod[];
}

export function oracle(services: readonly ServiceModel[]): Oracle {
  const inFlight = new Set<string>();
  const violations: string[] = [];
  /** When each stay began, in monotonic milliseconds, as far as the wall clock told before it was set. */
  const begun = new Map<string, number>();

  function isWanted(now: number, each: Pod): boolean {
    return services.some(
      (service) =>
        now < service.windowEnd &&
        (service.isReady || service.whileNotReady === 'delete') &&
        service.podSelectors.some((selector) => matchesSelector(selector, each.metadata.labels)),
    );
  }

  /** How long it has stayed terminated, by whichever clock tells more. */
  function ageOf(world: World, each: Pod): number {
    const since = world.stayedSince(each.metadata.uid);
    const finishedAt = crashLooping(each)?.finishedAt ?? Number.POSITIVE_INFINITY;
    const began = Math.min(since, begun.get(`${each.metadata.uid}@${since}`) ?? since);
    return Math.max(world.clock.now() - finishedAt, world.clock.monotonic() - began);
  }

  function isHeldBack(world: World, each: Pod): boolean {
    return crashLooping(each)?.cause !== 'silent' || ageOf(world, each) >= 2000;
  }

  function objectionTo(world: World, { uid, resourceVersion }: DeletionRequest): string | undefined {
    const now = world.clock.monotonic();
    const told = world.told.get(uid);
    if (told === undefined) return 'it is gone, and weeder was told';
    if (resourceVersion !== told.metadata.resourceVersion) return 'it has a newer state, and weeder was told';
    const found = crashLooping(told);
    if (found === undefined) return 'it is healthy';
    if (found.protection !== 'none') return 'it is protected';
    if (!isHeldBack(world, told)) return 'it may be restarted at once';
    return isWanted(now, told) ? undefined : 'no window wants it';
  }

  return {
    service(name, isReady, now) {
      const found = services.find((each) => each.name === name);
      assert.ok(found !== undefined);
      if (isReady && !found.isReady) found.windowEnd = now + found.watchDuration;
      found.isReady = isReady;
    },
    violations,
    begins(world, request) {
      if (inFlight.has(request.uid)) violations.push(`two attempts at once for ${request.name}`);
      inFlight.add(request.uid);
      const objection = objectionTo(world, request);
      if (objection !== undefined) violations.push(`${request.name} at ${world.clock.monotonic()}: ${objection}`);
    },
    clockIsSet(world) {
      for (const each of world.told.values()) {
        const { uid } = each.metadata;
        const age = ageOf(world, each);
        if (Number.isFinite(age)) begun.set(`${uid}@${world.stayedSince(uid)}`, world.clock.monotonic() - age);
      }
    },
    ends: ({ uid }) => void inFlight.delete(uid),
    wanted: (world) =>
      [...world.told.values()].filter(
        (each) => crashLooping(each)?.protection === 'none' && isWanted(world.clock.monotonic(), each),
      ),
  };
}
