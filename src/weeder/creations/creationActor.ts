import type { Clock } from '@weeder/kube-runtime/base';
import { type PodCreationInput, podCreation, type RetriedObject } from '../../../machines/weeder/podCreation.ts';
import { effectLogic, type Random } from '../../actors/effect.ts';
import { reasonOf, refusalOf } from '../../actors/failedEffect.ts';
import type { ReportWeeder } from '../deletions/weederEvents.ts';
import type { CreationEntry } from './creationEntry.ts';
import type { OwnerRequests } from './retryOwner.ts';
import type { RetryRounds } from './retryRounds.ts';

/** The dependencies of the `podCreation` machine's effects. */
export interface CreationEffects extends OwnerRequests {
  readonly clock: Clock;
  readonly rounds: RetryRounds;
  readonly isDryRun: boolean;
  readonly report: ReportWeeder;
  readonly random: Random;
  readonly entryOf: (owner: Pick<PodCreationInput, 'namespace' | 'uid'>) => CreationEntry | undefined;
  /** Sends `slot.granted` when it is the turn of the object. */
  readonly requestSlot: (entry: CreationEntry) => void;
}

export function providePodCreation(effects: CreationEffects): typeof podCreation {
  const { clock, rounds, isDryRun, report, random, entryOf, requestSlot, retryOwner, awaitPod } = effects;

  /** Calls `act` with the object's entry, which is removed only after its actor has stopped. */
  function withEntry(owner: PodCreationInput, act: (entry: CreationEntry) => void): void {
    const entry = entryOf(owner);
    if (entry !== undefined) act(entry);
  }

  const actorOf = ({ uid }: PodCreationInput) => uid;
  return podCreation.provide({
    actors: {
      retryOwner: effectLogic<PodCreationInput>({ failure: 'retry.failed', random, actorOf }, (input, signal) => {
        const entry = entryOf(input);
        const isRequested = () => entry !== undefined && clock.monotonic() <= entry.owner.closesAt;
        if (entry === undefined || !isRequested())
          return Promise.resolve({ type: 'retry.failed', failure: 'cancelled' });
        return retryOwner(entry.refused.owner, signal, isRequested);
      }),
      awaitPod: effectLogic<RetriedObject>({ failure: 'proof.ended', random, actorOf }, (input, signal) => {
        const owner = entryOf(input)?.refused.owner;
        return owner && awaitPod(owner, input.existing, signal).then(() => ({ type: 'proof.ended' }));
      }),
    },
    actions: {
      requestSlot: ({ context }) => withEntry(context, requestSlot),
      reportRetried: ({ context }) =>
        withEntry(context, ({ refused, owner }) => {
          rounds.retried(refused);
          owner.send({ type: 'creation.retried', uid: context.uid });
          const sinceOpened = clock.monotonic() - owner.openedAt;
          report({ type: 'creation.retried', ...refused, sinceOpened, isDryRun, ...owner.window });
        }),
      reportUnneeded: ({ context }) =>
        withEntry(context, ({ refused, owner }) => {
          rounds.settled(refused);
          report({ type: 'creation.unneeded', ...refused, ...owner.window });
        }),
      reportRefused: ({ context, event }) =>
        withEntry(context, (entry) => {
          const { failures, retryIn } = context;
          const refusal = refusalOf(event);
          if (refusal === undefined) return;
          entry.refusal = refusal.reason;
          report({
            type: 'creation.refused',
            ...entry.refused,
            ...refusal,
            attempt: failures,
            retryIn,
            ...entry.owner.window,
          });
        }),
      reportFailed: ({ context, event }) =>
        withEntry(context, ({ refused, owner, refusal }) => {
          const { withdrawnBecause: because } = context;
          if (because === 'held' || because === 'stopped') return;
          const isRejected = event.type === 'retry.rejected';
          if (isRejected) rounds.settled(refused);
          const { namespace, name } = refused.owner;
          owner.send({ type: 'deletion.failed', pod: `${namespace}/${name}` });
          const reason = isRejected
            ? reasonOf(event)
            : `the window closed first, after a refusal: ${refusal ?? 'conflict'}`;
          report({ type: 'creation.failed', ...refused, reason, ...owner.window });
        }),
    },
  });
}
