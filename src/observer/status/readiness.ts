import { identityText } from '../objects/identity.ts';
import { summaryOf } from '../objects/wording.ts';
import type { ApplicationView, ConditionContent, DesiredCondition, ResourceView } from './condition.ts';

/** The conditions that readiness is derived from. */
interface Findings {
  readonly applied: ConditionContent;
  readonly inSync: ConditionContent;
  readonly degraded: ConditionContent;
  readonly invalid: ConditionContent;
}

/** Failures that remain until a person changes the application. */
const finalFailures: ReadonlySet<string> = new Set(['Refused']);
/** The same, or its permissions or the cluster: that may have been done together with the application. */
const lastingFailures: ReadonlySet<string> = new Set([
  ...finalFailures,
  'Unverified',
  'OwnershipConflict',
  'DeletionBlocked',
  'ServiceAccountNotFound',
]);

/** Why the application is not applied yet. */
export const applying: ConditionContent = {
  status: 'Unknown',
  reason: 'Applying',
  message: 'Resources are being applied.',
};

/**
 * Returns the conditions of kstatus (sigs.k8s.io/cli-utils/pkg/kstatus). Reconciling and Stalled are present only while
 * they are true, and never both: tools stop waiting for a stalled object, so a failure that may end by itself is none,
 * and while a generation settles only the validation of the application or of its manifests stalls.
 */
export function readiness(view: ApplicationView, findings: Findings): readonly DesiredCondition[] {
  const { inSync } = findings;
  const stalled = stalledBy(view, findings);
  const cause = stalled ?? reconciledBy(view, findings);
  // During a pause nothing is in progress, and nothing is known.
  if (cause === undefined || view.phase === 'paused') return [{ type: 'Ready', ...inSync }];
  const type = stalled === undefined ? 'Reconciling' : 'Stalled';
  return [
    { type: 'Ready', ...cause, status: 'False' },
    { type, ...cause, status: 'True' },
  ];
}

/** Returns why the application makes no progress; undefined if it does, or is in the desired state. */
function stalledBy({ phase, mode, isSettling }: ApplicationView, findings: Findings): ConditionContent | undefined {
  const { inSync, degraded, invalid } = findings;
  if (phase === 'invalid') return invalid;
  // Failures of the previous generation do not count while the current one is applied.
  if (phase === 'applying') return !isSettling && degraded.reason === 'ServiceAccountNotFound' ? degraded : undefined;
  if (phase !== 'observing') return undefined;
  if ((isSettling ? finalFailures : lastingFailures).has(degraded.reason)) return degraded;
  if (invalid.status === 'True') return invalid;
  return !isSettling && mode === 'detect' && inSync.status === 'False' ? inSync : undefined;
}

/** Returns what is in progress; undefined if the application is in the desired state. */
function reconciledBy({ phase, mode, resources }: ApplicationView, findings: Findings): ConditionContent | undefined {
  const { applied, inSync, degraded } = findings;
  if (phase === 'applying' && mode === 'correct')
    return degraded.reason === 'ServiceAccountNotFound' ? degraded : applying;
  if (phase !== 'applying' && degraded.status === 'True') return degraded;
  if (phase === 'deleting' || (mode === 'correct' && applied.status !== 'True')) return applied;
  if (inSync.status !== 'True') return inSync;
  const removed = mode === 'correct' ? resources.filter(({ state }) => state === 'leaving') : [];
  if (removed.length === 0) return undefined;
  const message = summaryOf('Removed from the manifests and not deleted yet', removed.map(identityIn));
  return { status: 'False', reason: 'Pruning', message };
}

function identityIn({ identity }: ResourceView): string {
  return identityText(identity);
}
