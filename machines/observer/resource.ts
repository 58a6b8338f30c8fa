import { type AnyEventObject, assign, fromCallback, setup } from 'xstate';

/** One resource of an application that is observed. */
export interface ResourceInput {
  /** The application, such as `shop/web`, and the resource within it, such as `apps/Deployment/shop/web`. */
  readonly application: string;
  readonly resource: string;
}

interface ResourceContext extends ResourceInput {
  /** How long a correction waits, in milliseconds, because the one before it did not last. */
  readonly paceIn: number;
  /** False: it is told what is different, and nothing is written. */
  readonly mayCorrect: boolean;
  /** Refusals in a row. */
  readonly refusals: number;
  readonly retryIn: number;
  /** Why it is not in sync, or is tried again: for people. */
  readonly reason: string;
  /** The class of the newest refusal. */
  readonly failure: string;
}

/**
 * `jitter` is random, from 0 to 1. `retryAfter` is what the server asks for, and `maxRetryDelay` the longest pause, both in
 * milliseconds. `failure` is the class of the refusal.
 */
interface Refused {
  readonly jitter?: number;
  readonly retryAfter?: number;
  readonly maxRetryDelay?: number;
  readonly reason?: string;
  readonly failure?: string;
}

/** `wait`: so many milliseconds must pass before it is corrected; `mayCorrect`: whether it is at all. */
interface ToCorrect {
  readonly wait?: number;
  readonly mayCorrect?: boolean;
}

export type ResourceEvent =
  /** Something about it is other than it was. `isInSync`: it is as it is wanted. */
  | { readonly type: 'object.changed'; readonly isInSync?: boolean }
  /** It is time to look again, whatever was told. */
  | { readonly type: 'resync.due' }
  /** Its stream was lost, and reports its changes again. */
  | { readonly type: 'stream.resumed' }
  | { readonly type: 'look.inSync' }
  /** An observed field is different. */
  | ({ readonly type: 'look.drifted' } & ToCorrect)
  /** It is not there. */
  | ({ readonly type: 'look.missing' } & ToCorrect)
  /** It is being deleted. */
  | { readonly type: 'look.ending' }
  /** Another application has it. */
  | { readonly type: 'look.claimed'; readonly reason?: string }
  /** The cluster does not know its kind; `kind.served`: now it does. */
  | { readonly type: 'look.typeMissing'; readonly reason?: string }
  | { readonly type: 'kind.served' }
  /** What serves its kind does not answer, so that not even that is known which the kind says of its objects. */
  | ({ readonly type: 'look.kindAway' } & Refused)
  /** It can never succeed as it is. */
  | ({ readonly type: 'look.refused' } & Refused)
  /** That is so of its newest manifest, which is tried again after `rest` milliseconds; what was applied before is as it was. */
  | ({ readonly type: 'look.keeping'; readonly rest?: number } & Refused)
  /** There is no proof that the application's account may see the object: nothing that is found of it is told. */
  | ({ readonly type: 'look.unverified' } & Refused)
  /** What may pass. */
  | ({ readonly type: 'look.failed' } & Refused)
  /** The same, as the answer to a write. */
  | { readonly type: 'write.done' }
  | { readonly type: 'write.conflicted' }
  | { readonly type: 'write.ending' }
  | { readonly type: 'write.claimed'; readonly reason?: string }
  | { readonly type: 'write.typeMissing'; readonly reason?: string }
  /** `isKept`: it was the newest manifest, and what was applied before is known. */
  | ({ readonly type: 'write.refused'; readonly isKept?: boolean } & Refused)
  | ({ readonly type: 'write.unverified' } & Refused)
  | ({ readonly type: 'write.failed' } & Refused);

const shortestRetry = 200;
const longestRetry = 300_000;

function unprovided(): never {
  throw new Error(
    'The resource machine was started without its implementation: use the one that src/observer provides.',
  );
}

function unprovidedEffect() {
  return fromCallback<AnyEventObject, ResourceInput>(unprovided);
}

