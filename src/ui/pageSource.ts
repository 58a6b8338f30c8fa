import type { AnyActorRef } from 'xstate';
import type { ApplicationEntry } from '../observer/state/entries.ts';
import type { ProcessControllers } from '../process/controllers.ts';
import type { Manager } from '../process/manager.ts';
import type { WorkloadEntry } from '../restart/effects/workloadEntry.ts';
import type { ServiceDependants } from '../weeder/dependants.ts';
import type { ServiceStatus } from '../weeder/services/serviceStatus.ts';
import type { LeadershipView } from './protocol.ts';

/** The source of the page: a running weeder, or a replay. */
export interface PageSource {
  /** The root actors. */
  actors(): Iterable<AnyActorRef>;
  /** Since when an actor has been in its state; epoch milliseconds. */
  since(actor: AnyActorRef): number | undefined;
  /** Undefined without leader election. */
  leadership?(): LeadershipView | undefined;
  /** How many dependants of a service crash-loop now. */
  crashLooping(namespace: string, service: string): number;
  /** The readiness of every watched service. */
  services(): Iterable<ServiceStatus>;
  /** The watched services with their dependants. */
  dependencies?(): Iterable<ServiceDependants>;
  /** The workloads that restart control manages. */
  workloads?(): Iterable<WorkloadEntry>;
  /** The Applications that the application observer manages. */
  applications?(): Iterable<ApplicationEntry>;
}

export function pageSourceOf({ actors, since, leadership, controllers }: Manager<ProcessControllers>): PageSource {
  const { weeder, restarts, observer } = controllers;
  return {
    actors,
    since,
    leadership,
    crashLooping: weeder.crashLooping,
    dependencies: weeder.dependencies,
    services: weeder.services,
    workloads: () => restarts?.control()?.entries() ?? [],
    applications: () => observer?.core()?.entries() ?? [],
  };
}
