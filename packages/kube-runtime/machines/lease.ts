/**
 * At most one replica leads: it stops at the latest `renewDeadline` after it has sent its last successful renewal, and
 * no other one takes over before it has seen no renewal for `leaseDuration`, or a release. Clocks need not agree, but
 * must run at about the same rate. Does not guarantee this if another client deletes or changes the Lease. Nor does it
 * fence requests: a process that was suspended is `leading` until its timers fire, so callers check the
 * `LeadershipTerm` before each write, and the API server may execute a request after the loss.
 */

import { assign, type ErrorActorEvent, enqueueActions, fromCallback, raise, setup } from 'xstate';

/** The identity and the times of a candidate. All times are milliseconds. */
interface LeaseInput {
  /** The identity in the Lease, unique among all replicas. */
  readonly identity: string;
  /** How long other replicas must not take over the Lease after a renewal. */
  readonly leaseDuration: number;
  /**
   * Without a renewal for this long, this replica stops leading. Shorter than `leaseDuration`, so that there are never
   * two leaders.
   */
  readonly renewDeadline: number;
  readonly retryPeriod: number;
  /** The source of jitter: a number from 0 up to 1. Default: `Math.random`. */
  readonly random: () => number;
}

/** The input of a write to the Lease. */
export interface LeaseWriteInput {
  readonly operation: 'acquire' | 'renew' | 'release';
  /** The resourceVersion to replace; undefined: there is no Lease, and one is created. */
  readonly version: string | undefined;
}

export interface LeaseWatchInput {
  /** The resourceVersion from which the watch starts. */
  readonly version: string | undefined;
}

interface LeaseContext extends LeaseInput {
  /** The resourceVersion of the Lease when it was last read; undefined: there is none. */
  readonly version: string | undefined;
  /** The record as text; undefined: the Lease has not been read yet. */
  readonly record: string | undefined;
  /** Empty: there is no holder. Undefined: not known yet. */
  readonly holder: string | undefined;
  /** When the holder acquired the Lease, by its own clock, for users. Undefined: not known. */
  readonly acquiredAt: number | undefined;
  /** How long a renewal by the holder is valid. */
  readonly heldFor: number;
  /** When `record` was first observed, by the local monotonic clock. */
  readonly changedAt: number;
  /** When the Lease was last read, by the same clock. */
  readonly now: number;
  /** How long the last write took, from its request to its response. */
  readonly tookMs: number;
  /** The number of consecutive failed requests. */
  readonly failures: number;
  readonly conflicts: number;
  /** A shutdown was requested during a write that may make this replica the holder. */
  readonly isReleaseRequested: boolean;
  /** Why leadership was lost, for users. */
  readonly reason: string;
}

/** A Lease as it was read. */
interface Sighting {
  readonly holder?: string;
  readonly acquiredAt?: number | undefined;
  readonly version?: string;
  readonly record?: string;
  readonly heldFor?: number;
  /** By the local monotonic clock. */
  readonly now?: number;
}

export type LeaseEvent =
  | ({ readonly type: 'lease.found' } & Sighting)
  | { readonly type: 'lease.missing'; readonly now?: number }
  | { readonly type: 'lease.written'; readonly version?: string; readonly tookMs?: number }
  /**
   * Another replica wrote in the meantime, or an earlier write of this replica succeeded although its response was
   * lost.
   */
  | { readonly type: 'lease.conflicted' }
  | { readonly type: 'lease.failed'; readonly message?: string }
  | { readonly type: 'watch.ended'; readonly hasSettled?: boolean; readonly message?: string }
  /** A shutdown was requested, and no write is in flight any more. */
  | { readonly type: 'release.requested' };

/** Sent to the parent, if there is one. */
export interface LeadershipEvent {
  readonly type: 'leadership.acquired' | 'leadership.lost' | 'leadership.released';
}

function unprovided(): never {
  throw new Error('The lease machine was started without its implementation: use the one that src/lease provides.');
}

/** As in client-go: candidates wait for one to 2.2 retry periods, so that they do not send requests in step. */
const jitterFactor = 1.2;
/** The longest timer, in milliseconds: one read in ten minutes costs little. */
const longestWait = 600_000;

