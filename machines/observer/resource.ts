/**
 * While its application is observed, compares the object when it changes and at each resync, and corrects drift:
 * immediately the first time, and the same path again after a wait that doubles from 2 s to 5 minutes. Writes nothing
 * in mode detect, nor while no maintenance window is open. Does not guarantee that a field keeps its value between two corrections, nor that a write that was
 * sent ends with the observation. Corrections are counted in memory only: the next process begins without a wait.
 */

import { type AnyEventObject, assign, fromCallback, raise, setup } from 'xstate';

/** An observed resource of an application. */
export interface ResourceInput {
  /** The application, such as `shop/web`, and the resource within it, such as `apps/Deployment/shop/web`. */
  readonly application: string;
  readonly resource: string;
}

/** The number of corrections of one path of a resource, and the time of the last one. */
interface Corrections {
  readonly count: number;
  /** Epoch milliseconds. */
  readonly last: number;
}

/** The lasting states of a resource. Its status has them, and each write of the status reaches every watcher. */
export const resourceStates = [
  /** Recorded before it is applied, or not checked yet. */
  'pending',
  'inSync',
  'drifted',
  'missing',
  'terminating',
  'claimed',
  'typeMissing',
  'refused',
  'backingOff',
  /** There is no proof that the account of the application may see it. */
  'unverified',
  /** It was removed from the manifests, and is not deleted or released yet. */
  'leaving',
] as const;
export type ResourceState = (typeof resourceStates)[number];

/** What is remembered of a resource, also while its application is not observed. */
export interface ResourceMemory {
  /** The lasting state that it was in last. */
  readonly state: ResourceState;
  /** The reason for this state, for users; '' if it needs none. */
  readonly reason: string;
  /** The hash of the last apply, by this process or an earlier one; undefined if there was none. */
  readonly appliedHash: string | undefined;
  /**
   * The uid in the response to the last apply; undefined before the first response. It is never from an object that was
   * only found.
   */
  readonly appliedUid: string | undefined;
  /** Paths of fields that admission mutates each time they are applied. */
  readonly mutatedByAdmission: readonly string[];
  /** The recent corrections, by path. Repeated drift of one resource delays no other resource. */
  readonly corrections: ReadonlyMap<string, Corrections>;
  /** The field manager that owned the drifted fields. */
  readonly conflictingManager: string | undefined;
}

interface ResourceContext extends ResourceInput {
  readonly memory: ResourceMemory;
  /** Consecutive conflicts. */
  readonly conflicts: number;
  /** How long a correction waits, in milliseconds, because the previous one was changed back. */
  readonly backoff: number;
  /** False: drift is reported, and nothing is written. */
  readonly mayCorrect: boolean;
  /** Milliseconds until the maintenance windows are checked again; 0: one is open, or none limits the correction. */
  readonly opensIn: number;
  /** Which maintenance window the correction waits for, in a clause; '' if for none. */
  readonly pending: string;
  /** Consecutive failures. */
  readonly failures: number;
  readonly retryIn: number;
  /** Why it is not in sync or is retried, for users. */
  readonly reason: string;
  /** The class of the latest failure. */
  readonly failure: string;
}

/**
 * `jitter` is random, from 0 to 1. `retryAfter` is the delay that the server requested, and `maxRetryDelay` the longest
 * delay, both in milliseconds. `failure` is its class.
 */
interface Failure {
  readonly jitter?: number;
  readonly retryAfter?: number;
  readonly maxRetryDelay?: number;
  readonly reason?: string;
  readonly failure?: string;
}

interface ToCorrect {
  /** The paths by which corrections are counted; none: it is not a correction. */
  readonly paths?: readonly string[];
  /** Epoch milliseconds. */
  readonly now?: number;
  /** The longest time that the correction may wait, in milliseconds. */
  readonly longestWait?: number;
  /** Whether it may be corrected at all. */
  readonly mayCorrect?: boolean;
  /** Milliseconds until a maintenance window opens. `pending`: which one. */
  readonly opensIn?: number;
  readonly pending?: string;
  readonly conflictingManager?: string | undefined;
}

