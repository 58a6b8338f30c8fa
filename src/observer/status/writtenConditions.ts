import { arrayOf, type JsonObject, numberOf, objectOf, textOf } from '../../base/json.ts';
import type { ConditionSaid, ConditionType } from './conditions.ts';

/** A condition as it stands in the status. */
export interface Condition extends ConditionSaid {
  readonly observedGeneration: number;
  /** RFC 3339 with whole seconds: when `status` became what it is. */
  readonly lastTransitionTime: string;
}

const longestMessage = 4_096;

/**
 * The conditions to be written: the time of one whose status is what it was is kept, whatever else it says. Conditions
 * that somebody else put there stay, behind ours.
 */
export function nextConditions(
  before: unknown,
  said: readonly ConditionSaid[],
  generation: number,
  now: number,
): readonly JsonObject[] {
  const there = arrayOf(before).map(objectOf);
  const ours = said.map((each): Condition => {
    const earlier = there.find(({ type }) => type === each.type);
    const isSame = earlier?.['status'] === each.status;
    const since = (isSame ? textOf(earlier['lastTransitionTime']) : undefined) ?? secondsOf(now);
    return {
      type: each.type,
      status: each.status,
      reason: each.reason,
      message: cut(each.message),
      observedGeneration: generation,
      lastTransitionTime: since,
    };
  });
  const foreign = there.filter(({ type }) => typeof type === 'string' && !conditionTypes.has(type));
  return [...ours.map((each): JsonObject => ({ ...each })), ...foreign];
}

const conditionTypes: ReadonlySet<string> = new Set<ConditionType>(['Applied', 'InSync', 'Degraded', 'Invalid']);

/** The condition of a type as it stands in a status; undefined: there is none that can be read. */
export function conditionOf(conditions: unknown, type: ConditionType): Condition | undefined {
  const found = arrayOf(conditions)
    .map(objectOf)
    .find((each) => each['type'] === type);
  const status = (['True', 'False', 'Unknown'] as const).find((each) => each === found?.['status']);
  if (found === undefined || status === undefined) return undefined;
  return {
    type,
    status,
    reason: textOf(found['reason']) ?? '',
    message: textOf(found['message']) ?? '',
    observedGeneration: numberOf(found['observedGeneration']) ?? 0,
    lastTransitionTime: textOf(found['lastTransitionTime']) ?? '',
  };
}

/** As the API server writes times. */
function secondsOf(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}

function cut(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage - 1)}…`;
}
