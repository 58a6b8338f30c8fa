import type { Clock } from '@weeder/kube-runtime/base';
import type { AnyActorRef, InspectionEvent } from 'xstate';

/** The options of every root actor, so that all of them share one clock and one inspector. */
export interface ActorRuntime {
  readonly clock: Clock;
  readonly inspect?: (event: InspectionEvent) => void;
}

/** An inspector always receives actors; XState's type for them is wider. */
export function isActor(inspected: object): inspected is AnyActorRef {
  return 'system' in inspected;
}
