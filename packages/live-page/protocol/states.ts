import type { Health } from './health.ts';

/** What the page and `weeder explain` show of a state. The glossary is generated from these tables. */
export interface StateDisplay {
  readonly words: string;
  readonly health: Health;
  /** What happens when the timer of the state fires. Empty: it has none, or one that is only a limit, as of a rollout. */
  readonly next: string;
}

/**
 * Of a service, by the states of its machine, and without one: `neverReady` and so on. `describeState`
 * appends times: `Down for 12s`.
 */
export const serviceStates = {
  ready: healthy('Ready'),
  'ready.windowOpen': progressing('Window open', 'closes'),
  notReady: degraded('Down'),
  'notReady.windowOpen': degraded('Window open, down again', 'closes'),
  'notReady.assumedReady': progressing('Window open', 'closes'),
  'notReady.holding': degraded('Window held: down again', 'closes'),
  neverReady: degraded('Down, not ready since weeder started'),
  neverReadySinceSeen: degraded('Down, not ready since first seen'),
  absent: degraded('No EndpointSlice'),
  unwatched: degraded('In no watched namespace'),
} as const satisfies Readonly<Record<string, StateDisplay>>;

/** In each state of the machines of restart control. */
export const workloadStates = {
  assessing: progressing('Comparing its sources'),
  adopting: progressing('To be adopted'),
  current: healthy('Current'),
  stale: progressing('Changed, waiting for further changes', 'restarted'),
  missing: degraded('A source is missing', 'reported as blocked'),
  blocked: degraded('Blocked', 'checked again'),
  beginning: progressing('Restart pending'),
  waiting: progressing('Restart pending'),
  verifying: progressing('Restart pending, checking its pods'),
  patching: progressing('Restarting'),
  rolling: progressing('Rolling out'),
  restoring: progressing('Restoring its pods'),
  suspended: progressing('Rollout waits for a user'),
  stalled: degraded('Rollout stalled'),
  writingState: progressing('Storing its state'),
  releasing: progressing('No longer managed, its annotations are removed'),
  backingOff: degraded('Request refused, will be retried', 'tried again'),
  ended: progressing('No longer managed'),
} as const satisfies Readonly<Record<string, StateDisplay>>;

/** In each state of an Application or a resource. */
export const observerStates = {
  validating: progressing('Validating'),
  invalid: degraded('Invalid'),
  paused: progressing('Paused', 'resumed'),
  applying: progressing('Applying'),
  observing: healthy('In sync'),
  stopping: progressing('Stopping'),
  'deleting.attempting': progressing('Being deleted'),
  'deleting.waiting': degraded('Deletion waits', 'tried again'),
  deleted: progressing('Deleted'),
  blocked: degraded('Deletion blocked'),
  contested: degraded('Correction back-off'),
  unobserved: progressing('Not checked yet'),
  pending: progressing('Not applied yet'),
  checking: progressing('Checking'),
  inSync: healthy('In sync'),
  drifted: degraded('Drifted'),
  'drifted.detected': degraded('Drifted'),
  'drifted.detectOnly': degraded('Drifted, only reported'),
  'drifted.awaitingMaintenance': degraded('Drifted, outside of maintenance windows', 'checked again'),
  'drifted.waiting': degraded('Drifted, correction waits', 'corrected'),
  missing: degraded('Missing'),
  'missing.detected': degraded('Missing'),
  'missing.detectOnly': degraded('Missing, only reported'),
  'missing.awaitingMaintenance': degraded('Missing, outside of maintenance windows', 'checked again'),
  'missing.waiting': degraded('Missing, creation waits', 'created again'),
  correcting: progressing('Correcting'),
  creating: progressing('Creating'),
  claimed: degraded('Ownership conflict'),
  usingLastApplied: degraded('Refused, last known good in force', 'tried again'),
  typeMissing: degraded('Kind not served'),
  terminating: progressing('Being deleted', 'checked again'),
  refused: degraded('Refused', 'tried again'),
  backingOff: degraded('Request failed, will be retried', 'tried again'),
  kindUnavailable: degraded('Kind not readable'),
  unverified: degraded('Access not verified', 'checked again'),
  leaving: progressing('Being removed'),
} as const satisfies Readonly<Record<string, StateDisplay>>;

/** `state`: of a workload. */
export function workloadDisplay(state: string): StateDisplay {
  return displayIn(workloadStates, state);
}

/** `state`: of an Application or a resource. */
export function observerDisplay(state: string): StateDisplay {
  return displayIn(observerStates, state);
}

function displayIn(states: Readonly<Record<string, StateDisplay>>, state: string): StateDisplay {
  return states[state] ?? progressing(state);
}

function healthy(words: string): StateDisplay {
  return { words, health: 'healthy', next: '' };
}

function progressing(words: string, next = ''): StateDisplay {
  return { words, health: 'progressing', next };
}

function degraded(words: string, next = ''): StateDisplay {
  return { words, health: 'degraded', next };
}
