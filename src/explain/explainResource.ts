import { isDeepStrictEqual } from 'node:util';
import { textOf } from '@weeder/kube-runtime/base';
import { foreignOwnerOf, needsApply } from '../observer/entries/comparison.ts';
import { memoryOf, type ResourceEntry } from '../observer/entries/entries.ts';
import { countObserved, type FieldReport } from '../observer/entries/fieldReports.ts';
import { foundOf } from '../observer/entries/live.ts';
import { isSecret } from '../observer/objects/confidential.ts';
import { identityText, type Json } from '../observer/objects/identity.ts';
import { ownershipConflict, ownershipOf } from '../observer/ownership/ownership.ts';
import { fieldMaskFor } from '../observer/schema/fieldMaskFor.ts';
import { readObserverSchema } from '../observer/schema/readObserverSchema.ts';
import { statusValue } from '../observer/spec/inventory.ts';
import type { ApplicationState } from '../observer/status/applicationState.ts';
import type { InspectedResource } from './inspectApplication.ts';

/** Longer values are cut; the API server has the full value. */
const longestValue = 2_000;

/**
 * Describes one resource, as lines of text. `verdict`: what the observer does about differences from the applied state.
 */
export function explainResource(seen: InspectedResource, verdict: string): string {
  const { identity } = seen.entry;
  const { type, isWrong } = stateIn(seen);
  const head = `${identityText(identity)}: ${type}${isWrong && verdict !== '' ? `  → ${verdict}` : ''}`;
  return [head, ...aboutIt(seen), ...ofBefore(seen), ...diff(seen)].join('\n');
}

/** The state of the resource. */
interface StateSeen {
  readonly type: string;
  readonly word: ApplicationState;
  /** The observer has something to do. */
  readonly isWrong: boolean;
}

function state(type: string, word: ApplicationState, isWrong = false): StateSeen {
  return { type, word, isWrong };
}

export function stateIn(seen: InspectedResource): StateSeen {
  const { entry, live, error } = seen;
  if (entry.desired.fieldError !== '')
    return state('not changed, because its manifest or its entry of the observer schema has errors', 'invalid');
  if (entry.desired.plan === undefined) return unplanned(entry);
  if (live === undefined && error === '') return absent(entry);
  if (foundOf(entry.live)?.isTerminating === true)
    return state('being deleted; weeder waits for the end of the deletion', 'pending');
  if (live !== undefined && foreignOwnerOf(entry) !== undefined) return state(claimed(seen), 'claimed');
  return error === '' ? compared(entry) : state(error, 'pending');
}

function unplanned({ desired: { manifest }, identity, actor }: ResourceEntry): StateSeen {
  const { state: is, reason } = memoryOf(actor);
  if (is === 'backingOff') return state(`not checked: ${reason.replace(/\.$/, '')}`, 'backingOff');
  return state(`the cluster does not serve ${manifest.apiVersion} ${identity.kind}`, 'typeMissing');
}

function absent(entry: ResourceEntry): StateSeen {
  return state(memoryOf(entry.actor).appliedHash === undefined ? 'not created yet' : 'missing', 'missing', true);
}

function compared(entry: ResourceEntry): StateSeen {
  const { application, live } = entry;
  if (needsApply(entry) && memoryOf(entry.actor).state === 'refused')
    return state('its manifest is not applied: it was refused, and is retried every five minutes', 'refused');
  if (needsApply(entry)) return state('its manifest is not applied yet', 'pending', true);
  if (live.drifts.length > 0) return state(`${counted(live.drifts.length, 'field')} not as desired`, 'drifted', true);
  return state(application.isDetectOnly ? 'as its manifest says' : 'as it was applied', 'observing');
}

function claimed({ entry, live }: InspectedResource): string {
  const { application, identity } = entry;
  const ownership = ownershipOf(live ?? {}, application.owner);
  const by = ownership.type === 'otherApplication' ? ownership.by : 'another one';
  const refused = ownershipConflict(by, application.owner, identity);
  return refused.ok ? '' : refused.failure.reason.replace(/\.$/, '');
}

function aboutIt({ entry, refusal, fields }: InspectedResource): string[] {
  const { application } = entry;
  const { plan } = entry.desired;
  const { baseline } = entry.live;
  const { appliedUid: uid, appliedHash, state } = memoryOf(entry.actor);
  if (plan === undefined) return [];
  const entryOfIt = fieldMaskFor(plan.manifest, readObserverSchema(application.newest.spec.schema));
  const isListed = entryOfIt.ok && entryOfIt.value.type !== 'leaf';
  const whole = `every field of its manifest${plan.mask.type === 'leaf' ? '' : ' except the replicas, which another client scales'}`;
  const how = isListed ? 'as its entry of the schema lists' : whole;
  const last = appliedHash === plan.hash ? 'this manifest' : 'another manifest';
  return [
    ...(fields.length === 0 || baseline === undefined
      ? []
      : [`  observed: ${counted(countObserved(baseline), 'field')}, ${how}`]),
    `  applied last: ${appliedHash === undefined ? 'nothing' : last}${uid === undefined ? '' : `, uid ${uid}`}; state in the status: ${statusValue(state)}`,
    ...(refusal === '' ? [] : [`  as ${plan.target.account ?? 'weeder itself'}: ${refusal}`]),
    ...(application.isDetectOnly ? ['  mode detect: nothing is applied'] : []),
  ];
}

/** Taken from the status: only the weeder process that has applied the earlier values knows them. */
function ofBefore({ before, entry }: InspectedResource): string[] {
  if (before.length === 0) return [];
  const lines = before.flatMap(({ path, type, desired, found }) =>
    isSecret(entry.identity)
      ? [`! ${path}: ${type}`]
      : [...(desired === undefined ? [] : [`- ${path}: ${desired}`]), `+ ${path}: ${found ?? 'absent'}`],
  );
  return ['  drifted before this check, according to the status:', ...lines.map((line) => `  ${line}`)];
}

/**
 * The desired and the live value, one field per line: `-` and `+` where they differ, `~` for a field that is not
 * observed.
 */
function diff({ entry, fields }: InspectedResource): string[] {
  const lines = isSecret(entry.identity) ? fields.map(hidden) : fields.flatMap(lineOf);
  return lines.map((line) => `  ${line}`);
}

function lineOf(field: FieldReport): string[] {
  const { path, type, desired, found } = field;
  if (type === 'same') return [`  ${path}: ${shown(desired)}`];
  if (type === 'unobserved') return [`~ ${path}: ${shown(desired)}${unless(desired, found)} (not observed)`];
  const minus = desired === undefined ? [] : [`- ${path}: ${shown(desired)}`];
  return [...minus, `+ ${path}: ${shown(found)}${type === 'duplicate' ? ' times' : ''}${by(field)}`];
}

function unless(desired: Json | undefined, found: Json | undefined): string {
  return isDeepStrictEqual(desired, found) ? '' : `, is ${shown(found)}`;
}

/** The values of a Secret are never printed. */
function hidden(field: FieldReport): string {
  const { path, type } = field;
  if (type === 'same') return `  ${path}`;
  return type === 'unobserved' ? `~ ${path} (not observed)` : `! ${path}: ${type}${by(field)}`;
}

function by({ conflictingManager }: FieldReport): string {
  return conflictingManager === undefined ? '' : `  (by ${conflictingManager})`;
}

function shown(value: Json | undefined): string {
  const text = textOf(JSON.stringify(value)) ?? 'absent';
  return text.length <= longestValue ? text : `${text.slice(0, longestValue)}… (${text.length} characters)`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
