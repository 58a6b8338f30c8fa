import { type AnyEventObject, assign, fromCallback, setup } from 'xstate';

/** One Job that is recreated. */
export interface RecreationInput {
  /** Such as `job/shop/once`. */
  readonly job: string;
}

interface RecreationContext extends RecreationInput {
  /** It stood as it was when it was kept, for as long as a request of before may still be on its way. */
  readonly wasUnchanged: boolean;
  /** Refusals in a row. */
  readonly refusals: number;
  /** Milliseconds. */
  readonly retryIn: number;
  readonly reason: string;
  /** The class of the newest refusal. */
  readonly failure: string;
}

/** `jitter` is random, from 0 to 1; `retryAfter`, in milliseconds, is the server's own wish; `failure` its class. */
interface Refused {
  readonly jitter?: number;
  readonly retryAfter?: number;
  readonly reason?: string;
  readonly failure?: string;
}

export type RecreationEvent =
  /** Something about the Job, or about the copy, is other than it was. */
  | { readonly type: 'job.changed' }
  /** The Job of before is there, in the version in which it was kept: its deletion may still be on its way. */
  | { readonly type: 'job.unchanged' }
  /** It is there, and no deletion of ours can reach it any more. */
  | { readonly type: 'job.retained' }
  /** It is being deleted. */
  | { readonly type: 'job.terminating' }
  | { readonly type: 'job.notFound' }
  /** There is another one of its name, whose state is not its own yet. */
  | { readonly type: 'job.stateMissing' }
  /** There is another one of its name, and nothing is left to be handed on. */
  | { readonly type: 'job.stateTransferred' }
  | ({ readonly type: 'job.refused' } & Refused)
  | { readonly type: 'create.done' }
  /** There is one already. */
  | { readonly type: 'create.conflicted' }
  /** The copy is gone: who has taken it away does not want the Job back. */
  | { readonly type: 'create.cancelled' }
  | ({ readonly type: 'create.refused' } & Refused)
  | { readonly type: 'copy.deleted' }
  | ({ readonly type: 'copy.refused' } & Refused);

const shortestRetry = 200;
const longestRetry = 60_000;

function unprovided(): never {
  throw new Error(
    'The recreation machine was started without its implementation: use the one that src/restart provides.',
  );
}

function unprovidedEffect() {
  return fromCallback<AnyEventObject, RecreationInput>(unprovided);
}