export const lease = setup({
  types: {
    context: {} as LeaseContext,
    events: {} as LeaseEvent | ErrorActorEvent,
    input: {} as Partial<LeaseInput> | undefined,
    tags: {} as 'leading',
  },
  actors: {
    leaseRead: fromCallback<LeaseEvent>(unprovided),
    leaseWrite: fromCallback<LeaseEvent, LeaseWriteInput>(unprovided),
    leaseWatch: fromCallback<LeaseEvent, LeaseWatchInput>(unprovided),
  },
  actions: {
    recordFound: assign(({ context, event }) => {
      const { holder, acquiredAt, version, record, heldFor, now } = sightingOf(event, context);
      const changedAt = record === context.record ? context.changedAt : now;
      return { holder, acquiredAt, version, record, heldFor, now, changedAt, failures: 0 };
    }),
    recordMissing: assign(({ context, event }) => ({
      version: undefined,
      now: sightingOf(event, context).now,
      failures: 0,
    })),
    recordHeld: assign(({ context, event }) => ({
      version: event.type === 'lease.written' ? event.version : undefined,
      tookMs: tookMs(event),
      holder: context.identity,
      failures: 0,
      conflicts: 0,
    })),
    recordConflict: assign({ conflicts: ({ context }) => context.conflicts + 1, failures: 0 }),
    recordFailure: assign({ failures: ({ context }) => context.failures + 1 }),
    raiseFailed: raise(({ event }) => ({ type: 'lease.failed', message: causeOf(event) })),
    raiseUnwatched: raise(({ event }) => ({ type: 'watch.ended', message: causeOf(event) })),
    recordRelease: assign({ isReleaseRequested: true }),
    recordOverdue: assign({ reason: 'it could not be renewed in time' }),
    recordTaken: assign(({ context, event }) => {
      const { holder } = sightingOf(event, context);
      return { holder, reason: holder === '' ? 'the holder released it' : `${holder} holds it now` };
    }),
    announceAcquired: enqueueActions(({ enqueue, self }) => {
      if (self._parent !== undefined) enqueue.sendTo(self._parent, leadershipEvent('leadership.acquired'));
    }),
    announceLost: enqueueActions(({ enqueue, self }) => {
      if (self._parent !== undefined) enqueue.sendTo(self._parent, leadershipEvent('leadership.lost'));
    }),
    announceReleased: enqueueActions(({ enqueue, self }) => {
      if (self._parent !== undefined) enqueue.sendTo(self._parent, leadershipEvent('leadership.released'));
    }),
    reportAcquired: unprovided,
    reportLost: unprovided,
    reportHolder: unprovided,
    reportReleased: unprovided,
    reportFailed: unprovided,
    reportReleaseFailed: unprovided,
    reportUnwatched: unprovided,
    endTerm: unprovided,
  },
  guards: {
    isFree: ({ context, event }) => {
      const { holder, record, now } = sightingOf(event, context);
      if (holder === '' || holder === context.identity) return true;
      return record === context.record && isOver(context, now);
    },
    isUnclaimed: ({ context, event }) => {
      const { holder, identity } = context;
      return !holder || holder === identity || isOver(context, sightingOf(event, context).now);
    },
    isMine: ({ context, event }) => sightingOf(event, context).holder === context.identity,
    isInTime: ({ context, event }) => tookMs(event) < context.renewDeadline,
    isFirstConflict: ({ context }) => context.conflicts === 0,
    isReleaseRequested: ({ context }) => context.isReleaseRequested,
    hasSettled: ({ event }) => event.type === 'watch.ended' && event.hasSettled === true,
  },
  delays: {
    expiry: ({ context: { changedAt, heldFor, now } }) =>
      Math.min(longestWait, Math.max(0, Math.ceil(changedAt + heldFor - now))),
    retryDelay: ({ context: { retryPeriod, random } }) => retryPeriod * (1 + jitterFactor * random()),
    retryPeriod: ({ context }) => context.retryPeriod,
    renewDeadline: ({ context: { renewDeadline, tookMs } }) => Math.max(0, renewDeadline - tookMs),
  },
}).createMachine({
  id: 'lease',
  description: 'Leader election: of all replicas, the one that holds the Lease acts.',
  options: { maxIterations: 1000 },
  context: ({ input }) => ({
    identity: input?.identity ?? 'me',
    leaseDuration: input?.leaseDuration ?? 15_000,
    renewDeadline: input?.renewDeadline ?? 10_000,
    retryPeriod: input?.retryPeriod ?? 2_000,
    random: input?.random ?? Math.random,
    version: undefined,
    record: undefined,
    holder: undefined,
    acquiredAt: undefined,
    heldFor: 0,
    changedAt: 0,
    now: 0,
    tookMs: 0,
    failures: 0,
    conflicts: 0,
    isReleaseRequested: false,
    reason: '',
  }),
  initial: 'candidate',
  states: {
    candidate: {
      description: 'Does not act. Another replica leads, or none does yet.',
      on: {
        'lease.failed': { target: '.retrying', actions: ['recordFailure', 'reportFailed'] },
        'release.requested': { target: 'released' },
      },
      initial: 'reading',
      states: {
        reading: {
          id: 'reading',
          description: 'Reads which replica holds the Lease.',
          always: { guard: 'isReleaseRequested', target: '#released' },
          invoke: { id: 'leaseRead', src: 'leaseRead', onError: { actions: 'raiseFailed' } },
          on: {
            'lease.found': [
              {
                guard: 'isFree',
                description: 'The Lease was released, is held by this replica, or was not renewed within its duration.',
                target: 'acquiring',
                actions: 'recordFound',
              },
              { target: 'standingBy', actions: 'recordFound' },
            ],
            'lease.missing': [
              { guard: 'isUnclaimed', target: 'acquiring', actions: 'recordMissing' },
              {
                description: 'The Lease was deleted while another replica held it, and that replica may still act.',
                target: 'retrying',
                actions: 'recordMissing',
              },
            ],
          },
        },
        acquiring: {
          description: 'Writes the identity of this replica to the Lease, unless another replica was first.',
          invoke: {
            id: 'leaseWrite',
            src: 'leaseWrite',
            input: ({ context: { version } }) => ({ operation: 'acquire', version }),
            onError: { actions: 'raiseFailed' },
          },
          on: {
            'lease.written': [
              {
                guard: 'isInTime',
                target: '#leading',
                actions: ['recordHeld', 'reportAcquired', 'announceAcquired'],
              },
              { description: 'The response is too old to rely on.', target: 'reading' },
            ],
            'lease.conflicted': { target: 'retrying', actions: 'recordConflict' },
            'release.requested': {
              description:
                'Waits for the response: this replica may become the holder, and has to release the Lease then.',
              actions: 'recordRelease',
            },
          },
        },
        standingBy: {
          description:
            'Another replica holds the Lease: waits until it is released, or was not renewed within its duration.',
          entry: 'reportHolder',
          invoke: {
            id: 'leaseWatch',
            src: 'leaseWatch',
            input: ({ context }) => ({ version: context.version }),
            onError: { actions: 'raiseUnwatched' },
          },
          on: {
            'lease.found': [
              { guard: 'isFree', target: 'reading', actions: 'recordFound' },
              { target: '.waiting', actions: ['recordFound', 'reportHolder'] },
            ],
            'lease.missing': { target: 'retrying', actions: 'recordMissing' },
            'watch.ended': [
              { guard: 'hasSettled', target: 'reading' },
              {
                description: 'The Lease cannot be watched, so it is polled.',
                target: 'retrying',
                actions: 'reportUnwatched',
              },
            ],
          },
          initial: 'waiting',
          states: {
            waiting: {
              description:
                'Each change restarts the timer, by the clock of this node, since other clocks may be wrong.',
              after: { expiry: { target: '#reading' } },
            },
          },
        },
        retrying: {
          description: 'Waits, and reads the Lease again.',
          always: { guard: 'isReleaseRequested', target: '#released' },
          after: { retryDelay: { target: 'reading' } },
        },
      },
    },
    leading: {
      id: 'leading',
      description: 'This replica acts. Each renewal restarts the deadline, counted from its request.',
      tags: 'leading',
      always: { guard: 'isReleaseRequested', target: 'releasing' },
      after: { renewDeadline: { target: 'lost', actions: 'recordOverdue' } },
      on: {
        'lease.written': [
          { guard: 'isInTime', target: 'leading', reenter: true, actions: 'recordHeld' },
          {
            description: 'The process was suspended, and the response came after the deadline.',
            target: 'lost',
            actions: 'recordOverdue',
          },
        ],
        'lease.failed': { target: '.retrying', actions: ['recordFailure', 'reportFailed'] },
        'release.requested': { target: 'releasing' },
      },
      initial: 'resting',
      states: {
        resting: {
          description: 'Waits for retryPeriod until the next renewal.',
          after: { retryPeriod: { target: 'renewing' } },
        },
        renewing: {
          description: 'Renews the Lease.',
          invoke: {
            id: 'leaseWrite',
            src: 'leaseWrite',
            input: ({ context: { version } }) => ({ operation: 'renew', version }),
            onError: { actions: 'raiseFailed' },
          },
          on: {
            'lease.conflicted': [
              { guard: 'isFirstConflict', target: 'checking', actions: 'recordConflict' },
              { target: 'retrying' },
            ],
          },
        },
        retrying: {
          description: 'The last request failed. It is unknown whether the API server executed it.',
          after: { retryPeriod: { target: 'checking' } },
        },
        checking: {
          description: 'Reads whether this replica still holds the Lease.',
          invoke: { id: 'leaseRead', src: 'leaseRead', onError: { actions: 'raiseFailed' } },
          on: {
            'lease.found': [
              { guard: 'isMine', target: 'renewing', actions: 'recordFound' },
              { target: '#lost', actions: 'recordTaken' },
            ],
            'lease.missing': {
              description: 'Another client deleted the Lease: it is created again.',
              target: 'renewing',
              actions: 'recordMissing',
            },
          },
        },
      },
    },
    releasing: {
      description: 'Releases the Lease, so that another replica takes over at once.',
      entry: 'endTerm',
      on: {
        'lease.failed': {
          description: 'No other replica acquires the Lease before its duration is over.',
          target: 'released',
          actions: 'reportReleaseFailed',
        },
      },
      initial: 'writing',
      states: {
        writing: {
          description: 'Removes the identity of this replica from the Lease.',
          invoke: {
            id: 'leaseWrite',
            src: 'leaseWrite',
            input: ({ context: { version } }) => ({ operation: 'release', version }),
            onError: { actions: 'raiseFailed' },
          },
          on: {
            'lease.written': { target: '#released', actions: 'reportReleased' },
            'lease.conflicted': { target: 'checking' },
          },
        },
        checking: {
          description: 'A renewal was in flight: reads whether this replica still holds the Lease.',
          invoke: { id: 'leaseRead', src: 'leaseRead', onError: { actions: 'raiseFailed' } },
          on: {
            'lease.found': [{ guard: 'isMine', target: 'writing', actions: 'recordFound' }, { target: '#released' }],
            'lease.missing': { target: '#released' },
          },
        },
      },
    },
    released: {
      id: 'released',
      type: 'final',
      description: 'This replica does not hold the Lease, and is no longer a candidate.',
      entry: 'announceReleased',
    },
    lost: {
      id: 'lost',
      type: 'final',
      description: 'Another replica may lead: this one starts nothing. A new candidate stands by.',
      entry: ['endTerm', 'reportLost', 'announceLost'],
    },
  },
});

/** Why an actor failed. */
function causeOf(event: object): string {
  const error = 'error' in event ? event.error : undefined;
  return error instanceof Error ? error.message : String(error);
}

function leadershipEvent(type: LeadershipEvent['type']): LeadershipEvent {
  return { type };
}

/** The complete payload of an observation: events may lack one (a visualizer sends bare types). */
function sightingOf(event: { readonly type: string } & Sighting, context: LeaseContext) {
  const { holder = '', acquiredAt, version, record = '', heldFor = context.leaseDuration, now = context.now } = event;
  return { holder, acquiredAt, version, record, heldFor, now };
}

function tookMs(event: { readonly type: string; readonly tookMs?: number }): number {
  return event.tookMs ?? 0;
}

/** Whether the record has not changed for the duration that its holder set. */
function isOver({ changedAt, heldFor }: LeaseContext, now: number): boolean {
  return now - changedAt >= heldFor;
}