/** `paths` were corrected at `now` (epoch milliseconds); `hasConflicted`: the object had changed in the meantime. */
interface WriteResult {
  readonly paths?: readonly string[];
  readonly now?: number;
  readonly hasConflicted?: boolean;
  /** The hash of what was applied; undefined if the same was applied before. */
  readonly hash?: string | undefined;
  /** The uid of the object in the response. */
  readonly uid?: string | undefined;
  /** Paths at which admission has changed the correction back. */
  readonly mutated?: readonly string[];
}

export type ResourceEvent =
  /** Its application is observed from now on. */
  | { readonly type: 'observation.started' }
  | { readonly type: 'observation.stopped' }
  /** The object has changed. `isInSync`: it is in the desired state. */
  | { readonly type: 'object.changed'; readonly isInSync?: boolean }
  /** A resync is due, whatever the streams have reported. */
  | { readonly type: 'resync.due' }
  /** Its stream was lost, and reports its changes again. */
  | { readonly type: 'stream.resumed' }
  | { readonly type: 'check.inSync' }
  /** An observed field is different. */
  | ({ readonly type: 'check.drifted' } & ToCorrect)
  /** The object does not exist. */
  | ({ readonly type: 'check.missing' } & ToCorrect)
  /** It was tried while its application is applied, which continues. `result`: in the terms of an observed resource. */
  | { readonly type: 'apply.tried'; readonly result?: ResourceEvent }
  | { readonly type: 'write.done' }
  /** The object has changed since the write was decided on. */
  | { readonly type: 'write.conflicted' }
  /** The result of a write, also if no effect waits for it any more. */
  | ({ readonly type: 'write.ended' } & WriteResult)
  /** The newest manifest was refused, and the one that was applied before it is compared from now on. */
  | ({ readonly type: 'write.fellBack' } & Failure)
  /** The results of any effect. The object is being deleted. */
  | { readonly type: 'effect.terminating' }
  /** Another application owns the object. */
  | { readonly type: 'effect.claimed'; readonly reason?: string }
  /** The cluster does not serve its kind; `kind.served`: it does now. */
  | { readonly type: 'effect.typeMissing'; readonly reason?: string }
  | { readonly type: 'kind.served' }
  /** The API server of its kind does not respond, so nothing is known about the kind. */
  | ({ readonly type: 'effect.kindUnavailable' } & Failure)
  /** The resource can never be applied as it is. `nextAttemptIn`: it was refused before, and is retried then. */
  | ({ readonly type: 'effect.rejected'; readonly nextAttemptIn?: number } & Failure)
  /**
   * The newest manifest can never be applied, and is retried after `nextAttemptIn` milliseconds; the last applied one
   * is in sync.
   */
  | ({ readonly type: 'effect.usingLastApplied'; readonly nextAttemptIn?: number } & Failure)
  /**
   * There is no proof that the application's ServiceAccount may see the object, so nothing about it may be reported.
   */
  | ({ readonly type: 'effect.unverified' } & Failure)
  /** A transient failure. */
  | ({ readonly type: 'effect.failed' } & Failure);

const shortestRetry = 200;
const longestRetry = 300_000;

const noMemory: ResourceMemory = {
  state: 'pending',
  reason: '',
  appliedHash: undefined,
  appliedUid: undefined,
  mutatedByAdmission: [],
  corrections: new Map(),
  conflictingManager: undefined,
};

/**
 * Milliseconds. Without a back-off, two conflicting managers cause 300 writes a second, a rollout for each, and
 * thousands of pods.
 */
const firstBackoff = 2_000;
const longestBackoff = 300_000;
/** After this time without a correction, the next one of the path counts as the first. Milliseconds. */
export const quietPeriod = 600_000;
/**
 * The maximum number of paths. A conflicting manager that changes another path each time does not escape the back-off,
 * because an added element counts as its list.
 */
const maxPaths = 200;

function unprovided(): never {
  throw new Error(
    'The resource machine was started without its implementation: use the one that src/observer provides.',
  );
}

