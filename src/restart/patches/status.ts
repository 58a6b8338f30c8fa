import { textOf } from '@weeder/kube-runtime/base';
import { type Actor, type AnyActorRef, isMachineSnapshot, type StateValue } from 'xstate';
import type { workload } from '../../../machines/restart/workload.ts';

/** The actor of a workload: what it does is read from its snapshot, and stored nowhere else. */
export interface WithActor {
  readonly actor: Actor<typeof workload>;
}

/** What a workload does now, in the words of the machine that decides it. */
interface WorkloadStatus {
  /** The innermost state: `rolling` while a rollout is under way, otherwise that of the `workload` machine. */
  readonly state: string;
  /** Why it is in this state; `reason` is for humans. `reading`: a list is still being read. */
  readonly cause: string;
  readonly reason: string;
  /** The actor of that machine. */
  readonly actor: AnyActorRef;
}

/** While a workload is restarting, its `rollout` child has the state. */
export function statusOf({ actor }: WithActor): WorkloadStatus {
  const { value, context, children } = actor.getSnapshot();
  const rollout = children['rollout'];
  const within: unknown = rollout?.getSnapshot();
  const isRestarting = rollout !== undefined && isMachineSnapshot(within);
  if (!isRestarting) return { state: leafOf(value), cause: context.cause, reason: context.reason, actor };
  const { cause, reason } = within.context;
  return { state: leafOf(within.value), cause: textOf(cause) ?? '', reason: textOf(reason) ?? '', actor: rollout };
}

/** Whether the restart of a `rollout` actor was accepted, also after the actor was stopped. */
export function hasRestarted(rollout: AnyActorRef): boolean {
  const snapshot: unknown = rollout.getSnapshot();
  return isMachineSnapshot(snapshot) && snapshot.context['hasRestarted'] === true;
}

export function stateOf(entry: WithActor): string {
  return statusOf(entry).state;
}

function leafOf(value: StateValue | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : leafOf(Object.values(value)[0]);
}
