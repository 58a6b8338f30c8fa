import type { Health } from './health.ts';

/** What the page shows of a state of a machine. */
export interface StateDisplay {
  readonly words: string;
  readonly health: Health;
  /** What happens when the timer of the state fires. */
  readonly next: string;
}

/** In each state of the machines of restart control. */
export const workloadStates: Readonly<Record<string, StateDisplay>> = {
  assessing: progressing('Comparing its sources'),
  adopting: progressing('Seen for the first time'),
  current: healthy('Current'),
  stale: progressing('Changed, waiting for further changes', 'restarted'),
  missing: degraded('A source is missing', 'reported as blocked'),
  blocked: degraded('Blocked'),
  beginning: progressing('Restart pending'),
  waiting: progressing('Restart pending'),
  verifying: progressing('Restart pending, checking its pods'),
  patching: progressing('Restarting'),
  rolling: progressing('Rolling out'),
  restoring: progressing('Restoring its pods'),
  suspended: progressing('Rollout waits for a user'),
  stalled: degraded('Rollout stalled'),
  writingState: progressing('Storing its state'),
  releasing: progressing('Ending the control of it'),
  backingOff: degraded('Request failed, will be retried', 'tried again'),
  ended: progressing('No longer controlled'),
};

/** In each state of an Application or a resource. */
export const observerStates: Readonly<Record<string, StateDisplay>> = {
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
  pending: progressing('Not checked yet'),
  checking: progressing('Checking'),
  inSync: healthy('In sync'),
  drifted: degraded('Drifted'),
  'drifted.detected': degraded('Drifted'),
  'drifted.detectOnly': degraded('Drifted, only reported'),
  'drifted.waiting': degraded('Drifted, correction waits', 'corrected'),
  missing: degraded('Missing'),
  'missing.detected': degraded('Missing'),
  'missing.detectOnly': degraded('Missing, only reported'),
  'missing.waiting': degraded('Missing, creation waits', 'created again'),
  correcting: progressing('Correcting'),
  creating: progressing('Creating'),
  claimed: degraded('Ownership conflict'),
  usingLastApplied: degraded('Refused, last applied manifest in force'),
  typeMissing: degraded('Kind not served'),
  terminating: progressing('Being deleted'),
  refused: degraded('Refused', 'tried again'),
  backingOff: degraded('Request failed, will be retried', 'tried again'),
  kindUnavailable: degraded('Kind not readable'),
  unverified: degraded('Access not verified'),
  leaving: progressing('Being removed'),
};

/** `state`: of a workload. */
export function workloadDisplay(state: string): StateDisplay {
  return workloadStates[state] ?? progressing(state);
}

/** `state`: of an Application or a resource. */
export function observerDisplay(state: string): StateDisplay {
  return observerStates[state] ?? progressing(state);
}

function healthy(words: string): StateDisplay {
  return { words, health: 'healthy', next: 'checked again' };
}

function progressing(words: string, next = 'checked again'): StateDisplay {
  return { words, health: 'progressing', next };
}

function degraded(words: string, next = 'checked again'): StateDisplay {
  return { words, health: 'degraded', next };
}
