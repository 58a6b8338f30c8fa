import { isDeepStrictEqual } from 'node:util';
import type { Clock, TimerHandle } from '../../base/clock.ts';
import { objectOf } from '../../base/json.ts';
import { track } from '../../base/promises.ts';
import { mergePatch } from '../../kube/objects/mergePatch.ts';
import { createSemaphore } from '../../queue/semaphore.ts';
import type { Outcome } from '../model/applyFailure.ts';
import type { ApplicationEntry } from '../state/entries.ts';
import { rowsOf } from '../state/inventoryRows.ts';
import type { ApplicationApi } from './applicationApi.ts';
import { applicationView } from './applicationView.ts';
import { conditionsOf } from './conditions.ts';
import { statusPatch } from './statusPatch.ts';

/** Writes the status of applications. */
export interface StatusWriter {
  /** Something of it is another one: written soon, together with what changes until then. */
  changed(entry: ApplicationEntry): void;
  /** The same when everything of it was applied: at a start that is so of a thousand others in the same seconds. */
  applied(entry: ApplicationEntry): void;
  /** The same for what one of its resources is like, which may be corrected any moment: applies come first. */
  resourceChanged(entry: ApplicationEntry): void;
  /**
   * The API server has this status. Where that is neither `before` nor what was sent last, somebody has changed it, or
   * wiped it: it is written again.
   */
  observed(entry: ApplicationEntry, before: unknown): void;
  /** Written now. */
  write(entry: ApplicationEntry): Promise<Outcome<undefined>>;
  /** All that is to be written soon is written now. */
  flush(): void;
  /** Nothing is to be written for it any more. */
  forget(entry: ApplicationEntry): void;
  /** Writes nothing any more. */
  close(): void;
}

interface StatusWriterOptions {
  readonly clock: Clock;
  readonly applications: ApplicationApi;
  readonly inFlight: Set<Promise<unknown>>;
  /** Applies wait for their turn: they come first. */
  readonly isHeldBack: () => boolean;
}

/** A drift that is corrected by then is in no status: each write wakes up every watcher. */
const soon = 1_000;
/** What is said of many applications at once must not take the API server from the corrections of others. */
const mostAtOnce = 4;
/** How often it is asked whether applies still wait. */
const heldBackFor = 500;
/**
 * After this long the status says that an application is applied, even while other applies are waiting. Milliseconds.
 */
const maxAppliedDelay = 5_000;
/** After this long any status is written, even while applies are waiting. Milliseconds. */
const longestHeldBack = 30_000;
/** Each application's status is written so often at most. */
const apart = 1_000;
const longestRetry = 30_000;

interface Pending {
  timer: TimerHandle | undefined;
  /** For so many milliseconds it waits until nothing is to be applied. */
  patience: number;
  /** By the same clock: since when something of it is another one than was written. */
  changedAt: number | undefined;
  /** By the monotonic clock: when it was written last. */
  writtenAt: number;
  failures: number;
  /** As it is once what was sent last is done; undefined: nothing was sent. */
  sent: unknown;
  /** How many statuses the stream has reported. */
  reports: number;
}

export function createStatusWriter({ clock, applications, inFlight, isHeldBack }: StatusWriterOptions): StatusWriter {
  const pending = new Map<ApplicationEntry, Pending>();
  /** Whose time has come while applies wait. */
  const heldBack = new Set<ApplicationEntry>();
  const slots = createSemaphore(mostAtOnce);
  let heldBackTimer: TimerHandle | undefined;
  let isClosed = false;

  function pendingOf(entry: ApplicationEntry): Pending {
    const fresh = {
      timer: undefined,
      patience: longestHeldBack,
      changedAt: undefined,
      writtenAt: Number.NEGATIVE_INFINITY,
      failures: 0,
      sent: undefined,
      reports: 0,
    };
    const known = pending.get(entry) ?? fresh;
    pending.set(entry, known);
    return known;
  }

  function schedule(entry: ApplicationEntry, shortest: number): void {
    const its = pendingOf(entry);
    its.changedAt ??= clock.monotonic();
    if (isClosed || its.timer !== undefined || heldBack.has(entry)) return;
    const wait = Math.max(shortest, its.writtenAt + apart - clock.monotonic());
    its.timer = clock.setTimeout(() => {
      its.timer = undefined;
      heldBack.add(entry);
      if (heldBackTimer === undefined) writeHeldBack();
    }, wait);
  }

  /** One timer for all: a thousand applications may be held back for as long as their drifts are corrected. */
  function writeHeldBack(): void {
    heldBackTimer = undefined;
    const now = clock.monotonic();
    for (const entry of heldBack) {
      const { patience = 0, changedAt = now } = pending.get(entry) ?? {};
      if (isHeldBack() && now - changedAt < patience) continue;
      heldBack.delete(entry);
      track(inFlight, writeInTurn(entry));
    }
    if (heldBack.size > 0) heldBackTimer = clock.setTimeout(writeHeldBack, heldBackFor);
  }

  async function writeInTurn(entry: ApplicationEntry): Promise<void> {
    const release = await slots.acquireEventually(entry.id);
    try {
      if (pending.has(entry)) await write(entry);
    } finally {
      release();
    }
  }

  async function write(entry: ApplicationEntry): Promise<Outcome<undefined>> {
    const its = pendingOf(entry);
    its.changedAt = undefined;
    its.patience = longestHeldBack;
    const said = {
      generation: entry.valid?.generation ?? 0,
      conditions: conditionsOf(applicationView(entry)),
      inventory: rowsOf(entry),
    };
    const patch = statusPatch(entry.status, said, clock.now());
    if (patch === undefined) return { ok: true, value: undefined };
    its.writtenAt = clock.monotonic();
    const { reports } = its;
    const sent = mergePatch(entry.status, objectOf(patch['status']));
    its.sent = sent;
    const written = await applications.patchStatus(entry.about, entry.status, objectOf(patch['status']));
    if (written.ok) {
      its.failures = 0;
      // A status that the stream has reported meanwhile may be newer than the one written.
      if (its.reports === reports) entry.status = sent;
      return written;
    }
    const { is } = written.failure;
    if (is === 'missing' || is === 'otherUid' || is === 'cancelled' || pending.get(entry) !== its) return written;
    its.failures += 1;
    schedule(
      entry,
      Math.max(written.failure.retryAfter, Math.min(longestRetry, apart * 2 ** Math.min(its.failures, 8))),
    );
    return written;
  }

  function forget(entry: ApplicationEntry): void {
    clock.clearTimeout(pending.get(entry)?.timer);
    pending.delete(entry);
    heldBack.delete(entry);
  }

  return {
    changed(entry) {
      pendingOf(entry).patience = 0;
      schedule(entry, soon);
    },
    applied(entry) {
      const its = pendingOf(entry);
      its.patience = Math.min(its.patience, maxAppliedDelay);
      schedule(entry, soon);
    },
    resourceChanged: (entry) => schedule(entry, soon),
    observed(entry, before) {
      const its = pending.get(entry);
      const expected = its?.sent ?? before;
      if (its !== undefined) its.reports += 1;
      // The echo of an own write may come before the answer to it, and after.
      if (isDeepStrictEqual(entry.status, expected)) entry.status = expected;
      else if (entry.valid !== undefined) schedule(entry, soon);
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
