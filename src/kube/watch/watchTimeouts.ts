import type { Clock } from '../../base/clock.ts';

/** One watch, from before its request to its end. */
export interface WatchTimeout {
  /** For how long the server is to hold it open (`timeoutSeconds`). */
  readonly seconds: number;
  /** Aborted when the watch is to be ended and opened anew, although all is well. */
  readonly reopen: AbortSignal;
  /** Its headers came on this connection. */
  openedOn(connection: number): void;
  ended(): void;
}

/**
 * Chooses the `timeoutSeconds` of all watches of a client. A server that lives ends its watches in time, so a watch that
 * is not ended in time says that the connection is dead or the server stands still. That one watch is short is enough
 * for all of them, so the longer the more there are: together they cost about one request a second. There is always a
 * short one while there are any.
 */
export interface WatchTimeouts {
  /** `random` is from 0 up to 1. */
  begin(random: number): WatchTimeout;
}

const shortest = 15;
/** Whether a watch is still allowed is asked when it is opened. */
const longest = 900;
/** Watches that were opened together do not end together. */
const spread = 0.4;
/** The reflector whose watch was the short one opens it again at once, unless the watch was refused or is not wanted. */
const takeOverMs = 2_000;
/** Watches on replaced connections are opened anew within this time. */
const moveMs = 15_000;

interface Entry {
  connection: number | undefined;
  readonly abort: AbortController;
}

export function createWatchTimeouts(clock: Clock): WatchTimeouts {
  /** The longest open comes first. */
  const entries = new Set<Entry>();
  let short: Entry | undefined;
  let newest = 0;

  function replaceShort(): void {
    if (short === undefined) entries.values().next().value?.abort.abort();
  }

  /** The credentials have changed: what was opened with the old ones goes over to the new connection. */
  function leaveOlder(connection: number): void {
    if (connection <= newest) return;
    newest = connection;
    const older = [...entries].filter((entry) => (entry.connection ?? connection) < connection);
    for (const [index, { abort }] of older.entries()) {
      clock.setTimeout(() => abort.abort(), (moveMs * (index + 1)) / older.length);
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
          if (short !== entry) return;
          short = undefined;
          clock.setTimeout(replaceShort, takeOverMs);
        },
      };
    },
  };
}
