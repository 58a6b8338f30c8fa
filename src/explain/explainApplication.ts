import { formatDuration, objectOf, timeInSeconds } from '@weeder/kube-runtime/base';
import { observerDisplay } from '@weeder/live-page';
import { formatPath } from '../base/fieldError.ts';
import { closedWords, type MaintenanceWindow, maintenanceAt } from '../config/maintenance.ts';
import { isCorrection } from '../observer/resource/maintenance.ts';
import { applicationStateOf, worstState } from '../observer/status/applicationState.ts';
import { conditionTypes } from '../observer/status/condition.ts';
import { type Condition, conditionOf } from '../observer/status/statusPatch.ts';
import type { ExplainedApplication } from './explainedApplication.ts';
import { explainLeaving, explainResource, stateIn } from './explainResource.ts';
import type { InspectedApplication } from './inspectApplication.ts';

/**
 * Returns what is known of one application and of each of its resources. `now`: epoch milliseconds; `windows`: the
 * maintenance windows of corrections.
 */
export function explainApplication(
  seen: InspectedApplication,
  now: number,
  windows: readonly MaintenanceWindow[] = [],
): ExplainedApplication {
  const { entry, account, errors, error } = seen;
  const { namespace, name, spec, warnings } = entry.newest;
  const verdict = verdictOf(seen, now);
  const maintenance = maintenanceAt(windows, now);
  const ofDrift =
    verdict === corrected && maintenance.type === 'closed' ? `not corrected now: ${closedWords(maintenance)}` : verdict;
  return {
    namespace,
    name,
    state: observerDisplay(stateOf(seen, now)).words,
    mode: spec.mode,
    deletionPolicy: spec.deletionPolicy,
    resyncPeriod: formatDuration(spec.resyncPeriod),
    account,
    pausedUntil: pauseEnd(seen, now),
    conditions: conditionsOf(seen).map(({ type, status, reason, message }) => ({ type, status, reason, message })),
    errors: errors.map(({ place, message }) => ({ path: place, message })),
    warnings: warnings.map(({ path, message }) => ({ path: formatPath(path), message })),
    unreadable: error === '' ? undefined : error,
    advice: advice(seen),
    resources: [
      ...seen.resources.map((each) => explainResource(each, isCorrection(each.entry) ? ofDrift : verdict)),
      ...[...entry.pendingRemovals.values()].map(({ identity }) => explainLeaving(identity, leaves(seen))),
    ],
  };
}

/** The worst of what its status says and of what is found now. */
function stateOf(seen: InspectedApplication, now: number): string {
  if (seen.entry.newest.isTerminating) return 'deleting.attempting';
  if (pauseEnd(seen, now) !== undefined) return 'paused';
  const ready = conditionsOf(seen).find(({ type }) => type === 'Ready');
  const states = seen.resources.map((each) => stateIn(each).state);
  return worstState([
    applicationStateOf(ready?.reason),
    ...(seen.errors.length > 0 ? ['invalid' as const] : []),
    ...states,
  ]);
}

/** Undefined: it is not paused. */
function pauseEnd({ entry }: InspectedApplication, now: number): string | undefined {
  const { pausedUntil = 0 } = entry.newest.spec;
  return pausedUntil > now ? timeInSeconds(pausedUntil) : undefined;
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
  DeletionDelayed: 'wait for the client that is to remove the finalizers, or start it again',
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
function verdictOf(seen: InspectedApplication, now: number): string {
  const { entry, error } = seen;
  const { isTerminating, spec } = entry.newest;
  const pausedUntil = pauseEnd(seen, now);
  if (error !== '') return '';
  if (isTerminating) return 'not corrected, because the application is being deleted';
  if (spec.mode === 'detect') return 'reported, and not corrected';
  if (pausedUntil !== undefined) return `not corrected until ${pausedUntil}`;
  return corrected;
}

function leaves({ entry, errors }: InspectedApplication): string {
  const { deletionPolicy } = entry.newest.spec;
  if (errors.length > 0)
    return 'not among the manifests as far as they can be read: not deleted while there are errors';
  return `no longer among the manifests: ${deletionPolicy === 'delete' ? 'to be deleted' : 'to be released'}`;
}
