import type { Clock } from '../../base/clock.ts';
import { createDeletionRounds, type DeletionRounds } from './deletionRounds.ts';
import type { Report, WindowRef } from './facts.ts';

/** An open window's account: what it did so far. */
export interface WindowAccount extends WindowRef {
  /** By the monotonic clock, in milliseconds. */
  readonly openedAt: number;
  /** By the same clock: when its time is over, even if its timer is late because the process stood still. */
  closesAt: number;
  /** Why a deletion is given up that its window does not want any more. */
  givenUpBecause: string;
  /** False once it is closed, or replaced: it asks for nothing new. */
  isOpen: boolean;
  readonly deleted: Set<string>;
  readonly kept: Set<string>;
  readonly givenUp: Set<string>;
  /** How often the pods of each owner were deleted. */
  readonly rounds: DeletionRounds;
  /** Pods whose deletion is on the way: what becomes of it is told here, even if the window closes meanwhile. */
  readonly unsettled: Set<string>;
}

/** The accounts of the windows that are open, by service. */
export interface Windows {
  open(ref: WindowRef, duration: number): void;
  /** The account of a window that is open, or was until a moment ago. */
  account(ref: WindowRef): WindowAccount | undefined;
  /** The open window of a service, if it has one. */
  openOf(namespace: string, service: string): WindowAccount | undefined;
  /** The number of the newest window that the service has had, even if it vanished since; 0: none. No two share one. */
  lastOf(namespace: string, service: string): number;
  /** From now on the open window lasts this many milliseconds more. */
  resize(ref: WindowRef, remaining: number): void;
  /** Closes the newest window of the service and reports what it did, once the outcome of all that it did is known. */
  close(ref: WindowRef): void;
  /** The same for every service. */
  closeAll(): void;
  /** What becomes of this unsettled deletion is known, or is another window's business now. */
  settle(account: WindowAccount, uid: string): void;
  readonly size: number;
}

export function createWindows(clock: Clock, report: Report): Windows {
  const accounts = new Map<string, WindowAccount>();
  const closing = new Set<WindowAccount>();
  const numbers = new Map<string, number>();
  const keyOf = ({ namespace, service }: Omit<WindowRef, 'window'>) => `${namespace}/${service}`;

  function close(ref: WindowRef): void {
    const account = accounts.get(keyOf(ref));
    if (account === undefined) return;
    accounts.delete(keyOf(ref));
    account.isOpen = false;
    closing.add(account);
    reportIfSettled(account);
  }

  function reportIfSettled(account: WindowAccount): void {
    if (account.unsettled.size > 0 || !closing.delete(account)) return;
    const { namespace, service, window, deleted, kept, givenUp } = account;
    const counts = { deleted: deleted.size, kept: kept.size, givenUp: [...givenUp] };
    report({ type: 'window.closed', namespace, service, window, ...counts });
  }

  return {
    open(ref, duration) {
      close(ref);
      const { namespace, service, window } = ref;
      numbers.set(keyOf(ref), window);
      const openedAt = clock.monotonic();
      const times = { openedAt, closesAt: openedAt + duration };
      const givenUpBecause = 'the window closed first';
      const is = { isOpen: true, givenUpBecause, rounds: createDeletionRounds(clock) };
      accounts.set(keyOf(ref), { namespace, service, window, ...times, ...is, ...emptySets() });
      report({ type: 'window.opened', namespace, service, window, duration });
    },
    account(ref) {
      const account = accounts.get(keyOf(ref));
      return account?.window === ref.window ? account : undefined;
    },
    openOf: (namespace, service) => accounts.get(keyOf({ namespace, service })),
    lastOf: (namespace, service) => numbers.get(keyOf({ namespace, service })) ?? 0,
    resize(ref, remaining) {
      const account = accounts.get(keyOf(ref));
      if (account !== undefined) account.closesAt = clock.monotonic() + remaining;
    },
    close,
    closeAll() {
      for (const account of [...accounts.values()]) close(account);
    },
    settle(account, uid) {
      if (account.unsettled.delete(uid)) reportIfSettled(account);
    },
    get size() {
      return accounts.size;
    },
  };
}

function emptySets() {
  const empty = () => new Set<string>();
  return { deleted: empty(), kept: empty(), givenUp: empty(), unsettled: empty() };
}