function unprovidedEffect() {
  return fromCallback<AnyEventObject, ResourceInput>(unprovided);
}

/** Of an object that differs or does not exist. */
const awaitingMaintenance = {
  description: 'No maintenance window is open: it is checked again when the next one opens, and every five minutes.',
  after: { maintenanceOpens: { target: '#resource.checking' } },
} as const;

/** The transitions of the states that write. */
const afterWrite = {
  'object.changed': { description: 'It is checked again afterwards.' },
  'resync.due': { description: 'It is checked again afterwards.' },
  'write.done': { target: 'checking', actions: ['forgetFailures', 'clearReports'] },
  'write.conflicted': { target: 'checking', description: 'The object has changed: it is checked again.' },
  'write.fellBack': {
    target: 'checking',
    actions: ['recordFailure', 'recordState', 'reportRejected'],
    description: 'The last known good manifest is compared from now on.',
  },
} as const;

export const resource = setup({
  types: {
    context: {} as ResourceContext,
    events: {} as ResourceEvent,
    input: {} as (Partial<ResourceInput> & { readonly memory?: Partial<ResourceMemory> }) | undefined,
  },
  actors: {
    check: unprovidedEffect(),
    correct: unprovidedEffect(),
    create: unprovidedEffect(),
    awaitKind: unprovidedEffect(),
  },
  actions: {
    raiseFailed: raise(({ event }) => ({ type: 'effect.failed' as const, reason: reasonOf(event) })),
    recordToCorrect: assign(({ context, event }) => toCorrectOf(context, event)),
    recordWrite: assign(({ context, event }) => ({
      conflicts: 'hasConflicted' in event && event.hasConflicted ? context.conflicts + 1 : 0,
      memory: memoryAfter(context.memory, event),
    })),
    recordState: assign(({ context, event }) => ({ memory: { ...context.memory, ...stateAfter(event) } })),
    recordReason: assign(({ event }) => ({ reason: reasonOf(event) })),
    forgetFailures: assign({ failures: 0, conflicts: 0, reason: '', opensIn: 0, pending: '' }),
    recordFailure: assign(({ context, event }) => ({
      reason: reasonOf(event),
      failure: failureOf(event),
      failures: context.failures + 1,
      retryIn: retryDelay(context.failures, event),
    })),
    recordRejected: assign(({ context, event }) => ({
      reason: reasonOf(event),
      failure: failureOf(event),
      failures: 'nextAttemptIn' in event ? Math.max(1, context.failures) : context.failures + 1,
      conflicts: 0,
      retryIn: nextAttemptOf(event),
    })),
    recordLastApplied: assign(({ context, event }) => ({
      reason: reasonOf(event),
      failure: failureOf(event),
      failures: Math.max(1, context.failures),
      conflicts: 0,
      retryIn: nextAttemptOf(event),
    })),
    reportInSync: unprovided,
    reportDrifted: unprovided,
    reportMissing: unprovided,
    reportBackOff: unprovided,
    reportPending: unprovided,
    reportTerminating: unprovided,
    clearReports: unprovided,
    reportClaimed: unprovided,
    reportTypeMissing: unprovided,
    reportRejected: unprovided,
    reportUsingLastApplied: unprovided,
    reportFailed: unprovided,
    reportUnverified: unprovided,
  },
  guards: {
    isDetectOnly: ({ context }) => !context.mayCorrect,
    isOutsideMaintenance: ({ context }) => context.opensIn > 0,
    hasBackoff: ({ context }) => context.backoff > 0,
    isInSync: ({ event }) => event.type === 'object.changed' && event.isInSync === true,
  },
  delays: {
    correctionBackoff: ({ context }) => context.backoff,
    maintenanceOpens: ({ context }) => context.opensIn,
    retryDelay: ({ context }) => context.retryIn,
    /** The stream usually reports the deletion sooner than this poll. */
    terminatingPollInterval: 5_000,
  },
}).createMachine({
  id: 'resource',
  description: 'One resource of an application: while it is observed, its drift is corrected.',
  options: { maxIterations: 1000 },
  context: ({ input }) => ({
    application: 'default/web',
    resource: 'apps/Deployment/default/web',
    ...input,
    memory: { ...noMemory, ...input?.memory },
    conflicts: 0,
    backoff: 0,
    mayCorrect: true,
    opensIn: 0,
    pending: '',
    failures: 0,
    retryIn: shortestRetry,
    reason: '',
    failure: 'other',
  }),
  initial: 'unobserved',
  on: {
    'observation.stopped': { target: '.unobserved' },
    'write.ended': { actions: 'recordWrite' },
    'apply.tried': { actions: 'recordState' },
    'object.changed': { target: '.checking' },
    'resync.due': { target: '.checking' },
    'effect.terminating': { target: '.terminating' },
    'effect.claimed': { target: '.claimed' },
    'effect.typeMissing': { target: '.typeMissing' },
    'effect.kindUnavailable': { target: '.kindUnavailable' },
    'effect.rejected': { target: '.refused' },
    'effect.usingLastApplied': { target: '.usingLastApplied' },
    'effect.unverified': { target: '.unverified' },
    'effect.failed': { target: '.backingOff' },
  },
  states: {
    unobserved: {
      description: 'Its application is not observed, for instance while it is applied: nothing is corrected.',
      entry: 'forgetFailures',
      on: {
        'observation.started': { target: 'checking' },
        'object.changed': { description: 'It is compared when the observation starts.' },
      },
    },
    checking: {
      description:
        'Compares the live object with the desired state; reads it from the API server if no stream is reliable.',
      invoke: running('check'),
      on: {
        'object.changed': { description: 'The newest version is compared once the response arrives.' },
        'resync.due': { description: 'A check is in flight.' },
        'check.inSync': { target: 'inSync' },
        'check.drifted': { target: 'drifted', actions: ['recordToCorrect', 'recordState', 'reportDrifted'] },
        'check.missing': { target: 'missing', actions: ['recordToCorrect', 'recordState', 'reportMissing'] },
      },
    },
    inSync: {
      description: 'Every observed field is as it was applied.',
      entry: ['forgetFailures', 'recordState', 'reportInSync'],
    },
    drifted: {
      description: 'An observed field differs.',
      initial: 'detected',
      states: {
        detected: {
          description: 'Decides whether and when the drift is corrected.',
          always: [
            { guard: 'isDetectOnly', target: 'detectOnly' },
            { guard: 'isOutsideMaintenance', target: 'awaitingMaintenance', actions: 'reportPending' },
            { guard: 'hasBackoff', target: 'waiting', actions: 'reportBackOff' },
            { target: '#resource.correcting' },
          ],
        },
        detectOnly: { description: 'Mode detect: it is only reported.' },
        awaitingMaintenance,
        waiting: {
          description: 'It was changed back: the next correction waits, longer each time.',
          after: { correctionBackoff: { target: '#resource.correcting' } },
        },
      },
    },
    missing: {
      description: 'The object does not exist.',
      initial: 'detected',
      states: {
        detected: {
          description: 'Decides whether and when it is recreated.',
          always: [
            { guard: 'isDetectOnly', target: 'detectOnly' },
            { guard: 'isOutsideMaintenance', target: 'awaitingMaintenance', actions: 'reportPending' },
            { guard: 'hasBackoff', target: 'waiting', actions: 'reportBackOff' },
            { target: '#resource.creating' },
          ],
        },
        detectOnly: { description: 'Mode detect: it is only reported.' },
        awaitingMaintenance,
        waiting: {
          description: 'It was deleted again: the next creation waits, longer each time.',
          after: { correctionBackoff: { target: '#resource.creating' } },
        },
      },
    },
    correcting: {
      description: 'Waits for a slot, and applies its fields.',
      invoke: running('correct'),
      on: afterWrite,
    },
    creating: {
      description: 'Waits for a slot, and creates the resource.',
      invoke: running('create'),
      on: afterWrite,
    },
    claimed: {
      description: 'It belongs to another application, and is not changed.',
      entry: ['recordReason', 'recordState', 'reportClaimed'],
    },
    usingLastApplied: {
      description:
        'The API server refuses the current manifest, and the last applied one is in sync and stays corrected. The current ' +
        'one is retried every five minutes.',
      entry: ['recordLastApplied', 'recordState', 'reportUsingLastApplied'],
      after: { retryDelay: { target: 'checking' } },
    },
    typeMissing: {
      description: 'The API server does not serve its kind: waits until the shared discovery finds it.',
      entry: ['recordReason', 'recordState', 'reportTypeMissing'],
      invoke: running('awaitKind'),
      on: {
        'kind.served': { target: 'checking' },
      },
    },
    terminating: {
      description: 'The object or its namespace is being deleted: nothing is applied until it no longer exists.',
      entry: ['recordState', 'reportTerminating'],
      after: { terminatingPollInterval: { target: 'checking' } },
    },
    refused: {
      description:
        'The API server refuses it, or some of its fields, permanently: retried every five minutes. Other fields stay ' +
        'corrected.',
      entry: ['recordRejected', 'recordState', 'reportRejected'],
      after: { retryDelay: { target: 'checking' } },
    },
    backingOff: {
      description: 'A transient failure: retried after a pause of up to five minutes.',
      entry: ['recordFailure', 'recordState', 'reportFailed'],
      after: { retryDelay: { target: 'checking' } },
      on: {
        'object.changed': [
          { guard: 'isInSync', target: 'checking', description: 'Another client has corrected it.' },
          { description: 'Checked when the pause is over.' },
        ],
        'resync.due': { description: 'Checked when the pause is over.' },
        'stream.resumed': { target: 'checking', description: 'The API server may be available again.' },
      },
    },
    kindUnavailable: {
      description: 'The API server of its kind does not respond: waits as for a kind that is not served.',
      entry: ['recordFailure', 'recordState', 'reportFailed'],
      invoke: running('awaitKind'),
      on: {
        'kind.served': { target: 'checking' },
        'resync.due': { description: 'Discovery notices when the kind is available again.' },
      },
    },
    unverified: {
      description:
        'There is no proof that the ServiceAccount of the application may see the object: whatever happens to the object, ' +
        'the same is reported at the same times. Checked again after a pause of up to five minutes.',
      entry: ['recordFailure', 'recordState', 'reportUnverified'],
      after: { retryDelay: { target: 'checking' } },
      on: {
        'object.changed': { description: 'Must not reveal whether the object exists, or its state.' },
        'resync.due': { description: 'Checked when the pause is over.' },
      },
    },
  },
});

