import type { StreamStatus } from '@weeder/kube-runtime/watch';
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
  /** Of a running weeder. */
  streams?(): readonly StreamStatus[];
}

export function pageSourceOf(manager: Manager<ProcessControllers>): PageSource {
  const { actors, since, leadership, controllers, streams } = manager;
  return { actors, since, leadership, streams, shown: (of) => controllers[of]?.shown() };
}
