import { mayDisclose } from '../entries/access.ts';
import { needsApply } from '../entries/comparison.ts';
import { refusalOf } from '../entries/desired.ts';
import { type ApplicationEntry, memoryOf, type PendingRemoval, type ResourceEntry } from '../entries/entries.ts';
import { foundOf, isInSync } from '../entries/live.ts';
import { identityText } from '../objects/identity.ts';
import { listed } from '../objects/wording.ts';
import type { ApplicationView, ResourceView } from './condition.ts';

/** Returns the application in the form that its conditions need. `now`: by the monotonic clock. */
export function applicationView(entry: ApplicationEntry, now: number): ApplicationView {
  const { accountError, errors, pendingRemovals, newest, resources } = entry;
  return {
    phase: phaseOf(entry),
    mode: entry.isDetectOnly ? 'detect' : 'correct',
    isSettling: now < entry.settledAt,
    pausedUntil: newest.spec.pausedUntil,
    errors,
    accountError,
    notes: [...resources.values()].flatMap(notesOf),
    resources: [...[...resources.values()].map(viewOf), ...[...pendingRemovals.values()].map(removalView)],
  };
}

/** Returns the state of its machine in the terms of the status. */
function phaseOf({ actor }: ApplicationEntry): ApplicationView['phase'] {
  const { value } = actor.getSnapshot();
  if (typeof value === 'object') return 'deleting';
  return value === 'invalid' || value === 'paused' || value === 'observing' ? value : 'applying';
}

function viewOf(resource: ResourceEntry): ResourceView {
  const { identity, desired, live, actor } = resource;
  const { state, reason, conflictingManager = 'another client' } = memoryOf(resource.actor);
  const refusal = refusalOf(desired);
  const snapshot = actor.getSnapshot();
  const isBackingOff = snapshot.matches({ drifted: 'waiting' });
  return {
    identity,
    state,
    isApplied: desired.plan !== undefined && !needsApply(resource),
    reason,
    terminating: '',
    isDelayed: false,
    refusal: refusal ?? '',
    isAsLastApplied: mayDisclose(resource) && refusal !== undefined && isInSync(live),
    unserved: (mayDisclose(resource) && foundOf(live)?.unserved) || '',
    paths: mayDisclose(resource) ? live.drifts.map(({ path }) => path) : [],
    conflictingManager: isBackingOff ? conflictingManager : undefined,
    wait: resource.wait,
    pending: snapshot.context.pending,
  };
}

function removalView({ identity, reason, state, isDelayed }: PendingRemoval) {
  const nothing = {
    isApplied: false,
    refusal: '',
    isAsLastApplied: false,
    unserved: '',
    paths: [],
    conflictingManager: undefined,
    pending: '',
    wait: undefined,
  };
  const why = state === 'terminating' ? { reason: '', terminating: reason } : { reason, terminating: '' };
  return { ...nothing, identity, state: 'leaving', isDelayed, ...why } satisfies ResourceView;
}

function notesOf(resource: ResourceEntry): readonly string[] {
  const { identity, desired } = resource;
  const { scaledBy, isAutoscaled } = desired;
  const { mutatedByAdmission } = memoryOf(resource.actor);
  const name = identityText(identity);
  const notes: string[] = [];
  if (refusalOf(desired) !== undefined) notes.push(`${name} stays as it was applied last.`);
  if (mutatedByAdmission.length > 0)
    notes.push(`Mutated by admission, and accepted: ${listed(mutatedByAdmission)} of ${name}.`);
  if (isAutoscaled) notes.push(`The replicas of ${name} are left to its HorizontalPodAutoscaler.`);
  else if (scaledBy !== undefined && mayDisclose(resource))
    notes.push(`The replicas of ${name} are left to ${scaledBy}, which scales it.`);
  return notes;
}
