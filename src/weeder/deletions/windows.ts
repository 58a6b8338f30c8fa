import type { Clock } from '../../base/clock.ts';
import { createDeletionRounds, type DeletionRounds } from './deletionRounds.ts';
import type { ReportWeeder, WindowRef } from './weederEvents.ts';

/** The stats of an open window: what it has done so far. */
export interface WindowStats extends WindowRef {
  /** By the monotonic clock, in milliseconds. */
  readonly openedAt: number;
  /** By the monotonic clock: when the window ends, even if its timer is late because the process was suspended. */
  closesAt: number;
  /** Why a deletion failed that the window no longer requests. */
  failureReason: string;
  /** False once the window is closed or replaced: it requests no further deletions. */
  isOpen: boolean;
  readonly deleted: Set<string>;
  readonly skipped: Set<string>;
  readonly failed: Set<string>;
  /** How often the pods of each owner were deleted. */
  readonly rounds: DeletionRounds;
  /** The uids of pods with a deletion in flight. Its outcome is counted here, even if the window closes meanwhile. */
  readonly pending: Set<string>;
}

/** The stats of the open windows, by service. */
export interface Windows {
  open(ref: WindowRef, duration: number): void;
  /** The stats of a window that is open or is just closing. */
  stats(ref: WindowRef): WindowStats | undefined;
  /** The open window of a service, if it has one. */
  openOf(namespace: string, service: string): WindowStats | undefined;
  /**
   * The number of the latest window of the service, even if the service has vanished since; 0: none. Numbers are never
   * reused.
   */
  lastOf(namespace: string, service: string): number;
  /** The open window lasts for this many milliseconds from now. */
  resize(ref: WindowRef, remaining: number): void;
  /**
   * Closes the latest window of the service, and reports its stats once the outcomes of all its deletions are known.
   */
  close(ref: WindowRef): void;
  /** Closes the latest window of every service. */
  closeAll(): void;
  /** The outcome of this pending deletion is known, or belongs to another window now. */
  finalise(stats: WindowStats, uid: string): void;
  readonly size: number;
}

export function createWindows(clock: Clock, report: ReportWeeder): Windows {
  const openWindows = new Map<string, WindowStats>();
  const closing = new Set<WindowStats>();
  const numbers = new Map<string, number>();
  const keyOf = ({ namespace, service }: Omit<WindowRef, 'window'>) => `${namespace}/${service}`;

  function close(ref: WindowRef): void {
    const stats = openWindows.get(keyOf(ref));
    if (stats === undefined) return;
    openWindows.delete(keyOf(ref));
    stats.isOpen = false;
    closing.add(stats);
    reportIfFinal(stats);
  }

  function reportIfFinal(stats: WindowStats): void {
    if (stats.pending.size > 0 || !closing.delete(stats)) return;
    const { namespace, service, window, deleted, skipped, failed } = stats;
    const counts = { deleted: deleted.size, skipped: skipped.size, failed: [...failed] };
    report({ type: 'window.closed', namespace, service, window, ...counts });
  }

  return {
    open(ref, duration) {
      close(ref);
      const { namespace, service, window } = ref;
      numbers.set(keyOf(ref), window);
      const openedAt = clock.monotonic();
      const times = { openedAt, closesAt: openedAt + duration };
      const failureReason = 'the window closed first';
      const is = { isOpen: true, failureReason, rounds: createDeletionRounds(clock) };
      openWindows.set(keyOf(ref), { namespace, service, window, ...times, ...is, ...emptySets() });
      report({ type: 'window.opened', namespace, service, window, duration });
    },
    stats(ref) {
      const stats = openWindows.get(keyOf(ref));
      return stats?.window === ref.window ? stats : undefined;
    },
    openOf: (namespace, service) => openWindows.get(keyOf({ namespace, service })),
    lastOf: (namespace, service) => numbers.get(keyOf({ namespace, service })) ?? 0,
    resize(ref, remaining) {
      const stats = openWindows.get(keyOf(ref));
      if (stats !== undefined) stats.closesAt = clock.monotonic() + remaining;
    },
    close,
    closeAll() {
      for (const stats of [...openWindows.values()]) close(stats);
    },
    finalise(stats, uid) {
      if (stats.pending.delete(uid)) reportIfFinal(stats);
    },
    get size() {
      return openWindows.size;
    },
  };
}

function emptySets() {
  const empty = () => new Set<string>();
  return { deleted: empty(), skipped: empty(), failed: empty(), pending: empty() };
}
