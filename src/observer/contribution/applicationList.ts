import { partsOf } from '@weeder/kube-runtime/objects';
import type { ApplicationList, ApplicationView, DriftView, ResourceView } from '@weeder/live-page';
import { compareNames, countByHealth, healthRank, observerDisplay, worstFirst } from '@weeder/live-page';
import type { AnyActorRef } from 'xstate';
import { activeStates, firstTimerAt } from '../../actors/actorStates.ts';
import { hasWords, searchWords } from '../../actors/searchWords.ts';
import type { Since } from '../../controller/contribution/contribution.ts';
import {
  type ApplicationEntry,
  isObserved,
  memoryOf,
  type PendingRemoval,
  type ResourceEntry,
} from '../entries/entries.ts';
import { countObserved } from '../entries/fieldReports.ts';
import { identityText } from '../objects/identity.ts';
import type { Drift } from '../objects/projection.ts';
import { shownDrifts } from '../objects/shownDrifts.ts';
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
export function applicationList(
  entries: Iterable<ApplicationEntry>,
  query: URLSearchParams,
  since: Since,
): ApplicationList {
  const words = searchWords(query.get('search') ?? '');
  const namespace = query.get('namespace') ?? '';
  const show = query.get('show') ?? 'all';
  const listed = [...entries].map((entry) => ({ id: entry.id, state: wordOf(entry), entry }));
  const namespaces = new Set(listed.map(({ id }) => partsOf(id).namespace));
  const matching = listed.filter(
    (each) =>
      (namespace === '' || partsOf(each.id).namespace === namespace) &&
      (show === 'all' || observerDisplay(each.state).health === show) &&
      // A page without a search sends a request every second: the search texts of thousands of resources are not built.
      (words.length === 0 || hasWords(textOf(each), words)),
  );
  const applications = matching
    .toSorted(
      worstFirst<Listed>(
        ({ state }) => rankOf(state),
        ({ id }) => id,
      ),
    )
    .slice(0, maxApplications)
    .map((each) => viewOf(each, since, maxResources));
  return {
    total: listed.length,
    found: matching.length,
    counts: countByHealth(listed.map(({ state }) => observerDisplay(state).health)),
    namespaces: [...namespaces].sort(compareNames),
    applications,
  };
}

interface Listed {
  readonly id: string;
  /** The word for its state. */
  readonly state: string;
  readonly entry: ApplicationEntry;
}

function textOf({ id, state, entry }: Listed): string {
  const texts = [...entry.resources.values()].map(
    (each) => `${identityText(each.identity)} ${observerDisplay(stateOf(each)).words}`,
  );
  return `${id} ${observerDisplay(state).words} ${texts.join(' ')}`.toLowerCase();
}

/** The innermost state of its machine. While it is observed, the worst of its resources, as in its status. */
export function wordOf(entry: ApplicationEntry): string {
  const state = innermost(entry.actor);
  if (state !== 'observing') return state;
  const conditions = conditionsOf(applicationView(entry, 0));
  return applicationStateOf(conditions.find(({ type }) => type === 'Ready')?.reason);
}

/** The application with all its resources. */
export function wholeView(entry: ApplicationEntry, since: Since): ApplicationView {
  return viewOf({ id: entry.id, state: wordOf(entry), entry }, since, Number.POSITIVE_INFINITY);
}

function viewOf({ id, state, entry }: Listed, since: Since, max: number): ApplicationView {
  const { actor, isDetectOnly, errors, resources, pendingRemovals } = entry;
  const ranked = [
    ...[...resources.values()].map((each) => ({ rank: resourceRank(each), view: () => resourceView(each, since) })),
    ...[...pendingRemovals.values()].map((each) => ({ rank: rankOf('leaving'), view: () => removalView(each) })),
  ];
  const shown = ranked.length > max ? ranked.toSorted((a, b) => a.rank - b.rank).slice(0, max) : ranked;
  return {
    id,
    actor: actor.id,
    state,
    since: since(actor) ?? 0,
    until: endOf(actor, since),
    isDetectOnly,
    errors: errors.map(({ place, message }) => `${place}: ${message}`),
    total: ranked.length,
    resources: shown.map(({ view }) => view()),
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

/** A state that passes, such as a check, does not hide the lasting one. */
function resourceRank(resource: ResourceEntry): number {
  return Math.min(rankOf(memoryOf(resource.actor).state), rankOf(stateOf(resource)));
}

function rankOf(state: string): number {
  return healthRank(observerDisplay(state).health);
}

function removalView({ identity, reason }: PendingRemoval): ResourceView {
  return { ...nothing, id: identityText(identity), state: 'leaving', reason };
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

export function stateOf(resource: ResourceEntry): string {
  return isObserved(resource) ? innermost(resource.actor) : memoryOf(resource.actor).state;
}

function innermost(actor: ApplicationEntry['actor'] | ResourceEntry['actor']): string {
  return activeStates(actor.getSnapshot().value).at(-1) ?? '';
}

export function endOf(actor: AnyActorRef, since: Since): number | undefined {
  return firstTimerAt(actor, since(actor) ?? 0);
}
