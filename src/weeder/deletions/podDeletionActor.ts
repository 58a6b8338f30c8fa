import { assign } from 'xstate';
import { type PodDeletionInput, podDeletion } from '../../../machines/weeder/podDeletion.ts';
import { effectLogic } from '../../actors/effect.ts';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { LimitedQueue } from '../../queue/limitedQueue.ts';
import type { DeletePod } from './deletePod.ts';
import {
  concernedBy,
  type DeletionEntry,
  linesToRead,
  policyNow,
  refsOf,
  requestedBy,
  settleIn,
  waitOf,
} from './deletionEntry.ts';
import type { ReadLog } from './readLog.ts';
import { type ReportWeeder, windowRefOf } from './weederEvents.ts';

/** The dependencies of the `podDeletion` machine's effects. */
export interface PodDeletionEffects {
  readonly clock: Clock;
  readonly queue: LimitedQueue;
  readonly deletePod: DeletePod;
  readonly readLog: ReadLog;
  /** How many lines of a crashed container's log the config wants; 0: none. */
  readonly logLines: () => number;
  readonly isDryRun: boolean;
  readonly report: ReportWeeder;
  /** Returns a number from 0 to 1, for jitter. */
  readonly random: () => number;
  readonly entryOf: (uid: string) => DeletionEntry | undefined;
}

export type PodDeletionLogic = typeof podDeletion;

