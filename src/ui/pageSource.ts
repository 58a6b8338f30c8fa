import type { KubeClient } from '@weeder/kube-runtime/client';
import type { StreamStatus } from '@weeder/kube-runtime/watch';
import type { LeadershipView } from '@weeder/live-page';
import type { AnyActorRef } from 'xstate';
import type { ControllerName, ProcessControllers, ShownOf } from '../controllers/controllers.ts';
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
  /** Whether the process has this controller, if the config turns it on: a demo has only those that it shows. */
  has?(of: ControllerName): boolean;
  /** Whether pods are being deleted; of a running weeder. */
  hasUrgentWork?(): boolean;
  /** Of a running weeder: what it reads. */
  readonly cluster?: { readonly client: KubeClient; readonly namespaces: 'all' | readonly string[] };
  /** Of a running weeder. */
  streams?(): readonly StreamStatus[];
}

export function pageSourceOf(manager: Manager<ProcessControllers>): PageSource {
  const { actors, since, leadership, controllers, streams, hasUrgentWork, client, namespaces } = manager;
  const has = (of: ControllerName) => controllers[of] !== undefined;
  return {
    actors,
    since,
    leadership,
    streams,
    hasUrgentWork,
    cluster: { client, namespaces },
    has,
    shown: (of) => controllers[of]?.shown(),
  };
}
