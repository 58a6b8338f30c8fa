import type { Clock, TimerHandle } from '../base/clock.ts';

/** One watch, from before its request to its end. */
export interface WatchTimeout {
  /** How long the server should hold the watch open (`timeoutSeconds`). */
  readonly seconds: number;
  /** Aborted when the watch should be ended and reopened although nothing is wrong. */
  readonly reopen: AbortSignal;
  /** The headers arrived on this connection. */
  openedOn(connection: number): void;
  ended(): void;
}

/**
 * Chooses the `timeoutSeconds` of all watches of a client. A working server ends its watches on time, so a watch that
 * is not ended on time shows that the connection is dead or the server hangs. It is enough for all of them that one
 * watch is short, so the more watches there are, the longer they last: together they cost about one request per second.
 * There is always a short one while there are any.
 */
export interface WatchTimeouts {
  /** `random` is from 0 up to 1. */
  begin(random: number): WatchTimeout;
  /** Reopens all watches, one after the other. */
  reopenAll(): void;
}

const shortest = 15;
/** The server checks when a watch is opened whether it is still allowed. */
const longest = 900;
/** Watches that were opened together should not end together. */
const spread = 0.4;
/** The reflector of the short watch reopens it immediately, unless the watch was refused or is no longer needed. */
const takeOverMs = 2_000;
/** Watches on replaced connections are reopened within this time. */
const moveMs = 15_000;
/** Between two watches when all are reopened. */
const reopenStepMs = 20;

interface Entry {
  connection: number | undefined;
  readonly abort: AbortController;
  /** The watch moves to the new connection when this timer ends. */
  move?: TimerHandle;
  /** The watch is reopened with all others when this timer ends. */
  reopen?: TimerHandle;
}

export function createWatchTimeouts(clock: Clock): WatchTimeouts {
  /** The watch that was opened first comes first. */
  const entries = new Set<Entry>();
  let short: Entry | undefined;
  let takeOver: TimerHandle | undefined;
  let newest = 0;

  function replaceShort(): void {
    if (short === undefined) entries.values().next().value?.abort.abort();
  }

  /** The credentials have changed: watches that were opened with the old ones move to the new connection. */
  function leaveOlder(connection: number): void {
    if (connection <= newest) return;
    newest = connection;
    const older = [...entries].filter((entry) => (entry.connection ?? connection) < connection);
    for (const [index, entry] of older.entries()) {
      clock.clearTimeout(entry.move);
      entry.move = clock.setTimeout(() => entry.abort.abort(), (moveMs * (index + 1)) / older.length);
    }
  }

  return {
    begin(random) {
      const entry: Entry = { connection: undefined, abort: new AbortController() };
      entries.add(entry);
      const isShort = short === undefined;
      if (isShort) short = entry;
      const base = isShort ? shortest : Math.min(Math.max(entries.size, shortest), longest);
      return {
        seconds: base + Math.floor(random * spread * base),
        reopen: entry.abort.signal,
        openedOn(connection) {
          entry.connection = connection;
          leaveOlder(connection);
        },
        ended() {
          entries.delete(entry);
          clock.clearTimeout(entry.move);
          clock.clearTimeout(entry.reopen);
          if (short === entry) {
            short = undefined;
            clock.clearTimeout(takeOver);
            takeOver = clock.setTimeout(replaceShort, takeOverMs);
          }
          // Without a watch there is nothing to reopen, and a timer would keep a process alive that ends.
          if (entries.size === 0) clock.clearTimeout(takeOver);
        },
      };
    },
    reopenAll() {
      for (const [index, entry] of [...entries].entries()) {
        entry.reopen ??= clock.setTimeout(() => entry.abort.abort(), reopenStepMs * index);
      }
    },
  };
}