export const resource = setup({
  types: {
    context: {} as ResourceContext,
    events: {} as ResourceEvent,
    input: {} as Partial<ResourceInput> | undefined,
  },
  actors: {
    look: unprovidedEffect(),
    correct: unprovidedEffect(),
    create: unprovidedEffect(),
    awaitKind: unprovidedEffect(),
  },
  actions: {
    noteWanted: assign(({ event }) => toCorrectOf(event)),
    noteReason: assign(({ event }) => ({ reason: reasonOf(event) })),
    noteProgress: assign({ refusals: 0, reason: '' }),
    noteRefusal: assign(({ context, event }) => ({
      reason: reasonOf(event),
      failure: failureOf(event),
      refusals: context.refusals + 1,
      retryIn: retryDelay(context.refusals, event),
    })),
    noteKeeping: assign(({ context, event }) => ({
      reason: reasonOf(event),
      failure: failureOf(event),
      refusals: Math.max(1, context.refusals),
      retryIn: restOf(event),
    })),
    reportInSync: unprovided,
    reportDrifted: unprovided,
    reportMissing: unprovided,
    reportWaiting: unprovided,
    reportEnding: unprovided,
    reportCorrected: unprovided,
    reportCreated: unprovided,
    reportClaimed: unprovided,
    reportTypeMissing: unprovided,
    reportRefused: unprovided,
    reportKeeping: unprovided,
    reportFailed: unprovided,
    reportUnverified: unprovided,
  },
  guards: {
    isDetectOnly: ({ context }) => !context.mayCorrect,
    isPaced: ({ context }) => context.paceIn > 0,
    isInSync: ({ event }) => event.type === 'object.changed' && event.isInSync === true,
    isKept: ({ event }) => event.type === 'write.refused' && event.isKept === true,
  },
  delays: {
    pace: ({ context }) => context.paceIn,
    retryDelay: ({ context }) => context.retryIn,
    /** What the API server will never take is shown at once, and tried again this rarely. */
    refusalRest: longestRetry,
    /** The stream tells sooner, unless it is broken. */
    lookAgain: 5_000,
  },
}).createMachine({
  id: 'resource',
  description:
    'One resource of an application, while it is observed: compared with what the API server made of the last apply, and ' +
    'corrected where an observed field is different.',
  options: { maxIterations: 1000 },
  context: ({ input }) => ({
    application: 'default/web',
    resource: 'apps/Deployment/default/web',
    ...input,
    paceIn: 0,
    mayCorrect: true,
    refusals: 0,
    retryIn: shortestRetry,
    reason: '',
    failure: 'other',
  }),
  initial: 'looking',
  on: {
    'object.changed': { target: '.looking' },
    'resync.due': { target: '.looking' },
  },
  states: {
    looking: {
      description: 'Compares what is there with what is wanted; asks the API server where the stream cannot tell.',
      invoke: {
        id: 'look',
        src: 'look',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['noteRefusal', 'reportFailed'] },
      },
      on: {
        'object.changed': { description: 'The newest is compared when the answer is there.' },
        'resync.due': { description: 'It is being looked at.' },
        'look.inSync': { target: 'inSync' },
        'look.drifted': { target: 'drifted', actions: ['noteWanted', 'reportDrifted'] },
        'look.missing': { target: 'missing', actions: ['noteWanted', 'reportMissing'] },
        'look.ending': { target: 'terminating' },
        'look.claimed': { target: 'claimed', actions: ['noteReason', 'reportClaimed'] },
        'look.typeMissing': { target: 'typeMissing', actions: ['noteReason', 'reportTypeMissing'] },
        'look.kindAway': { target: 'kindAway', actions: ['noteRefusal', 'reportFailed'] },
        'look.refused': { target: 'refused', actions: ['noteRefusal', 'reportRefused'] },
        'look.keeping': { target: 'keeping', actions: ['noteKeeping', 'reportKeeping'] },
        'look.unverified': { target: 'unverified', actions: ['noteRefusal', 'reportUnverified'] },
        'look.failed': { target: 'backingOff', actions: ['noteRefusal', 'reportFailed'] },
      },
    },
    inSync: {
      description: 'Every observed field is as it was applied.',
      entry: ['noteProgress', 'reportInSync'],
    },
    drifted: {
      description: 'An observed field is different.',
      initial: 'found',
      states: {
        found: {
          description: 'Whether, and when, it is corrected.',
          always: [
            { guard: 'isDetectOnly', target: 'told' },
            { guard: 'isPaced', target: 'waiting', actions: 'reportWaiting' },
            { target: '#resource.correcting' },
          ],
        },
        told: { description: 'It is not to be corrected: told, and nothing else.' },
        waiting: {
          description: 'Somebody keeps changing it back: the next correction waits, longer each time.',
          after: { pace: { target: '#resource.correcting' } },
        },
      },
    },
    missing: {
      description: 'It is not there.',
      initial: 'found',
      states: {
        found: {
          description: 'Whether, and when, it is created anew.',
          always: [
            { guard: 'isDetectOnly', target: 'told' },
            { guard: 'isPaced', target: 'waiting', actions: 'reportWaiting' },
            { target: '#resource.creating' },
          ],
        },
        told: { description: 'It is not to be created: told, and nothing else.' },
        waiting: {
          description: 'Somebody keeps deleting it: it is created anew later each time.',
          after: { pace: { target: '#resource.creating' } },
        },
      },
    },
    correcting: {
      description: 'Waits for its turn, and applies the whole observed part of the resource.',
      invoke: {
        id: 'correct',
        src: 'correct',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['noteRefusal', 'reportFailed'] },
      },
      on: {
        'object.changed': { description: 'It is looked at again afterwards.' },
        'resync.due': { description: 'It is looked at again afterwards.' },
        'write.done': { target: 'looking', actions: ['noteProgress', 'reportCorrected'] },
        'write.conflicted': { target: 'looking', description: 'It is not what it was: looked at again.' },
        'write.ending': { target: 'terminating' },
        'write.claimed': { target: 'claimed', actions: ['noteReason', 'reportClaimed'] },
        'write.typeMissing': { target: 'typeMissing', actions: ['noteReason', 'reportTypeMissing'] },
        'write.refused': [
          {
            guard: 'isKept',
            target: 'looking',
            actions: ['noteRefusal', 'reportRefused'],
            description: 'What was applied before is compared from now on.',
          },
          { target: 'refused', actions: ['noteRefusal', 'reportRefused'] },
        ],
        'write.unverified': { target: 'unverified', actions: ['noteRefusal', 'reportUnverified'] },
        'write.failed': { target: 'backingOff', actions: ['noteRefusal', 'reportFailed'] },
      },
    },
    creating: {
      description: 'Waits for its turn, and makes the resource anew.',
      invoke: {
        id: 'create',
        src: 'create',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['noteRefusal', 'reportFailed'] },
      },
      on: {
        'object.changed': { description: 'It is looked at again afterwards.' },
        'resync.due': { description: 'It is looked at again afterwards.' },
        'write.done': { target: 'looking', actions: ['noteProgress', 'reportCreated'] },
        'write.conflicted': { target: 'looking', description: 'Somebody else was faster.' },
        'write.ending': { target: 'terminating' },
        'write.claimed': { target: 'claimed', actions: ['noteReason', 'reportClaimed'] },
        'write.typeMissing': { target: 'typeMissing', actions: ['noteReason', 'reportTypeMissing'] },
        'write.refused': [
          {
            guard: 'isKept',
            target: 'looking',
            actions: ['noteRefusal', 'reportRefused'],
            description: 'What was applied before is compared from now on.',
          },
          { target: 'refused', actions: ['noteRefusal', 'reportRefused'] },
        ],
        'write.unverified': { target: 'unverified', actions: ['noteRefusal', 'reportUnverified'] },
        'write.failed': { target: 'backingOff', actions: ['noteRefusal', 'reportFailed'] },
      },
    },
    unverified: {
      description:
        'There is no proof that the account of the application may see the object: whatever becomes of the object, the ' +
        'same is reported, at the same times. Asked for again after a pause of up to five minutes.',
      after: { retryDelay: { target: 'looking' } },
      on: {
        'object.changed': { description: 'It must not show whether there is an object, or how it is.' },
        'resync.due': { description: 'Asked for when the pause is over.' },
      },
    },
    terminating: {
      description: 'It, or its namespace, is being deleted: its end is waited for, and nothing applied.',
      entry: 'reportEnding',
      after: { lookAgain: { target: 'looking' } },
    },
    claimed: {
      description: 'It belongs to another application, and is left alone.',
    },
    typeMissing: {
      description:
        'The cluster does not know its kind, yet: waits until discovery, which all resources share, says that it is served.',
      invoke: {
        id: 'awaitKind',
        src: 'awaitKind',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['noteRefusal', 'reportFailed'] },
      },
      on: {
        'kind.served': { target: 'looking' },
        'look.failed': { target: 'backingOff', actions: ['noteRefusal', 'reportFailed'] },
      },
    },
    kindAway: {
      description: 'What serves its kind does not answer: waits, as for a kind that the cluster does not know.',
      invoke: {
        id: 'awaitKind',
        src: 'awaitKind',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['noteRefusal', 'reportFailed'] },
      },
      on: {
        'kind.served': { target: 'looking' },
        'look.failed': { target: 'backingOff', actions: ['noteRefusal', 'reportFailed'] },
        'resync.due': { description: 'Discovery says when its kind is back.' },
      },
    },
    refused: {
      description: 'The API server will not take it as it is: tried again every five minutes.',
      after: { refusalRest: { target: 'looking' } },
      on: {
        'object.changed': [
          { guard: 'isInSync', target: 'looking', description: 'Somebody else corrected it.' },
          { description: 'What is refused is refused again.' },
        ],
        'resync.due': { description: 'What is refused is refused again.' },
      },
    },
    keeping: {
      description:
        'The API server will not take its newest manifest, and what was applied before is as it was: that is put back ' +
        'when somebody changes it. The newest one is tried again every five minutes.',
      after: { retryDelay: { target: 'looking' } },
    },
    backingOff: {
      description:
        'Something failed that may pass: tried again, as long as it lasts, after a pause of up to five minutes.',
      after: { retryDelay: { target: 'looking' } },
      on: {
        'object.changed': [
          { guard: 'isInSync', target: 'looking', description: 'Somebody else corrected it.' },
          { description: 'Looked at when the pause is over.' },
        ],
        'resync.due': { description: 'Looked at when the pause is over.' },
        'stream.resumed': { target: 'looking', description: 'Whatever was away is back.' },
      },
    },
  },
});

