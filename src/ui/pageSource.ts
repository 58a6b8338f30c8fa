import type { LeadershipView } from '@weeder/live-page';
import type { AnyActorRef } from 'xstate';
import type { ProcessControllers, ShownOf } from '../controllers/controllers.ts';
import type { Manager } from '../process/manager.ts';

/** The source of the page: a running weeder, or a replay. */
export interface PageSource {
  /** The root actors. */
  actors(): Iterable<AnyActorRef>;
  /** Since when an actor has been in its state; epoch milliseconds. */
  since(actor: AnyActorRef): number | undefined;
  /** Undefined without leader election. */
  leadership?(): LeadershipView | undefined;
  readonly shown: ShownOf;
}

export function pageSourceOf({ actors, since, leadership, controllers }: Manager<ProcessControllers>): PageSource {
  return { actors, since, leadership, shown: (of) => controllers[of]?.shown() };
}
