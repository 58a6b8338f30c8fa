import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type EventFromLogic,
  type ExecutableActionObject,
  type InputFrom,
  initialTransition,
  transition,
} from 'xstate';
import { z } from 'zod';

/** An event that XState sends to a machine itself: a timer fired, an actor ended or failed. */
export interface InternalEvent {
  readonly type: `xstate.${string}`;
  readonly actorId?: string;
  readonly error?: Error;
  readonly output?: unknown;
}

/** What a machine decided, as text: nothing was executed. */
export interface Decision {
  /** The innermost active states, without the machine's own name, such as `ready.windowOpen`. */
  readonly state: string;
  /**
   * Actions by name, and XState's own as `spawn child 120000` (its watchDuration, if it has one), `stop child`, `send
   * child event`, `wait 200`.
   */
  readonly effects: readonly string[];
  readonly snapshot: AnyMachineSnapshot;
}

/** Returns the decision after the last of these events; the earlier ones only lead there. */
export function decide<Machine extends AnyStateMachine>(
  machine: Machine,
  input: InputFrom<Machine> | undefined,
  events: readonly (EventFromLogic<Machine> | InternalEvent)[],
): Decision {
  const any: AnyStateMachine = machine;
  let [snapshot, actions]: [AnyMachineSnapshot, ExecutableActionObject[]] = initialTransition(any, input);
  for (const event of events) [snapshot, actions] = transition(any, snapshot, event);
  return { state: leavesOf(snapshot), effects: effectsOf(actions), snapshot };
}

/** Describes what XState would execute. */
export function effectsOf(actions: readonly ExecutableActionObject[]): string[] {
  return withoutCancelled(actions).flatMap(textsOf);
}

/** The innermost active states, without the machine's own name. */
export function leavesOf(snapshot: AnyMachineSnapshot): string {
  const leaves = snapshot._nodes.filter((node) => node.type === 'atomic' || node.type === 'final');
  return leaves
    .sort((a, b) => a.order - b.order)
    .map((node) => node.path.join('.'))
    .join(' + ');
}

/** Drops a timer that is started and cancelled in the same step. */
function withoutCancelled(actions: readonly ExecutableActionObject[]): ExecutableActionObject[] {
  return actions.filter(({ type, params }, index) => {
    if (type !== 'xstate.raise') return true;
    const { id } = Parameters.parse(params);
    const isCancel = (later: ExecutableActionObject) =>
      later.type === 'xstate.cancel' && Parameters.parse(later.params).sendId === id;
    return !actions.slice(index + 1).some(isCancel);
  });
}

/** The parameters of XState's own actions. */
const Parameters = z
  .object({
    id: z.string(),
    sendId: z.string(),
    delay: z.number(),
    targetId: z.string(),
    event: z.object({ type: z.string() }),
    input: z.object({ watchDuration: z.number().optional() }),
  })
  .partial();

function textsOf({ type, params }: ExecutableActionObject): string[] {
  const { id, delay, targetId, event, input } = Parameters.parse(params ?? {});
  switch (type) {
    case 'xstate.spawnChild':
      return [input?.watchDuration === undefined ? `spawn ${id}` : `spawn ${id} ${input.watchDuration}`];
    case 'xstate.stopChild':
      return [`stop ${id}`];
    case 'xstate.sendTo':
      return [`send ${targetId} ${event?.type}`];
    case 'xstate.raise':
      return delay === undefined ? [] : [`wait ${delay}`];
    case 'xstate.cancel':
      return [];
    default:
      return [type];
  }
}
