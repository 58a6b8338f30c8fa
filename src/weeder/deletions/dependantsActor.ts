import { fromCallback } from 'xstate';
import { type DependantsRef, dependants, withdrawalReasonOf } from '../../../machines/weeder/dependants.ts';
import type { WithdrawalReason } from '../../../machines/weeder/podDeletion.ts';
import type { ReportWeeder } from './weederEvents.ts';

/** The pod watch of one child, and what it requests. */
interface Watch {
  /** Begins to watch, or continues with the current config. */
  begin(child: DependantsRef): void;
  /** The config of the service has changed, after `begin`. */
  reconfigured(): void;
  /** Observes nothing until the next `begin`. Its requests remain. */
  pause(): void;
  withdraw(because: WithdrawalReason): void;
  /** Calls `done` once the outcomes of all attempts are known that count for the child. */
  whenIdle(done: () => void): void;
}

/** Undefined: the child has nothing to watch. */
export type CreateWatch = (child: DependantsRef) => Watch | undefined;

/** The dependencies of the effects of the `dependants` machine. */
export interface DependantsEffects {
  readonly report: ReportWeeder;
  readonly watchPods: CreateWatch;
  /** Of a service that webhooks call. */
  readonly watchOwners: CreateWatch;
}

interface ProvidedDependants {
  readonly logic: typeof dependants;
  /** A child has failed: it requests nothing more. */
  abandon(child: Pick<DependantsRef, 'namespace' | 'service' | 'id'>): void;
}

/** The `dependants` machine with its effects: a watch for each child. Everything else the machine decides. */
export function provideDependants({ report, watchPods, watchOwners }: DependantsEffects): ProvidedDependants {
  const watches = new Map<string, Watch>();

  /** Begins to watch, or continues with the current config. */
  function watch(child: DependantsRef): Watch | undefined {
    const key = keyOf(child);
    const own = watches.get(key) ?? (child.isOfWebhook ? watchOwners : watchPods)(child);
    if (own === undefined) return undefined;
    watches.set(key, own);
    own.begin(child);
    return own;
  }

  const logic = dependants.provide({
    actors: {
      podWatch: fromCallback(({ input }) => {
        const own = watch(input);
        return () => own?.pause();
      }),
      pendingOutcomes: fromCallback(({ input, sendBack }) => {
        const own = watches.get(keyOf(input));
        watches.delete(keyOf(input));
        const done = () => sendBack({ type: 'outcomes.known' });
        if (own === undefined) done();
        else own.whenIdle(done);
      }),
    },
    actions: {
      withdrawDeletions({ context, self: { id }, event }) {
        watches.get(keyOf({ ...context, id }))?.withdraw(withdrawalReasonOf(event));
      },
      reconfigurePodWatch({ context, self: { id, send } }) {
        watch({ ...context, id, send })?.reconfigured();
      },
      reportPodWatchFailed({ context: { namespace, service }, event }) {
        const error = 'error' in event ? event.error : event;
        report({ type: 'actor.failed', actor: `podWatch of ${namespace}/${service}`, error });
      },
    },
  });

  return {
    logic,
    abandon(child) {
      const own = watches.get(keyOf(child));
      watches.delete(keyOf(child));
      own?.pause();
      own?.withdraw('over');
    },
  };
}

function keyOf({ namespace, service, id }: Pick<DependantsRef, 'namespace' | 'service' | 'id'>): string {
  return `${namespace}/${service}/${id}`;
}
