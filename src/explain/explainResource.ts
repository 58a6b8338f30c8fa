import { isDeepStrictEqual } from 'node:util';
import { textOf } from '../base/json.ts';
import { isSecret } from '../observer/model/confidential.ts';
import { identityText, type Json } from '../observer/model/identity.ts';
import { claimedBy, ownershipOf } from '../observer/ownership/ownership.ts';
import { readObserverSchema } from '../observer/schema/read.ts';
import { shapeFor } from '../observer/schema/shapeFor.ts';
import { foundOf, type ResourceEntry } from '../observer/state/entries.ts';
import { countObserved, type SeenField } from '../observer/state/fieldsSeen.ts';
import { claimantOf, needsApply } from '../observer/state/hear.ts';
import type { SeenResource } from './lookAtApplication.ts';

/** Of a value; the rest of it is with the API server. */
const longestValue = 2_000;

/** What there is to say of one resource, as lines of text. `verdict`: what becomes of what is not as it was applied. */
export function explainResource(seen: SeenResource, verdict: string): string {
  const { identity } = seen.entry;
  const { is, isWrong } = standing(seen);
  const head = `${identityText(identity)}: ${is}${isWrong && verdict !== '' ? `  → ${verdict}` : ''}`;
  return [head, ...aboutIt(seen), ...ofBefore(seen), ...diff(seen)].join('\n');
}

/** How it is, and whether the observer has something to do. */
function standing(seen: SeenResource): { readonly is: string; readonly isWrong: boolean } {
  const { entry, live, trouble } = seen;
  const { plan, fault, drifts, application } = entry;
  const is = (text: string, isWrong = false) => ({ is: text, isWrong });
  if (fault !== '') return is('left as it is, for its manifest or its entry of the observer schema has faults');
  if (plan === undefined) return is(unplanned(entry));
  if (live === undefined && trouble !== '') return is(trouble);
  if (live === undefined) return is(entry.appliedHash === undefined ? 'not there yet' : 'missing', true);
  if (foundOf(entry)?.isEnding === true) return is('being deleted, and its end is waited for');
  if (claimantOf(entry) !== undefined) return is(claimed(seen));
  if (trouble !== '') return is(trouble);
  if (needsApply(entry) && entry.state === 'refused')
    return is('its manifest is not applied: it was refused, and is tried again every five minutes');
  if (needsApply(entry)) return is('its manifest is not applied yet', true);
  if (drifts.length > 0) return is(`${counted(drifts.length, 'field')} not as wanted`, true);
  return is(application.isDetectOnly ? 'as its manifest says' : 'as it was applied');
}

function unplanned({ state, reason, manifest, identity }: ResourceEntry): string {
  if (state === 'backingOff') return `not looked at: ${reason.replace(/\.$/, '')}`;
  return `the cluster does not know ${manifest.apiVersion} ${identity.kind}`;
}

function claimed({ entry, live }: SeenResource): string {
  const { application, identity } = entry;
  const ownership = ownershipOf(live ?? {}, application.owner);
  const by = ownership.is === 'anothers' ? ownership.by : 'another one';
  const refused = claimedBy(by, application.owner, identity);
  return refused.ok ? '' : refused.failure.reason.replace(/\.$/, '');
}

function aboutIt({ entry, refusal, fields }: SeenResource): string[] {
  const { plan, baseline, appliedUid: uid, state, appliedHash, application } = entry;
  if (plan === undefined) return [];
  const entryOfIt = shapeFor(plan.manifest, readObserverSchema(application.newest.spec.schema));
  const isListed = entryOfIt.ok && entryOfIt.value.is !== 'leaf';
  const whole = `every field of its manifest${plan.shape.is === 'leaf' ? '' : ' but the replicas, which somebody scales'}`;
  const how = isListed ? 'as its entry of the schema lists' : whole;
  const last = appliedHash === plan.hash ? 'this manifest' : 'another manifest than this one';
  return [
    ...(fields.length === 0 || baseline === undefined
      ? []
      : [`  observed: ${counted(countObserved(baseline), 'field')}, ${how}`]),
    `  applied last: ${appliedHash === undefined ? 'nothing' : last}${uid === undefined ? '' : `, uid ${uid}`}; state in the status: ${state}`,
    ...(refusal === '' ? [] : [`  as ${plan.target.account ?? 'weeder itself'}: ${refusal}`]),
    ...(application.isDetectOnly ? ['  mode detect: nothing is applied'] : []),
  ];
}

/** As the status has it: values of before are nowhere else but in the weeder that has applied them. */
function ofBefore({ before, entry }: SeenResource): string[] {
  if (before.length === 0) return [];
  const lines = before.flatMap(({ path, is, wanted, found }) =>
    isSecret(entry.identity)
      ? [`! ${path}: ${is}`]
      : [...(wanted === undefined ? [] : [`- ${path}: ${wanted}`]), `+ ${path}: ${found ?? 'absent'}`],
  );
  return ['  not as it was applied before, says the status:', ...lines.map((line) => `  ${line}`)];
}

/** What is wanted and what was found, a field a line: `-` and `+` where they differ, `~` what is not observed. */
function diff({ entry, fields }: SeenResource): string[] {
  const lines = isSecret(entry.identity) ? fields.map(hidden) : fields.flatMap(compared);
  return lines.map((line) => `  ${line}`);
}

function compared(field: SeenField): string[] {
  const { path, is, wanted, found } = field;
  if (is === 'same') return [`  ${path}: ${shown(wanted)}`];
  if (is === 'unobserved') return [`~ ${path}: ${shown(wanted)}${unless(wanted, found)} (not observed)`];
  const minus = wanted === undefined ? [] : [`- ${path}: ${shown(wanted)}`];
  return [...minus, `+ ${path}: ${shown(found)}${is === 'duplicate' ? ' times' : ''}${by(field)}`];
}

function unless(wanted: Json | undefined, found: Json | undefined): string {
  return isDeepStrictEqual(wanted, found) ? '' : `, is ${shown(found)}`;
}

/** A Secret's values are never told. */
function hidden(field: SeenField): string {
  const { path, is } = field;
  if (is === 'same') return `  ${path}`;
  return is === 'unobserved' ? `~ ${path} (not observed)` : `! ${path}: ${is}${by(field)}`;
}

function by({ rival }: SeenField): string {
  return rival === undefined ? '' : `  (by ${rival})`;
}

function shown(value: Json | undefined): string {
  const text = textOf(JSON.stringify(value)) ?? 'absent';
  return text.length <= longestValue ? text : `${text.slice(0, longestValue)}… (${text.length} characters)`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
