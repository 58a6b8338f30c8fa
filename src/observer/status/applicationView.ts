import { identityText } from '../model/identity.ts';
import { listed } from '../model/wording.ts';
import { mayTell } from '../state/access.ts';
import type { ApplicationEntry, LeftResource, ResourceEntry } from '../state/entries.ts';
import { isInSync, needsApply } from '../state/hear.ts';
import type { ApplicationView, ResourceView } from './conditions.ts';

/** The application as its conditions see it. */
export function applicationView(entry: ApplicationEntry): ApplicationView {
  const { accountFault, faults, left, newest, resources } = entry;
  return {
    phase: phaseOf(entry),
    mode: entry.isDetectOnly ? 'detect' : 'correct',
    pausedUntil: newest.spec.pausedUntil,
    faults,
    accountFault,
    notes: [...resources.values()].flatMap(notesOf),
    resources: [...[...resources.values()].map(viewOf), ...[...left.values()].map(leftView)],
  };
}

/** What its machine does, as the status says it. */
function phaseOf({ actor }: ApplicationEntry): ApplicationView['phase'] {
  const { value } = actor.getSnapshot();
  if (typeof value === 'object') return 'deleting';
  return value === 'invalid' || value === 'paused' || value === 'observing' ? value : 'applying';
}

function viewOf(resource: ResourceEntry): ResourceView {
  const { identity, state, reason, drifts, rival, actor } = resource;
  const isContested = actor?.getSnapshot().matches({ drifted: 'waiting' }) === true;
  return {
    identity,
    state,
    isApplied: resource.plan !== undefined && !needsApply(resource),
    reason,
    ending: '',
    refusal: resource.kept?.reason ?? '',
    isAsBefore: mayTell(resource) && resource.kept !== undefined && isInSync(resource),
    paths: mayTell(resource) ? drifts.map(({ path }) => path) : [],
    rival: isContested ? (rival ?? 'somebody') : undefined,
  };
}

function leftView({ identity, reason, state }: LeftResource) {
  const nothing = { isApplied: false, refusal: '', isAsBefore: false, paths: [], rival: undefined };
  const why = state === 'terminating' ? { reason: '', ending: reason } : { reason, ending: '' };
  return { ...nothing, identity, state: 'leaving', ...why } satisfies ResourceView;
}

function notesOf(resource: ResourceEntry): readonly string[] {
  const { identity, kept, admitted, scaledBy, isAutoscaled } = resource;
  const name = identityText(identity);
  const notes: string[] = [];
  if (kept !== undefined) notes.push(`Of ${name} what was applied before is kept.`);
  if (admitted.length > 0) notes.push(`Changed on admission, and taken as it is: ${listed(admitted)} of ${name}.`);
  if (isAutoscaled) notes.push(`The replicas of ${name} are left to its HorizontalPodAutoscaler.`);
  else if (scaledBy !== undefined && mayTell(resource))
    notes.push(`The replicas of ${name} are left to ${scaledBy}, which scales it.`);
  return notes;
}
