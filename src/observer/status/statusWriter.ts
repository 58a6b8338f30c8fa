import { isDeepStrictEqual } from 'node:util';
import type { Clock, TimerHandle } from '@weeder/kube-runtime/base';
import { objectOf } from '@weeder/kube-runtime/base';
import { mergePatch } from '@weeder/kube-runtime/objects';
import { createSemaphore } from '@weeder/kube-runtime/queue';
import { track } from '../../base/promises.ts';
import type { ApplicationEntry } from '../entries/entries.ts';
import { rowsOf } from '../entries/inventoryRows.ts';
import type { Outcome } from '../objects/applyFailure.ts';
import type { ApplicationApi } from './applicationApi.ts';
import { applicationView } from './applicationView.ts';
import { conditionsOf } from './conditions.ts';
import { statusPatch } from './statusPatch.ts';

/** Writes the status of applications. */
export interface StatusWriter {
  /** Schedules a write of the status soon, together with what changes until then. */
  changed(entry: ApplicationEntry): void;
  /**
   * Does the same after everything was applied, with a lower priority, because at a start this happens to a thousand
   * applications in the same seconds.
   */
  applied(entry: ApplicationEntry): void;
  /**
   * Does the same after the state of a resource changed, with the lowest priority: it may be corrected at any moment,
   * and applies come first.
   */
  resourceChanged(entry: ApplicationEntry): void;
  /**
   * The API server has this status. If it is neither the one before nor what was sent last, another client has changed
   * or removed it, and it is written again.
   */
  observed(entry: ApplicationEntry, reported: unknown): void;
  /** Writes the status now, or when the write of this Application in flight has its response. */
  write(entry: ApplicationEntry): Promise<Outcome<undefined>>;
  /** Writes all scheduled statuses now. */
  flush(): void;
  /** Cancels scheduled writes of the application. */
  forget(entry: ApplicationEntry): void;
  /** Stops all writes. */
  close(): void;
}

interface StatusWriterOptions {
  readonly clock: Clock;
  readonly applications: ApplicationApi;
  readonly inFlight: Set<Promise<unknown>>;
  /** Returns true while applies wait for a slot: they take precedence. */
  readonly isHeldBack: () => boolean;
}

/** Milliseconds. A drift that is corrected by then is in no status, since each write wakes up every watcher. */
const shortDelay = 1_000;
/** The maximum of concurrent status writes, so that many statuses do not delay corrections on the API server. */
const maxConcurrent = 4;
/** How often to check whether applies still wait. Milliseconds. */
const heldBackCheck = 500;
/** After this time the status of an applied application is written, even while other applies wait. Milliseconds. */
const maxAppliedDelay = 5_000;
/** After this time any status is written, even while applies wait. Milliseconds. */
const longestHeldBack = 30_000;
/** The minimum time between two writes of one application's status. Milliseconds. */
const minInterval = 1_000;
const longestRetry = 30_000;

interface Pending {
  timer: TimerHandle | undefined;
  /** Its status is written once more when its generation has settled. */
  settling: TimerHandle | undefined;
  /** How long the write is held back while applies wait, in milliseconds. */
  patience: number;
  /** By the monotonic clock: when the status began to differ from what was written. */
  changedAt: number | undefined;
  /** By the monotonic clock: when it was last written. */
  writtenAt: number;
  failures: number;
  /** The latest write: two at once could not tell which of them the API server took last. */
  writing: Promise<unknown> | undefined;
  /** The status after the write that was sent last; undefined if none was sent. */
  sent: unknown;
  /** The number of statuses that the stream has reported. */
  reports: number;
}

