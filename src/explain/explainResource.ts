import { textOf } from '@weeder/kube-runtime/base';
import { observerDisplay, observerStates } from '@weeder/live-page';
import { foreignOwnerOf, needsApply } from '../observer/entries/comparison.ts';
import { memoryOf, type ResourceEntry } from '../observer/entries/entries.ts';
import { countObserved, type FieldReport } from '../observer/entries/fieldReports.ts';
import { foundOf } from '../observer/entries/live.ts';
import { isSecret } from '../observer/objects/confidential.ts';
import type { Identity, Json } from '../observer/objects/identity.ts';
import { ownershipConflict, ownershipOf } from '../observer/ownership/ownership.ts';
import { fieldMaskFor } from '../observer/schema/fieldMaskFor.ts';
import { readObserverSchema } from '../observer/schema/readObserverSchema.ts';
import { statusValue } from '../observer/spec/inventory.ts';
import { asAccount } from '../observer/spec/settingsSentence.ts';
import type { ApplicationState } from '../observer/status/applicationState.ts';
import type { ExplainedField, ExplainedResource } from './explainedApplication.ts';
import type { InspectedResource } from './inspectApplication.ts';

/** Returns what is known of one resource. `verdict`: what the observer does about differences from the applied state. */
export function explainResource(seen: InspectedResource, verdict: string): ExplainedResource {
  const { words, isWrong } = stateIn(seen);
  const { identity } = seen.entry;
  return {
    ...identity,
    answer: words,
    verdict: isWrong && verdict !== '' ? verdict : undefined,
    details: details(seen),
    before: seen.before.map((drift) => withoutSecrets(identity, { ...valueless, ...drift })),
    fields: seen.fields.map((field) => withoutSecrets(identity, inJson(field))),
  };
}

/** A resource that is no longer among the manifests. */
export function explainLeaving(identity: Identity, answer: string): ExplainedResource {
  return { ...identity, answer, verdict: undefined, details: [], before: [], fields: [] };
}

/** The state of the resource. */
interface StateSeen {
  readonly words: string;
  /** What it means for its application. */
  readonly state: ApplicationState;
  /** The observer has something to do. */
  readonly isWrong: boolean;
}

function stateSeen(state: ApplicationState, detail = '', isWrong = false): StateSeen {
  const { words } = observerDisplay(state);
  return { words: detail === '' ? words : `${words}: ${detail}`, state, isWrong };
}

export function stateIn(seen: InspectedResource): StateSeen {
  const { entry, live, error } = seen;
  if (entry.desired.fieldError !== '')
    return stateSeen('invalid', 'not changed, because its manifest or its entry of the observer schema has errors');
  if (entry.desired.plan === undefined) return unplanned(entry);
  if (live === undefined && error === '') return absent(entry);
  if (foundOf(entry.live)?.isTerminating === true) {
    const words = `${observerStates.terminating.words}: weeder waits for the end of the deletion`;
    return { words, state: 'pending', isWrong: false };
  }
  if (live !== undefined && foreignOwnerOf(entry) !== undefined) return stateSeen('claimed', claimed(seen));
  return error === '' ? compared(entry) : { words: error, state: 'pending', isWrong: false };
}

function unplanned({ desired: { manifest }, identity, actor }: ResourceEntry): StateSeen {
  const { state, reason } = memoryOf(actor);
  if (state === 'backingOff') return stateSeen('backingOff', reason.replace(/\.$/, ''));
  return stateSeen('typeMissing', `${manifest.apiVersion} ${identity.kind}`);
}

function absent(entry: ResourceEntry): StateSeen {
  return stateSeen('missing', memoryOf(entry.actor).appliedHash === undefined ? 'not created yet' : '', true);
}

function compared(entry: ResourceEntry): StateSeen {
  const { drifts } = entry.live;
  if (needsApply(entry) && memoryOf(entry.actor).state === 'refused')
    return stateSeen('refused', 'its manifest is not applied, and is retried every five minutes');
  if (needsApply(entry)) return stateSeen('pending', '', true);
  return drifts.length > 0 ? stateSeen('drifted', counted(drifts.length, 'field'), true) : stateSeen('observing');
}

function claimed({ entry, live }: InspectedResource): string {
  const { application, identity } = entry;
  const ownership = ownershipOf(live ?? {}, application.owner);
  const by = ownership.type === 'otherApplication' ? ownership.by : 'another one';
  const refused = ownershipConflict(by, application.owner, identity);
  return refused.ok ? '' : refused.failure.reason.replace(/\.$/, '');
}

function details({ entry, refusal, fields }: InspectedResource): string[] {
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
      : [`observed: ${counted(countObserved(baseline), 'field')}, ${how}`]),
    `applied last: ${appliedHash === undefined ? 'nothing' : last}${uid === undefined ? '' : `, uid ${uid}`}; state in the status: ${statusValue(state)}`,
    ...(refusal === '' ? [] : [`${asAccount(plan.target.account)}: ${refusal}`]),
    ...(application.isDetectOnly ? ['mode detect: nothing is applied'] : []),
  ];
}

const valueless = { desired: undefined, found: undefined, conflictingManager: undefined };

/** The values of a Secret are never shown. */
function withoutSecrets(identity: Identity, field: ExplainedField): ExplainedField {
  return isSecret(identity) ? { ...field, desired: undefined, found: undefined } : field;
}

/** Equal values have equal texts: a live value that equals that of the manifest has its keys in the same order. */
function inJson({ desired, found, ...field }: FieldReport): ExplainedField {
  return { ...field, desired: jsonText(desired), found: jsonText(found) };
}

function jsonText(value: Json | undefined): string | undefined {
  return textOf(JSON.stringify(value));
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
