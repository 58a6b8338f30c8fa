/**
 * What remains of a removal after an attempt, and what it holds up. An object that still exists holds up all later stages,
 * because the workload that removes its finalizers may be in them. A custom resource does so for 15 minutes, or for a
 * minute if its deletion fails: after that, only its definition, its namespace and the permissions wait for it.
 */

import type { Clock } from '@weeder/kube-runtime/base';
import type { PendingRemoval } from '../entries/entries.ts';
import { deletionStages, isOfControllers } from './order.ts';

/** An object that terminates for longer is reported. Milliseconds. */
const usualEnd = 60_000;
/** Milliseconds. */
const longestHold = 15 * 60_000;
const minute = 60_000;

interface Remaining {
  /** Undefined: nothing remains. */
  readonly kept: PendingRemoval | undefined;
  /** The last stage that may be deleted beside it. */
  readonly lastStage: number;
}

/** `left`: what the attempt has left; `isHolding`: there are removals of later stages. */
export function remainingOf(
  clock: Clock,
  before: PendingRemoval,
  left: PendingRemoval | undefined,
  stage: number,
  isHolding: boolean,
): Remaining {
  if (left === undefined) return { kept: undefined, lastStage: Number.POSITIVE_INFINITY };
  const now = clock.monotonic();
  const isEnding = left.state === 'terminating';
  const since = isEnding && before.state !== 'terminating' ? now : (before.since ?? now);
  const isDelayed = isEnding && now - since >= usualEnd;
  const hold = isEnding ? longestHold : usualEnd;
  const lastStage = isOfControllers(stage) && now - since >= hold ? deletionStages.ordinary : stage;
  const isNamed = isOfControllers(stage) && isHolding && left.reason !== '';
  const effect =
    lastStage === stage ? `holds up other deletions until ${inMinutes(clock.now() + since + hold - now)}` : held;
  return {
    kept: { ...left, reason: isNamed ? `${left.reason.replace(/\.$/, '')}; ${effect}` : left.reason, since, isDelayed },
    lastStage,
  };
}

const held = 'holds up only the deletion of definitions, namespaces and permissions';

/** In whole minutes, so that each attempt has the same text. */
function inMinutes(time: number): string {
  return new Date(Math.ceil(time / minute) * minute).toISOString().replace(':00.000Z', 'Z');
}