/** Runs an effect, which throws only because of a bug in weeder. */
function running<Effect extends string>(effect: Effect) {
  return { id: effect, src: effect, input: inputOf, onError: { actions: 'raiseFailed' } } as const;
}

function inputOf({ context: { application, resource: key } }: { readonly context: ResourceContext }): ResourceInput {
  return { application, resource: key };
}

/** The state that each event leads to. */
const stateOf: Partial<Readonly<Record<ResourceEvent['type'], ResourceState>>> = {
  'check.inSync': 'inSync',
  'check.drifted': 'drifted',
  'check.missing': 'missing',
  'effect.terminating': 'terminating',
  'effect.claimed': 'claimed',
  'effect.typeMissing': 'typeMissing',
  'effect.kindUnavailable': 'backingOff',
  'effect.rejected': 'refused',
  'effect.usingLastApplied': 'refused',
  'effect.unverified': 'unverified',
  'effect.failed': 'backingOff',
  'write.fellBack': 'refused',
};

/**
 * The state stays if the effect was cancelled, or if the manifest is not applied yet: then it differs from the live
 * object, which is not drift.
 */
function stateAfter(event: ResourceEvent): Partial<Pick<ResourceMemory, 'state' | 'reason'>> {
  if (event.type === 'apply.tried') return event.result === undefined ? {} : stateAfter(event.result);
  const state = stateOf[event.type];
  const isUnapplied = (state === 'drifted' || state === 'missing') && !('paths' in event && event.paths.length > 0);
  if (state === undefined || isUnapplied || failureOf(event) === 'cancelled') return {};
  return { state, reason: state === 'terminating' ? '' : reasonOf(event) };
}