export const recreation = setup({
  types: {
    context: {} as RecreationContext,
    events: {} as RecreationEvent,
    input: {} as Partial<RecreationInput> | undefined,
  },
  actors: {
    checkJob: unprovidedEffect(),
    createJob: unprovidedEffect(),
    deleteCopy: unprovidedEffect(),
  },
  actions: {
    noteUnchanged: assign({ wasUnchanged: true }),
    noteProgress: assign({ refusals: 0, reason: '' }),
    noteRefusal: assign(({ context, event }) => ({
      ...refusalOf(event),
      refusals: context.refusals + 1,
      retryIn: retryDelay(context.refusals, event),
    })),
    reportRecreated: unprovided,
    reportRefused: unprovided,
  },
  guards: {
    wasUnchanged: ({ context }) => context.wasUnchanged,
  },
  delays: {
    /** Longer than an API server works on a request. */
    requestLife: 120_000,
    /** The stream delivers it sooner, unless it has failed. */
    recheckInterval: 5_000,
    /** A node drops its copy of an immutable source a moment after the last pod that used it. */
    nodeCleanup: 2_000,
    retryDelay: ({ context }) => context.retryIn,
  },
}).createMachine({
  id: 'recreation',
  description:
    'One Job that is deleted and recreated. A suspended copy of it stands for it from before the deletion until the new ' +
    'one is there, so that whoever comes next can bring it back.',
  options: { maxIterations: 1000 },
  context: ({ input }) => ({
    job: 'job/default/once',
    ...input,
    wasUnchanged: false,
    refusals: 0,
    retryIn: shortestRetry,
    reason: '',
    failure: 'other',
  }),
  initial: 'checking',
  states: {
    checking: {
      description: 'Reads the Job: is it the one of before, none, or a new one?',
      invoke: {
        id: 'checkJob',
        src: 'checkJob',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['noteRefusal', 'reportRefused'] },
      },
      on: {
        'job.unchanged': [
          {
            guard: 'wasUnchanged',
            target: 'deletingCopy',
            description: 'Whether it is to be recreated is decided anew.',
          },
          { target: 'unconfirmed' },
        ],
        'job.retained': { target: 'deletingCopy' },
        'job.terminating': { target: 'terminating', actions: 'noteProgress' },
        'job.notFound': { target: 'coolingDown', actions: 'noteProgress' },
        'job.stateMissing': { target: 'transferringState', actions: 'noteProgress' },
        'job.stateTransferred': { target: 'deletingCopy', actions: 'noteProgress' },
        'job.refused': { target: 'backingOff', actions: ['noteRefusal', 'reportRefused'] },
      },
    },
    unconfirmed: {
      description:
        'The Job stands, but a request to delete it may still be on its way: the copy stays for as long as an API ' +
        'server works on a request.',
      after: { requestLife: { target: 'checking', actions: 'noteUnchanged' } },
      on: { 'job.changed': { target: 'checking' } },
    },
    terminating: {
      description: 'The Job of before is ending: its pods go first.',
      after: { recheckInterval: { target: 'checking' } },
      on: { 'job.changed': { target: 'checking' } },
    },
    coolingDown: {
      description: 'It is gone. Waits a moment, so that its node has forgotten what its pods used.',
      after: { nodeCleanup: { target: 'creating' } },
    },
    creating: {
      description: 'Creates the Job from the copy.',
      invoke: {
        id: 'createJob',
        src: 'createJob',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['noteRefusal', 'reportRefused'] },
      },
      on: {
        'create.done': { target: 'checking', actions: ['noteProgress', 'reportRecreated'] },
        'create.conflicted': { target: 'checking', description: 'Another client was faster, or an answer was lost.' },
        'create.cancelled': { target: 'gone' },
        'create.refused': { target: 'backingOff', actions: ['noteRefusal', 'reportRefused'] },
      },
    },
    transferringState: {
      description: 'The new Job exists; the state of the old Job is not transferred yet.',
      after: { recheckInterval: { target: 'checking' } },
      on: { 'job.changed': { target: 'checking' } },
    },
    deletingCopy: {
      description: 'The copy is not needed any more.',
      invoke: {
        id: 'deleteCopy',
        src: 'deleteCopy',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['noteRefusal', 'reportRefused'] },
      },
      on: {
        'copy.deleted': { target: 'gone' },
        'copy.refused': { target: 'backingOff', actions: ['noteRefusal', 'reportRefused'] },
      },
    },
    backingOff: {
      description: 'Something failed that may pass: tried again after a pause that grows from 200 ms to a minute.',
      after: { retryDelay: { target: 'checking' } },
    },
    gone: {
      type: 'final',
      description: 'Nothing is left to do.',
    },
  },
});

function inputOf({ job }: RecreationContext): RecreationInput {
  return { job };
}

/** The reason and class of a refusal, or the error of an effect that failed. */
function refusalOf(event: object): { readonly reason: string; readonly failure: string } {
  const failure = 'failure' in event && typeof event.failure === 'string' ? event.failure : 'other';
  if ('error' in event && event.error instanceof Error) return { reason: event.error.message, failure };
  return { reason: 'reason' in event && typeof event.reason === 'string' ? event.reason : '', failure };
}

/** Doubles from 200 ms to a minute, of which a random half is taken off; never sooner than the server asked for. */
function retryDelay(times: number, event: object): number {
  const jitter = 'jitter' in event && typeof event.jitter === 'number' ? event.jitter : 1;
  const retryAfter = 'retryAfter' in event && typeof event.retryAfter === 'number' ? event.retryAfter : 0;
  return Math.max(retryAfter, Math.min(longestRetry, shortestRetry * 2 ** Math.min(times, 16)) * (0.5 + 0.5 * jitter));
}
