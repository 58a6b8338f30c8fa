import type { ApplicationList, ApplicationView, DriftView, ResourceView } from '@weeder/live-page';
import { worstFirst } from '@weeder/live-page';
import type { AnyActorRef } from 'xstate';
import { activeStates, timersOf } from '../../actors/actorStates.ts';
import { hasWords, searchWords } from '../../actors/searchWords.ts';
import type { Since } from '../../controller/contribution/contribution.ts';
import { type ApplicationEntry, isObserved, memoryOf, type ResourceEntry } from '../entries/entries.ts';
import { countObserved } from '../entries/fieldReports.ts';
import { shownDrifts } from '../entries/inventoryRows.ts';
import { identityText } from '../objects/identity.ts';
import type { Drift } from '../objects/projection.ts';
import { applicationStateOf } from '../status/applicationState.ts';
import { applicationView } from '../status/applicationView.ts';
import { conditionsOf } from '../status/conditions.ts';

/** The maximum number of applications in a response: a search by name or state finds others. */
const maxApplications = 100;
/** The maximum for each application. */
const maxResources = 50;
/** The maximum for each resource. */
const maxCorrectionsShown = 5;

/** The applications for the page, the worst first. */
export function applicationList(entries: Iterable<ApplicationEntry>, search: string, since: Since): ApplicationList {
  const words = searchWords(search);
  const shownEntries = [...entries];
  // A page without a search sends a request every second: the search texts of thousands of resources are not built.
  const matching =
    words.length === 0 ? [...shownEntries] : shownEntries.filter((entry) => hasWords(textOf(entry), words));
  const applications = matching
    .sort(worstFirst(rankOf, ({ id }) => id))
    .slice(0, maxApplications)
    .map((entry) => viewOf(entry, since));
  return { total: shownEntries.length, found: matching.length, applications };
}

/** By what is remembered: the states of thousands of actors are not evaluated every second. */
function rankOf({ errors, resources }: ApplicationEntry): number {
  if (errors.length > 0) return 0;
  for (const resource of resources.values())
    if (memoryOf(resource.actor).state !== 'inSync' || resource.live.drifts.length > 0) return 0;
  return 1;
}

function textOf(entry: ApplicationEntry): string {
  const texts = [...entry.resources.values()].map((each) => `${identityText(each.identity)} ${stateOf(each)}`);
  return `${entry.id} ${wordOf(entry)} ${texts.join(' ')}`.toLowerCase();
}

/** The innermost state of its machine. While it is observed, the worst of its resources, as in its status. */
function wordOf(entry: ApplicationEntry): string {
  const state = innermost(entry.actor);
  if (state !== 'observing') return state;
  const conditions = conditionsOf(applicationView(entry, 0));
  return applicationStateOf(conditions.find(({ type }) => type === 'Ready')?.reason);
}

function viewOf(entry: ApplicationEntry, since: Since): ApplicationView {
  const { id, actor, isDetectOnly, errors, resources, pendingRemovals } = entry;
  const resourceEntries = [...resources.values()];
  const [affected, others] = [
    resourceEntries.filter(needsAttention),
    resourceEntries.filter((each) => !needsAttention(each)),
  ];
  const removals = [...pendingRemovals.values()].map(
    ({ identity, reason }): ResourceView => ({ ...nothing, id: identityText(identity), state: 'leaving', reason }),
  );
  const shown = resourceEntries.length > maxResources ? [...affected, ...others] : resourceEntries;
  return {
    id,
    actor: actor.id,
    state: wordOf(entry),
    since: since(actor) ?? 0,
    until: endOf(actor, since),
    isDetectOnly,
    errors: errors.map(({ place, message }) => `${place}: ${message}`),
    total: resourceEntries.length + removals.length,
    resources: [...shown.map((each) => resourceView(each, since)), ...removals].slice(0, maxResources),
  };
}

const nothing = {
  actor: undefined,
  until: undefined,
  conflictingManager: undefined,
  observed: undefined,
  drifts: [],
  moreDrifts: 0,
  corrections: [],
  corrected: 0,
};

function needsAttention(resource: ResourceEntry): boolean {
  return memoryOf(resource.actor).state !== 'inSync' || stateOf(resource) !== 'inSync';
}

function resourceView(resource: ResourceEntry, since: Since): ResourceView {
  const { identity, actor, desired, live } = resource;
  const { baseline, drifts, corrections } = live;
  const { reason, conflictingManager } = memoryOf(resource.actor);
  const shown = driftViews(resource, drifts);
  return {
    id: identityText(identity),
    actor: actor.id,
    state: stateOf(resource),
    until: endOf(actor, since),
    reason: [desired.fieldError, reason, desired.lastKnownGood?.reason].find((each) => each) ?? '',
    conflictingManager: drifts.length > 0 ? conflictingManager : undefined,
    observed: baseline && countObserved(baseline),
    drifts: shown,
    moreDrifts: drifts.length - shown.length,
    corrections: corrections
      .slice(-maxCorrectionsShown)
      .reverse()
      .map((difference) => ({
        at: difference.at,
        drifts: driftViews(resource, difference.drifts),
        conflictingManager: difference.conflictingManager,
      })),
    corrected: corrections.length,
  };
}

/** As in the status: truncated, and without the values of a Secret. */
function driftViews({ identity }: ResourceEntry, drifts: readonly Drift[]): readonly DriftView[] {
  return shownDrifts(identity, drifts);
}

function stateOf(resource: ResourceEntry): string {
  return isObserved(resource) ? innermost(resource.actor) : memoryOf(resource.actor).state;
}

function innermost(actor: ApplicationEntry['actor'] | ResourceEntry['actor']): string {
  return activeStates(actor.getSnapshot().value).at(-1) ?? '';
}

function endOf(actor: AnyActorRef, since: Since): number | undefined {
  const delays = timersOf(actor).map(({ delay }) => delay);
  return delays.length === 0 ? undefined : (since(actor) ?? 0) + Math.min(...delays);
}