function toCorrectOf(
  { memory }: ResourceContext,
  event: ToCorrect & { readonly type: string },
): Partial<ResourceContext> {
  const { paths = [], now = 0, longestWait = longestBackoff, mayCorrect = true, opensIn = 0, pending = '' } = event;
  return {
    backoff: Math.min(backoffOf(memory.corrections, paths, now), longestWait),
    mayCorrect,
    // A calendar is read again often enough, since the clock may be set and the current manifest may be due.
    opensIn: Math.min(opensIn, longestWait),
    pending,
    memory: 'conflictingManager' in event ? { ...memory, conflictingManager: event.conflictingManager } : memory,
  };
}

/**
 * Milliseconds from `now` until these may be corrected: 0 the first time, then doubled each time, counted from the
 * previous correction. One correction applies all paths, so the longest delay counts.
 */
function backoffOf(corrections: ResourceMemory['corrections'], paths: readonly string[], now: number): number {
  const waits = paths.map((path) => {
    const { count, last } = corrections.get(path) ?? { count: 0, last: Number.NEGATIVE_INFINITY };
    return last + Math.min(longestBackoff, firstBackoff * 2 ** (count - 1)) - now;
  });
  // A clock that was set back never makes the delay longer.
  return waits.reduce((longest, wait) => Math.max(longest, Math.min(wait, longestBackoff)), 0);
}

