import { formatDuration, objectOf, timeInSeconds } from '@weeder/kube-runtime/base';
import { observerDisplay } from '@weeder/live-page';
import { formatPath } from '../base/fieldError.ts';
import { closedWords, type MaintenanceWindow, maintenanceAt } from '../config/maintenance.ts';
import { identityText } from '../observer/objects/identity.ts';
import { isCorrection } from '../observer/resource/maintenance.ts';
import { applicationStateOf, worstState } from '../observer/status/applicationState.ts';
import { conditionTypes } from '../observer/status/condition.ts';
import { type Condition, conditionOf } from '../observer/status/statusPatch.ts';
import { explainResource, stateIn } from './explainResource.ts';
import type { InspectedApplication } from './inspectApplication.ts';

/**
 * Describes one application and each of its resources, as texts of several lines. `now`: epoch milliseconds; `windows`:
 * the maintenance windows of corrections.
 */
export function explainApplication(
  seen: InspectedApplication,
  now: number,
  windows: readonly MaintenanceWindow[] = [],
): readonly string[] {
  const verdict = verdictOf(seen, now);
  const maintenance = maintenanceAt(windows, now);
  const ofDrift =
    verdict === corrected && maintenance.type === 'closed' ? `not corrected now: ${closedWords(maintenance)}` : verdict;
  return [
    [head(seen, now), ...detailLines(seen, now).map((line) => `  ${line}`)].join('\n'),
    ...seen.resources.map((each) => explainResource(each, isCorrection(each.entry) ? ofDrift : verdict)),
    ...[...seen.entry.pendingRemovals.values()].map((row) => `${identityText(row.identity)}: ${leaves(seen)}`),
  ].map(inOneColour);
}

function head(seen: InspectedApplication, now: number): string {
  const { entry, account } = seen;
  const { mode, deletionPolicy, resyncPeriod } = entry.newest.spec;
  const who = account ?? 'weeder itself';
  return `Application ${entry.id}: ${observerDisplay(stateOf(seen, now)).words}, mode ${mode}, deletionPolicy ${deletionPolicy}, resync every ${formatDuration(resyncPeriod)}, as ${who}`;
}

/** The worst of what its status says and of what is found now. */
function stateOf(seen: InspectedApplication, now: number): string {
  const { spec, isTerminating } = seen.entry.newest;
  if (isTerminating) return 'deleting.attempting';
  if ((spec.pausedUntil ?? 0) > now) return 'paused';
  const ready = conditionsOf(seen).find(({ type }) => type === 'Ready');
  const states = seen.resources.map((each) => stateIn(each).state);
  return worstState([
    applicationStateOf(ready?.reason),
    ...(seen.errors.length > 0 ? ['invalid' as const] : []),
    ...states,
  ]);
}

function detailLines(seen: InspectedApplication, now: number): string[] {
  const { entry, errors, error } = seen;
  const { spec, warnings, isTerminating } = entry.newest;
  const isPaused = (spec.pausedUntil ?? 0) > now;
  return [
    ...conditionsOf(seen).map(({ type, status, reason, message }) => `${type}: ${status}, ${reason}. ${message}`),
    ...(isTerminating ? ['it is being deleted'] : []),
    ...(isPaused ? [`paused until ${timeInSeconds(spec.pausedUntil ?? 0)}; it resumes then`] : []),
    ...errors.map(({ place, message }) => `error in ${place}: ${message.replace(/\.$/, '')}`),
    ...warnings.map(({ path, message }) => `warning, ${formatPath(path)}: ${message}`),
    ...(error === '' ? [] : [`its resources cannot be read: ${error}`]),
    ...advice(seen).map((each) => `→ ${each}`),
  ];
}

function conditionsOf({ entry }: InspectedApplication): Condition[] {
  const { conditions } = objectOf(entry.status);
  return conditionTypes.flatMap((type) => conditionOf(conditions, type) ?? []);
}

const degraded: Readonly<Record<string, string>> = {
  OwnershipConflict: 'remove the resource from one of the two applications',
  Refused: 'correct the manifest, or the cause of the refusal; weeder retries every five minutes',
  NoKindMatch: 'install the CustomResourceDefinition, or correct apiVersion and kind; weeder retries',
  Retrying: 'nothing, if it is transient; weeder retries',
  CorrectionBackOff: 'find out why the other client changes these fields, or leave them out of the observer schema',
  DeletionBlocked:
    'remove the obstacle, or set the annotation weeder.dev/force-finalize: "true", which leaves the remaining resources in the cluster',
};

/** What the user can do. */
function advice(seen: InspectedApplication): string[] {
  const { entry, errors, resources } = seen;
  const { generation, observedGeneration } = entry.newest;
  const degradedCondition = conditionsOf(seen).find(({ type, status }) => type === 'Degraded' && status === 'True');
  const isUnseen = observedGeneration < generation;
  return [
    ...(isUnseen
      ? [
          `weeder has not observed generation ${generation} yet: check that it runs, has the section observer in its config, and watches this namespace`,
        ]
      : []),
    ...(errors.length > 0 ? ['correct the errors; nothing is deleted while there are any'] : []),
    ...(degradedCondition === undefined ? [] : [degraded[degradedCondition.reason] ?? degradedCondition.message]),
    ...(resources.some(({ refusal }) => refusal !== '')
      ? ['check that the account may create, get, patch and delete these kinds; your own permissions may differ']
      : []),
  ];
}

const corrected = 'corrected immediately while weeder runs, later if it is changed back repeatedly';

/** What the observer does about differences from the applied state. */
function verdictOf({ entry, error }: InspectedApplication, now: number): string {
  const { isTerminating, spec } = entry.newest;
  if (error !== '') return '';
  if (isTerminating) return 'not corrected, because the application is being deleted';
  if (spec.mode === 'detect') return 'reported, and not corrected';
  if ((spec.pausedUntil ?? 0) > now) return `not corrected until ${timeInSeconds(spec.pausedUntil ?? 0)}`;
  return corrected;
}

function leaves({ entry, errors }: InspectedApplication): string {
  const { deletionPolicy } = entry.newest.spec;
  if (errors.length > 0)
    return 'not among the manifests as far as they can be read: not deleted while there are errors';
  return `no longer among the manifests: ${deletionPolicy === 'delete' ? 'to be deleted' : 'to be released'}`;
}

/** Replaces control characters, so that names and messages cannot control the terminal. */
function inOneColour(text: string): string {
  return text.replace(/[^\P{Cc}\n]/gu, '\u{fffd}');
}
