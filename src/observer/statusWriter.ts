import type { Clock, TimerHandle } from '../clock.ts';
import { track } from '../inFlight.ts';
import { objectOf } from '../json.ts';
import { mergePatch } from '../kube/mergePatch.ts';
import type { ApplicationApi } from './applicationApi.ts';
import type { ApplicationEntry } from './applicationEntry.ts';
import { applicationView } from './applicationView.ts';
import type { Outcome } from './applyFailure.ts';
import { conditionsOf } from './conditions.ts';
import { rowsOf } from './rows.ts';
import { statusPatch } from './statusPatch.ts';

/** Writes the status of applications. */
export interface StatusWriter {
  /** Something of it is another one: written soon, together with what changes until then. */
  changed(entry: ApplicationEntry): void;
  /** Written now. */
  write(entry: ApplicationEntry): Promise<Outcome<undefined>>;
  /** Nothing is to be written for it any more. */
  forget(entry: ApplicationEntry): void;
  /** Writes nothing any more. */
  close(): void;
}

export interface StatusWriterOptions {
  readonly clock: Clock;
  readonly applications: ApplicationApi;
  readonly inFlight: Set<Promise<unknown>>;
}

/** A drift that is corrected at once is in no status: each write wakes up every watcher (A9). */
const soon = 100;
/** Each application's status is written so often at most. */
const apart = 1_000;
const longestRetry = 30_000;

interface Pending {
  timer: TimerHandle | undefined;
  /** By the clock that never jumps: when it was written last. */
  writtenAt: number;
  failures: number;
}

export function createStatusWriter({ clock, applications, inFlight }: StatusWriterOptions): StatusWriter {
  const pending = new Map<ApplicationEntry, Pending>();
  let isClosed = false;

  function pendingOf(entry: ApplicationEntry): Pending {
    const known = pending.get(entry) ?? { timer: undefined, writtenAt: Number.NEGATIVE_INFINITY, failures: 0 };
    pending.set(entry, known);
    return known;
  }

  function schedule(entry: ApplicationEntry, shortest: number): void {
    const its = pendingOf(entry);
    if (isClosed || its.timer !== undefined) return;
    const wait = Math.max(shortest, its.writtenAt + apart - clock.monotonic());
    its.timer = clock.setTimeout(() => {
      its.timer = undefined;
      track(inFlight, write(entry));
    }, wait);
  }

  async function write(entry: ApplicationEntry): Promise<Outcome<undefined>> {
    const its = pendingOf(entry);
    const said = {
      generation: entry.valid?.generation ?? 0,
      conditions: conditionsOf(applicationView(entry)),
      inventory: rowsOf(entry),
    };
    const patch = statusPatch(entry.status, said, clock.now());
    if (patch === undefined) return { ok: true, value: undefined };
    its.writtenAt = clock.monotonic();
    const written = await applications.patchStatus(entry.about, objectOf(patch['status']));
    if (written.ok) {
      its.failures = 0;
      entry.status = mergePatch(entry.status, objectOf(patch['status']));
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
  }

  return {
    changed: (entry) => schedule(entry, soon),
    write,
    forget,
    close() {
      isClosed = true;
      for (const entry of [...pending.keys()]) forget(entry);
    },
  };
}