function inputOf({ application, resource: key }: ResourceContext): ResourceInput {
  return { application, resource: key };
}

function toCorrectOf(event: object): Pick<ResourceContext, 'paceIn' | 'mayCorrect'> {
  const wait = 'wait' in event && typeof event.wait === 'number' ? event.wait : 0;
  return { paceIn: Math.max(0, wait), mayCorrect: !('mayCorrect' in event && event.mayCorrect === false) };
}

/** An effect that broke tells its error. */
function reasonOf(event: object): string {
  if ('error' in event && event.error instanceof Error) return event.error.message;
  return 'reason' in event && typeof event.reason === 'string' ? event.reason : '';
}

function failureOf(event: object): string {
  return 'failure' in event && typeof event.failure === 'string' ? event.failure : 'other';
}

/** Whoever does not say it waits for as long as anything is waited for. */
function restOf(event: object): number {
  return 'rest' in event && typeof event.rest === 'number' ? Math.max(0, event.rest) : longestRetry;
}

/**
 * Doubles from 200 ms to five minutes, or to the event's own maximum. A random half is taken off. Never shorter than the
 * server asked for.
 */
function retryDelay(times: number, event: object): number {
  const jitter = 'jitter' in event && typeof event.jitter === 'number' ? event.jitter : 1;
  const retryAfter = 'retryAfter' in event && typeof event.retryAfter === 'number' ? event.retryAfter : 0;
  const longest =
    'maxRetryDelay' in event && typeof event.maxRetryDelay === 'number' ? event.maxRetryDelay : longestRetry;
  return Math.max(retryAfter, Math.min(longest, shortestRetry * 2 ** Math.min(times, 16)) * (0.5 + 0.5 * jitter));
}
