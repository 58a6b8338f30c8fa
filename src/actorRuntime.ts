import type { InspectionEvent } from 'xstate';
import type { Clock } from './clock.ts';

/** What every root actor is started with, so that one clock drives and one inspector sees all of them. */
export interface ActorRuntime {
  readonly clock: Clock;
  readonly inspect?: (event: InspectionEvent) => void;
}