export function providePodDeletion(effects: PodDeletionEffects): PodDeletionLogic {
  const { clock, queue, deletePod, readLog, logLines, isDryRun, report, random, entryOf } = effects;

  /** Calls `act` with the pod's entry, which is removed only after its actor has stopped. */
  function withEntry(uid: string, act: (entry: DeletionEntry) => void): void {
    const entry = entryOf(uid);
    if (entry !== undefined) act(entry);
  }

  /** Reports the outcome to each window that withdrew its request before it closed; returns the other windows. */
  function reportWithdrawn(entry: DeletionEntry) {
    const { pod } = entry;
    const recovered = concernedBy(entry, ['recovered']);
    const removed = concernedBy(entry, ['removed']);
    const held = concernedBy(entry, ['held']);
    if (recovered !== undefined) report({ type: 'pod.recovered', pod, ...refsOf(recovered) });
    if (removed !== undefined) report({ type: 'pod.removed', pod, ...refsOf(removed) });
    if (held !== undefined) report({ type: 'deletion.blocked', pod, ...refsOf(held) });
    return concernedBy(entry, ['over', 'reconfigured', undefined]);
  }

  return podDeletion.provide({
    actors: {
      readLog: effectLogic<PodDeletionInput>({ refusal: 'log.read', random }, (input, signal) => {
        const entry = entryOf(input.uid);
        if (entry === undefined) return Promise.resolve({ type: 'log.read' });
        return readLog(entry.pod, input.logLines, signal).then((lines = []) => {
          const windows = concernedBy(entry);
          if (lines.length > 0 && windows !== undefined && !signal.aborted)
            report({ type: 'pod.logRead', pod: entry.pod, lines, ...refsOf(windows) });
          return { type: 'log.read' };
        });
      }),
      deletePod: effectLogic<PodDeletionInput>({ refusal: 'delete.refused', random }, (input, signal) => {
        const { uid, namespace, name, resourceVersion } = input;
        const entry = entryOf(uid);
        const policy = entry && policyNow(entry, clock.monotonic());
        if (entry === undefined || policy === undefined)
          return Promise.resolve({ type: 'delete.refused', reason: 'the window has closed' });
        entry.how = policy.deletion;
        for (const { window } of entry.requests) window.pending.add(uid);
        const isRequested = () => policyNow(entry, clock.monotonic()) !== undefined;
        return deletePod({ uid, namespace, name, resourceVersion, policy, isRequested }, signal);
      }),
    },
    delays: {
      // The pod may have spent part of the delay in the same back-off since the event was sent.
      settleTime({ context: { uid, settleIn: reportedThen } }) {
        const entry = entryOf(uid);
        const left = entry === undefined ? reportedThen : settleIn(entry.pod, entry.requests);
        return Math.min(reportedThen, Math.max(0, left));
      },
    },
    actions: {
      measureWait: assign(({ context: { uid } }) => {
        const entry = entryOf(uid);
        return entry === undefined ? {} : waitOf(entry.pod, entry.requests, clock);
      }),
      noteLogLines: assign(({ context: { uid } }) => {
        const entry = entryOf(uid);
        return entry === undefined ? {} : { logLines: linesToRead(logLines(), entry.requests, clock.monotonic()) };
      }),
      requestSlot: ({ context: { uid } }) =>
        withEntry(uid, (entry) => {
          // Of the attempt before, if the machine has come from there in the same transition.
          entry.slot?.();
          entry.slot = queue.enter({ key: uid, onGranted: () => entry.actor.send({ type: 'slot.granted' }) });
        }),
      reportProtected: ({ context: { uid, protection } }) =>
        withEntry(uid, ({ requests, pod }) => {
          for (const { window, index } of requests) {
            // A stream that is behind may be about to report that its selector no longer selects this pod.
            const isCurrent = index.get(uid)?.resourceVersion === pod.resourceVersion;
            if (!isCurrent || window.skipped.has(uid)) continue;
            window.skipped.add(uid);
            report({ type: 'pod.skipped', pod, reason: protection, ...windowRefOf(window) });
          }
        }),
      reportDeleted: ({ context: { uid } }) =>
        withEntry(uid, (entry) => {
          const windows = requestedBy(entry);
          if (windows === undefined) return;
          const isRepeated = windows.some(({ rounds }) => rounds.isReplacement(entry.pod));
          for (const window of windows) {
            window.deleted.add(uid);
            window.rounds.deleted(entry.pod, entry.deletedAt);
          }
          const sinceOpened = clock.monotonic() - windows[0].openedAt;
          const how = isDryRun ? 'dryRun' : entry.how;
          report({ type: 'pod.deleted', pod: entry.pod, sinceOpened, how, isRepeated, ...refsOf(windows) });
        }),
      reportRecovered: ({ context: { uid } }) =>
        withEntry(uid, (entry) => {
          const windows = concernedBy(entry);
          if (windows !== undefined) report({ type: 'pod.recovered', pod: entry.pod, ...refsOf(windows) });
        }),
      reportRemoved: ({ context: { uid } }) =>
        withEntry(uid, (entry) => {
          const windows = concernedBy(entry);
          if (windows !== undefined) report({ type: 'pod.removed', pod: entry.pod, ...refsOf(windows) });
        }),
      reportPending: ({ context: { uid, waitReason, waitIn } }) =>
        withEntry(uid, (entry) => {
          const windows = concernedBy(entry);
          const wait = `${waitReason} ${entry.pod.container} ${entry.pod.restarts}`;
          if (windows === undefined || waitReason === undefined || entry.reportedWait === wait) return;
          entry.reportedWait = wait;
          report({ type: 'deletion.pending', pod: entry.pod, reason: waitReason, waitIn, ...refsOf(windows) });
        }),
      reportSkipped: ({ context: { uid, waitIn, waitReason } }) =>
        withEntry(uid, (entry) => {
          const over = reportWithdrawn(entry);
          const reason = waitIn > 0 && waitReason !== undefined ? waitReason : 'tooLate';
          if (over !== undefined) report({ type: 'deletion.expired', pod: entry.pod, reason, ...refsOf(over) });
        }),
      reportRefused: ({ context: { uid, refusals, retryIn }, event }) =>
        withEntry(uid, (entry) => {
          const windows = concernedBy(entry);
          if (windows === undefined) return;
          const why = { reason: reasonOf(event), failure: failureOf(event) };
          report({ type: 'deletion.refused', pod: entry.pod, ...why, attempt: refusals, retryIn, ...refsOf(windows) });
        }),
      reportAbandoned: ({ context: { uid }, event }) =>
        withEntry(uid, (entry) => {
          const { pod } = entry;
          const over = reportWithdrawn(entry);
          if (over === undefined) return;
          for (const window of over) window.failed.add(`${pod.namespace}/${pod.name}`);
          const isReconfigured = concernedBy(entry, ['reconfigured'])?.[0] === over[0];
          const withdrawn = isReconfigured ? 'the config has changed' : 'the window closed first';
          const reason = event.type === 'delete.rejected' ? reasonOf(event) : withdrawn;
          report({ type: 'deletion.failed', pod, reason, ...refsOf(over) });
        }),
    },
  });
}

/** The class of a refusal. An effect that threw has none. */
function failureOf(event: object): string {
  return 'failure' in event && typeof event.failure === 'string' ? event.failure : 'other';
}

/** The message of a refusal, or of an effect that threw. */
function reasonOf(event: object): string {
  if ('reason' in event && typeof event.reason === 'string') return event.reason;
  return 'error' in event ? messageOf(event.error) : 'no reason given';
}
