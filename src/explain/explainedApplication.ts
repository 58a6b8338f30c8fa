import { printable } from '../base/printable.ts';
import type { FieldReport } from '../observer/entries/fieldReports.ts';
import { isSecret } from '../observer/objects/confidential.ts';
import { type Identity, identityText } from '../observer/objects/identity.ts';
import type { ApplicationSpec } from '../observer/spec/application.ts';
import { settingsSentence } from '../observer/spec/settingsSentence.ts';
import type { DesiredCondition } from '../observer/status/condition.ts';

/** The answer about one Application. */
export interface ExplainedApplication extends Pick<ApplicationSpec, 'mode' | 'deletionPolicy'> {
  readonly namespace: string;
  readonly name: string;
  /** In words. */
  readonly state: string;
  /** A duration: `30s`. */
  readonly resyncPeriod: string;
  /** Undefined: weeder uses its own permissions. */
  readonly account: string | undefined;
  /** RFC 3339; undefined: it is not paused. */
  readonly pausedUntil: string | undefined;
  readonly conditions: readonly Pick<DesiredCondition, 'type' | 'status' | 'reason' | 'message'>[];
  readonly errors: readonly ExplainedProblem[];
  readonly warnings: readonly ExplainedProblem[];
  /** Why its resources cannot be read; undefined if they can. */
  readonly unreadable: string | undefined;
  /** What the user can do. */
  readonly advice: readonly string[];
  /** In the order of the manifests, and then those that are no longer among them. */
  readonly resources: readonly ExplainedResource[];
}

interface ExplainedProblem {
  readonly path: string;
  /** A clause that follows the path. */
  readonly message: string;
}

export interface ExplainedResource extends Identity {
  /** Its state, in words. */
  readonly answer: string;
  /** What weeder does about differences; undefined if there is nothing to do. */
  readonly verdict: string | undefined;
  /** How it is observed, and what was applied last. */
  readonly details: readonly string[];
  /** The differences before this check, according to the status. */
  readonly before: readonly ExplainedField[];
  readonly fields: readonly ExplainedField[];
}

/** A field with its values as JSON. Those of a Secret are left out. */
export interface ExplainedField extends Pick<FieldReport, 'path' | 'type'> {
  /** Undefined: absent. */
  readonly desired: string | undefined;
  /** Undefined: absent. */
  readonly found: string | undefined;
  readonly conflictingManager: string | undefined;
}

/** The answer as texts of several lines: that of the application, and one for each resource. */
export function applicationTexts(explained: ExplainedApplication): string[] {
  return [applicationLines(explained), ...explained.resources.map(resourceLines)].map((lines) =>
    lines.map(printable).join('\n  '),
  );
}

function applicationLines(explained: ExplainedApplication): string[] {
  const { namespace, name, state, pausedUntil, unreadable } = explained;
  return [
    `Application ${namespace}/${name}: ${state}, ${settingsSentence(explained)}`,
    ...explained.conditions.map(({ type, status, reason, message }) => `${type}: ${status}, ${reason}. ${message}`),
    ...(pausedUntil === undefined ? [] : [`paused until ${pausedUntil}; it resumes then`]),
    ...explained.errors.map(({ path, message }) => `error in ${path}: ${message.replace(/\.$/, '')}`),
    ...explained.warnings.map(({ path, message }) => `warning, ${path}: ${message}`),
    ...(unreadable === undefined ? [] : [`its resources cannot be read: ${unreadable}`]),
    ...explained.advice.map((each) => `→ ${each}`),
  ];
}

function resourceLines(explained: ExplainedResource): string[] {
  const { answer, verdict, details, before, fields } = explained;
  const linesOf = isSecret(explained) ? hidden : fieldLines;
  return [
    `${identityText(explained)}: ${answer}${verdict === undefined ? '' : `  → ${verdict}`}`,
    ...details,
    ...(before.length === 0 ? [] : ['drifted before this check, according to the status:']),
    ...before.flatMap(linesOf),
    ...fields.flatMap(linesOf),
  ];
}

/** `-` and `+` where the desired and the live value differ, `~` for a field that is not observed. */
function fieldLines(field: ExplainedField): string[] {
  const { path, type, desired, found } = field;
  if (type === 'same') return [`  ${path}: ${shown(desired)}`];
  if (type === 'unobserved') {
    const unless = desired === found ? '' : `, is ${shown(found)}`;
    return [`~ ${path}: ${shown(desired)}${unless} (not observed)`];
  }
  const minus = desired === undefined ? [] : [`- ${path}: ${shown(desired)}`];
  return [...minus, `+ ${path}: ${shown(found)}${type === 'duplicate' ? ' times' : ''}${by(field)}`];
}

/** The line of a field of a Secret. */
function hidden(field: ExplainedField): string[] {
  const { path, type } = field;
  if (type === 'same') return [`  ${path}`];
  return [type === 'unobserved' ? `~ ${path} (not observed)` : `! ${path}: ${type}${by(field)}`];
}

function by({ conflictingManager }: ExplainedField): string {
  return conflictingManager === undefined ? '' : `  (by ${conflictingManager})`;
}

/** Longer values are cut; the API server has the full value. */
const longestValue = 2_000;

function shown(value = 'absent'): string {
  return value.length <= longestValue ? value : `${value.slice(0, longestValue)}… (${value.length} characters)`;
}
