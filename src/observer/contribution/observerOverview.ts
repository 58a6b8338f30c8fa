import {
  compareNames,
  type ObjectLine,
  type OverviewPart,
  observerDisplay,
  overviewGroup,
  overviewSummary,
} from '@weeder/live-page';
import type { AnyActorRef } from 'xstate';
import type { Since } from '../../controller/contribution/contribution.ts';
import type { ApplicationEntry, ResourceEntry } from '../entries/entries.ts';
import { identityText } from '../objects/identity.ts';
import { applicationView } from '../status/applicationView.ts';
import { conditionsOf } from '../status/conditions.ts';
import { endOf, stateOf, wordOf } from './applicationList.ts';

interface Listed {
  readonly entry: ApplicationEntry;
  /** The word for its state. */
  readonly state: string;
}

/** The observer's part of the overview. */
export function observerOverview(entries: Iterable<ApplicationEntry>, since: Since): OverviewPart {
  const listed = [...entries].map((entry) => ({ entry, state: wordOf(entry) }));
  const bad = listed.filter(({ state }) => observerDisplay(state).health === 'degraded');
  const [invalid, different] = [bad.filter(isInvalid), bad.filter((each) => !isInvalid(each))];
  const paused = listed.filter(({ state }) => state === 'paused');
  // Only an application that is not in sync has a resource that is corrected later.
  const corrections = bad.flatMap(({ entry }) => [...entry.resources.values()].filter(isCorrectedLater));
  const lineOf = (each: Listed) => applicationLine(each, since);
  return {
    summary: overviewSummary('There is no Application', 'Application', listed.length, bad.length),
    since: undefined,
    problems: [
      { severity: 'different', ...overviewGroup('applications', different, byName, lineOf) },
      { severity: 'invalid', ...overviewGroup('applications', invalid, byName, lineOf) },
    ],
    waits: [
      overviewGroup('applications', corrections, byIdentity, (resource) => correctionLine(resource, since)),
      overviewGroup('applications', paused, byName, lineOf),
    ],
  };
}

/** What is not corrected in mode detect. */
const differs: ReadonlySet<string> = new Set(['drifted', 'missing']);

function isInvalid({ state }: Listed): boolean {
  return state === 'invalid';
}

function isCorrectedLater(resource: ResourceEntry): boolean {
  return /\.(?:waiting|awaitingMaintenance)$/.test(stateOf(resource));
}

function byName(a: Listed, b: Listed): number {
  return compareNames(a.entry.id, b.entry.id);
}

function byIdentity(a: ResourceEntry, b: ResourceEntry): number {
  return compareNames(identityText(a.identity), identityText(b.identity));
}

export function applicationLine({ entry, state }: Listed, since: Since): ObjectLine {
  const { id, actor } = entry;
  const message = conditionsOf(applicationView(entry, 0)).find(({ type }) => type === 'Ready')?.message ?? '';
  return {
    object: `Application ${id}`,
    page: { type: 'application', id },
    words: withReason(entry.isDetectOnly && differs.has(state) ? `${state}.detectOnly` : state, message),
    since: since(actor),
    next: nextOf(state, actor, since),
  };
}

function correctionLine(resource: ResourceEntry, since: Since): ObjectLine {
  const { identity, actor, application } = resource;
  const state = stateOf(resource);
  return {
    object: identityText(identity),
    page: { type: 'application', id: application.id },
    words: withReason(state, ''),
    since: since(actor),
    next: nextOf(state, actor, since),
  };
}

function withReason(state: string, reason: string): string {
  const { words } = observerDisplay(state);
  return reason === '' ? words : `${words}: ${reason.replace(/\.$/, '')}`;
}

function nextOf(state: string, actor: AnyActorRef, since: Since): ObjectLine['next'] {
  const at = endOf(actor, since);
  return at === undefined ? undefined : { words: observerDisplay(state).next, at };
}