export function createStatusWriter({ clock, applications, inFlight, isHeldBack }: StatusWriterOptions): StatusWriter {
  const pending = new Map<ApplicationEntry, Pending>();
  /** Applications whose write is due while applies wait. */
  const heldBack = new Set<ApplicationEntry>();
  const slots = createSemaphore(maxConcurrent);
  let heldBackTimer: TimerHandle | undefined;
  let isClosed = false;

  function pendingOf(entry: ApplicationEntry): Pending {
    const fresh = {
      timer: undefined,
      settling: undefined,
      patience: longestHeldBack,
      changedAt: undefined,
      writtenAt: Number.NEGATIVE_INFINITY,
      failures: 0,
      writing: undefined,
      sent: undefined,
      reports: 0,
    };
    const current = pending.get(entry) ?? fresh;
    pending.set(entry, current);
    return current;
  }

  function schedule(entry: ApplicationEntry, shortest: number): void {
    const write = pendingOf(entry);
    write.changedAt ??= clock.monotonic();
    if (isClosed || write.timer !== undefined || heldBack.has(entry)) return;
    const wait = Math.max(shortest, write.writtenAt + minInterval - clock.monotonic());
    write.timer = clock.setTimeout(() => {
      write.timer = undefined;
      heldBack.add(entry);
      if (heldBackTimer === undefined) writeHeldBack();
    }, wait);
  }

  /** One timer for all, since a thousand applications may be held back while their drifts are corrected. */
  function writeHeldBack(): void {
    heldBackTimer = undefined;
    const now = clock.monotonic();
    for (const entry of heldBack) {
      const { patience = 0, changedAt = now } = pending.get(entry) ?? {};
      if (isHeldBack() && now - changedAt < patience) continue;
      heldBack.delete(entry);
      track(inFlight, writeWithSlot(entry));
    }
    if (heldBack.size > 0) heldBackTimer = clock.setTimeout(writeHeldBack, heldBackCheck);
  }

  async function writeWithSlot(entry: ApplicationEntry): Promise<void> {
    await pending.get(entry)?.writing;
    const release = await slots.acquireEventually(entry.id);
    try {
      // Another write may have included what changed.
      if (pending.get(entry)?.changedAt !== undefined) await write(entry);
    } finally {
      release();
    }
  }

  async function write(entry: ApplicationEntry): Promise<Outcome<undefined>> {
    const pendingWrite = pendingOf(entry);
    while (pendingWrite.writing !== undefined) await pendingWrite.writing;
    const written = writeOnce(entry, pendingWrite);
    pendingWrite.writing = written.finally(() => {
      pendingWrite.writing = undefined;
    });
    return written;
  }

  async function writeOnce(entry: ApplicationEntry, write: Pending): Promise<Outcome<undefined>> {
    write.changedAt = undefined;
    write.patience = longestHeldBack;
    const desired = {
      generation: entry.valid?.generation ?? 0,
      conditions: conditionsOf(applicationView(entry, clock.monotonic())),
      inventory: rowsOf(entry),
    };
    if (desired.conditions.some(({ type }) => type === 'Reconciling')) writeWhenSettled(entry, write);
    const patch = statusPatch(entry.status, desired, clock.now());
    if (patch === undefined) return { ok: true, value: undefined };
    write.writtenAt = clock.monotonic();
    const { reports } = write;
    const sent = mergePatch(entry.status, objectOf(patch['status']));
    write.sent = sent;
    const written = await applications.patchStatus(entry.about, entry.status, objectOf(patch['status']));
    if (written.ok) {
      write.failures = 0;
      // A status that the stream has reported in the meantime may be newer than the one written.
      if (write.reports === reports) entry.status = sent;
      return written;
    }
    const reason = written.failure.type;
    if (reason === 'missing' || reason === 'otherUid' || reason === 'cancelled' || pending.get(entry) !== write)
      return written;
    write.failures += 1;
    schedule(
      entry,
      Math.max(written.failure.retryAfter, Math.min(longestRetry, minInterval * 2 ** Math.min(write.failures, 8))),
    );
    return written;
  }

  /** What is reconciling may have stalled then, without another change. */
  function writeWhenSettled(entry: ApplicationEntry, write: Pending): void {
    const left = entry.settledAt - clock.monotonic();
    if (isClosed || left <= 0) return;
    write.settling ??= clock.setTimeout(() => {
      write.settling = undefined;
      schedule(entry, shortDelay);
    }, left);
  }

  function forget(entry: ApplicationEntry): void {
    const { timer, settling } = pending.get(entry) ?? {};
    clock.clearTimeout(timer);
    clock.clearTimeout(settling);
    pending.delete(entry);
    heldBack.delete(entry);
  }

  return {
    changed(entry) {
      pendingOf(entry).patience = 0;
      schedule(entry, shortDelay);
    },
    applied(entry) {
      const write = pendingOf(entry);
      write.patience = Math.min(write.patience, maxAppliedDelay);
      schedule(entry, shortDelay);
    },
    resourceChanged: (entry) => schedule(entry, shortDelay),
    observed(entry, reported) {
      const write = pending.get(entry);
      const expected = write?.sent ?? entry.status;
      if (write !== undefined) write.reports += 1;
      // The stream may report weeder's own write before its response arrives, or after it.
      const isExpected = isDeepStrictEqual(reported, expected);
      entry.status = isExpected ? expected : reported;
      if (!isExpected && entry.valid !== undefined) schedule(entry, shortDelay);
    },
    write,
    flush() {
      for (const [entry, { changedAt }] of pending) if (changedAt !== undefined) track(inFlight, write(entry));
    },
    forget,
    close() {
      isClosed = true;
      clock.clearTimeout(heldBackTimer);
      for (const entry of [...pending.keys()]) forget(entry);
    },
  };
}