function memoryAfter(memory: ResourceMemory, event: WriteResult & { readonly type: string }): ResourceMemory {
  const { hash, uid = memory.appliedUid, mutated = [], paths = [], now = 0 } = event;
  return {
    ...memory,
    appliedHash: hash ?? memory.appliedHash,
    appliedUid: uid,
    mutatedByAdmission: hash === undefined ? [...new Set([...memory.mutatedByAdmission, ...mutated])] : [],
    corrections: paths.length === 0 ? memory.corrections : withCorrection(memory.corrections, paths, now),
  };
}

/** Counts a correction, and drops paths without one in the quiet period. */
function withCorrection(
  corrections: ResourceMemory['corrections'],
  paths: readonly string[],
  now: number,
): ResourceMemory['corrections'] {
  const recent = new Map([...corrections].filter(([, { last }]) => now - last < quietPeriod));
  for (const path of new Set(paths)) {
    const count = (recent.get(path)?.count ?? 0) + 1;
    recent.delete(path);
    recent.set(path, { count: Math.min(count, 32), last: now });
  }
  return new Map([...recent].slice(-maxPaths));
}

/** The message of the error where an effect failed, otherwise the reason in the event. */
function reasonOf(event: object): string {
  if ('error' in event && event.error instanceof Error) return event.error.message;
  return 'reason' in event && typeof event.reason === 'string' ? event.reason : '';
}

function failureOf(event: object): string {
  return 'failure' in event && typeof event.failure === 'string' ? event.failure : 'other';
}

/** Defaults to the longest retry delay. */
function nextAttemptOf(event: object): number {
  return 'nextAttemptIn' in event && typeof event.nextAttemptIn === 'number'
    ? Math.max(0, event.nextAttemptIn)
    : longestRetry;
}

/**
 * The delay doubles from 200 ms to five minutes, or to the event's own maximum, minus a random half. It is never
 * shorter than the server requested.
 */
function retryDelay(times: number, event: object): number {
  const jitter = 'jitter' in event && typeof event.jitter === 'number' ? event.jitter : 1;
  const retryAfter = 'retryAfter' in event && typeof event.retryAfter === 'number' ? event.retryAfter : 0;
  const longest =
    'maxRetryDelay' in event && typeof event.maxRetryDelay === 'number' ? event.maxRetryDelay : longestRetry;
  return Math.max(retryAfter, Math.min(longest, shortestRetry * 2 ** Math.min(times, 16)) * (0.5 + 0.5 * jitter));
}
