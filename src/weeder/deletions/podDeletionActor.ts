import type { Clock } from '@weeder/kube-runtime/base';
import { type EndOfRequest, type PodDeletionInput, podDeletion, waitOf } from '../../../machines/weeder/podDeletion.ts';
import { effectLogic, type Random } from '../../actors/effect.ts';
import { reasonOf, refusalOf } from '../../actors/failedEffect.ts';
import type { DeletePod } from './deletePod.ts';
import { type DeletionEntry, isRequested } from './deletionEntry.ts';
import type { ReadLog } from './readLog.ts';
import type { ReplacementBackOff } from './replacementBackOff.ts';
import type { ReportWeeder } from './weederEvents.ts';

/** The dependencies of the `podDeletion` machine's effects. */
export interface PodDeletionEffects {
  readonly clock: Clock;
  readonly backOff: ReplacementBackOff;
  readonly deletePod: DeletePod;
  readonly readLog: ReadLog;
  readonly isDryRun: boolean;
  readonly report: ReportWeeder;
  readonly random: Random;
  readonly entryOf: (uid: string) => DeletionEntry | undefined;
  /** Sends `slot.granted` when it is the turn of the pod. */
  readonly requestSlot: (entry: DeletionEntry) => void;
}

export type PodDeletionLogic = typeof podDeletion;

export function providePodDeletion(effects: PodDeletionEffects): PodDeletionLogic {
  const { clock, backOff, deletePod, readLog, isDryRun, report, random, entryOf, requestSlot } = effects;

  /** Calls `act` with the pod's entry, which is removed only after its actor has stopped. */
  function withEntry(uid: string, act: (entry: DeletionEntry) => void): void {
    const entry = entryOf(uid);
    if (entry !== undefined) act(entry);
  }

  /** Reports that a request has ended without a deletion; `closes`: reports it if the window closes. */
  function reportEnd({ pod, owner }: DeletionEntry, because: EndOfRequest | undefined, closes: () => void): void {
    if (because === 'held') report({ type: 'deletion.blocked', pod, ...owner.window });
    else if (because !== 'protected' && because !== 'stopped') closes();
  }

  const actorOf = ({ uid }: PodDeletionInput) => uid;
  return podDeletion.provide({
    actors: {
      readLog: effectLogic<PodDeletionInput>({ failure: 'log.read', random, actorOf }, (input, signal) => {
        const entry = entryOf(input.uid);
        if (entry === undefined) return Promise.resolve({ type: 'log.read' });
        return readLog(entry.pod, input.logLines, signal).then((lines = []) => {
          if (lines.length > 0 && !signal.aborted)
            report({ type: 'pod.logRead', pod: entry.pod, lines, ...entry.owner.window });
          return { type: 'log.read' };
        });
      }),
      deletePod: effectLogic<PodDeletionInput>({ failure: 'delete.failed', random, actorOf }, (input, signal) => {
        const { uid, namespace, name, resourceVersion } = input;
        const entry = entryOf(uid);
        if (entry === undefined) return undefined;
        const { owner } = entry;
        const { policy } = owner;
        const isDue = () => isRequested(entry) && clock.monotonic() <= entry.owner.closesAt;
        entry.how = policy.deletion;
        entry.sentFor = owner;
        owner.pending.add(uid);
        return deletePod({ uid, namespace, name, resourceVersion, policy, isRequested: isDue }, signal);
      }),
    },
    actions: {
      requestSlot: ({ context: { uid } }) => withEntry(uid, requestSlot),
      reportDeleted: ({ context: { uid } }) =>
        withEntry(uid, (entry) => {
          const { pod, deletedAt, owner, sentFor: request = owner } = entry;
          const isRepeated = backOff.isReplacement(pod, request.openedAt);
          backOff.deleted(pod, deletedAt);
          request.send({ type: 'pod.deleted', uid });
          const sinceOpened = clock.monotonic() - request.openedAt;
          const how = isDryRun ? 'dryRun' : entry.how;
          report({ type: 'pod.deleted', pod, sinceOpened, how, isRepeated, ...request.window });
        }),
      reportRecovered: ({ context: { uid } }) =>
        withEntry(uid, ({ pod, owner }) => report({ type: 'pod.recovered', pod, ...owner.window })),
      reportRemoved: ({ context: { uid } }) =>
        withEntry(uid, ({ pod, owner }) => report({ type: 'pod.removed', pod, ...owner.window })),
      reportPending: ({ context }) =>
        withEntry(context.uid, (entry) => {
          const { pod, owner } = entry;
          const now = context.now();
          const wait = waitOf(context, now);
          const text = `${wait?.reason} ${context.heldBy ?? ''} ${pod.container} ${pod.restarts}`;
          if (wait === undefined || entry.reportedWait === text) return;
          entry.reportedWait = text;
          const { reason, until } = wait;
          const heldBy = context.heldBy === undefined ? {} : { heldBy: context.heldBy };
          report({
            type: 'deletion.pending',
            pod,
            reason,
            waitIn: Math.max(0, until - now),
            ...heldBy,
            ...owner.window,
          });
        }),
      reportSkipped: ({ context }) =>
        withEntry(context.uid, (entry) =>
          reportEnd(entry, context.withdrawnBecause, () => {
            const reason = waitOf(context, context.now())?.reason ?? 'tooLate';
            report({ type: 'deletion.expired', pod: entry.pod, reason, ...entry.owner.window });
          }),
        ),
      reportFailed: ({ context: { uid, failures, retryIn, withdrawnBecause }, event }) =>
        withEntry(uid, (entry) => {
          const refusal = refusalOf(event);
          if (withdrawnBecause === 'stopped' || refusal === undefined) return;
          const { pod, owner, sentFor = owner } = entry;
          entry.refusal = refusal.reason;
          report({ type: 'deletion.refused', pod, ...refusal, attempt: failures, retryIn, ...sentFor.window });
        }),
      reportAbandoned: ({ context: { uid, withdrawnBecause }, event }) =>
        withEntry(uid, (entry) => {
          const { pod, owner } = entry;
          reportEnd(entry, withdrawnBecause, () => {
            owner.send({ type: 'deletion.failed', pod: `${pod.namespace}/${pod.name}` });
            const reason = event.type === 'delete.rejected' ? reasonOf(event) : withdrawalOf(entry, withdrawnBecause);
            report({ type: 'deletion.failed', pod, reason, ...owner.window });
          });
        }),
    },
  });
}

/** Why a deletion that had been attempted, or was queued, did not happen. */
function withdrawalOf({ slot, refusal }: DeletionEntry, because: string | undefined): string {
  const paced = slot?.pacing === undefined ? '' : ', and the pod waited for the pace of the service';
  const withdrawn = because === 'reconfigured' ? 'the config has changed' : `the window closed first${paced}`;
  return refusal === undefined ? withdrawn : `${withdrawn}, and an earlier attempt was refused: ${refusal}`;
}
