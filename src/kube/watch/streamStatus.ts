import type { Clock } from '../../base/clock.ts';

/** As in the reflector machine; `expired` lasts no time. */
export type StreamState = 'listing' | 'watching' | 'backingOff';

/** Why a stream had to begin again. */
export type LossReason = 'lost' | 'silent' | 'expired';

/** What more is known of a loss. */
export interface LossDetails {
  /** The server answered with 403 or 404. */
  readonly isRefused?: boolean;
  /** Of a silent one: for how many milliseconds nothing could come. Default: since it was last heard. */
  readonly silentMs?: number | undefined;
}

/** How one stream fares. Lengths of time are milliseconds. */
export interface StreamStatus {
  readonly name: string;
  /** The collection's plural name: `pods`. */
  readonly resource: string;
  readonly state: StreamState;
  /** Epoch milliseconds. */
  readonly since: number;
  /** Was the complete state read at least once? */
  readonly isSynced: boolean;
  /** For how long no news could come in; undefined: they can. */
  readonly downFor: number | undefined;
  /** The last loss, in words; undefined while it is up. */
  readonly problem: string | undefined;
  /** The server answered the last attempt with 403 or 404: only a change of permissions, or of the cluster, helps. */
  readonly isRefused: boolean;
  /** How often it was lost. */
  readonly losses: number;
  /** Since the server last said anything: an event, a bookmark, or the headers of an answer. */
  readonly quietFor: number;
  /** Of the bodies that came in. */
  readonly bytes: number;
  /** How many objects the last complete state had. */
  readonly objects: number | undefined;
  /** Weeder is ready also while it cannot be read. Default: false. */
  readonly isOptional?: boolean;
  /** As in `StreamNeed`. */
  readonly peers?: string | undefined;
  /** The API server does not know its kind, and it need not. */
  readonly isMissing?: boolean;
}

/** What the streams of one resource did so far, those that are forgotten included. */
export interface StreamTotals {
  readonly bytes: number;
  readonly losses: Readonly<Record<LossReason, number>>;
}

/** The state of every stream, kept up to date by its reflector. Streams are named as the reflector's `input.name`. */
export interface StreamStatuses {
  /** A request is being opened: from a position, or for the complete state. */
  begun(name: string, path: string, isResuming: boolean): void;
  /** The headers of its answer are there. */
  opened(name: string): void;
  heard(name: string, bytes: number): void;
  synced(name: string, objects: number | undefined): void;
  lost(name: string, reason: LossReason, problem: string, more?: LossDetails): void;
  /** Nobody wants the stream any more. */
  forget(name: string): void;
  /** Those that were begun, in that order. */
  all(): StreamStatus[];
  /** By resource. */
  totals(): ReadonlyMap<string, StreamTotals>;
}

/** A stream that is lost again so soon after it was opened was never really up. */
const stableMs = 5_000;

/** Times by the monotonic clock, but for `since`. */
interface Entry {
  readonly resource: string;
  state: StreamState;
  since: number;
  isSynced: boolean;
  /** Undefined: it is up. */
  downSince: number | undefined;
  /** The last time that it came up, and since when it had been down then. */
  recovered: { readonly at: number; readonly downSince: number } | undefined;
  problem: string | undefined;
  isRefused: boolean;
  losses: number;
  heardAt: number;
  bytes: number;
  objects: number | undefined;
}

export function createStreamStatuses(clock: Clock): StreamStatuses {
  const entries = new Map<string, Entry>();
  const totals = new Map<string, { bytes: number; losses: Record<LossReason, number> }>();

  function totalOf({ resource }: Entry) {
    const total = totals.get(resource) ?? { bytes: 0, losses: { lost: 0, silent: 0, expired: 0 } };
    totals.set(resource, total);
    return total;
  }

  function enter(entry: Entry, state: StreamState): void {
    if (entry.state === state) return;
    entry.state = state;
    entry.since = clock.now();
  }

  function comeUp(entry: Entry): void {
    if (entry.downSince === undefined) return;
    entry.recovered = { at: clock.monotonic(), downSince: entry.downSince };
    entry.downSince = undefined;
    entry.problem = undefined;
    entry.isRefused = false;
  }

  /** A stream that went silent was down before that was noticed; any other was up until now. */
  function downSince(entry: Entry, reason: LossReason, silentMs: number | undefined): number {
    const now = clock.monotonic();
    if (entry.recovered !== undefined && now - entry.recovered.at < stableMs) return entry.recovered.downSince;
    if (reason !== 'silent') return now;
    return silentMs === undefined ? entry.heardAt : now - silentMs;
  }

  function created(path: string): Entry {
    const now = clock.monotonic();
    return {
      resource: path.slice(path.lastIndexOf('/') + 1),
      state: 'listing',
      since: clock.now(),
      isSynced: false,
      downSince: now,
      recovered: undefined,
      problem: undefined,
      isRefused: false,
      losses: 0,
      heardAt: now,
      bytes: 0,
      objects: undefined,
    };
  }

  return {
    begun(name, path, isResuming) {
      const entry = entries.get(name) ?? created(path);
      entries.set(name, entry);
      enter(entry, isResuming ? 'watching' : 'listing');
    },
    opened(name) {
      const entry = entries.get(name);
      if (entry?.state === 'watching') comeUp(entry);
    },
    heard(name, bytes) {
      const entry = entries.get(name);
      if (entry === undefined) return;
      entry.heardAt = clock.monotonic();
      entry.bytes += bytes;
      totalOf(entry).bytes += bytes;
    },
    synced(name, objects) {
      const entry = entries.get(name);
      if (entry === undefined) return;
      entry.isSynced = true;
      entry.objects = objects;
      enter(entry, 'watching');
      comeUp(entry);
    },
    lost(name, reason, problem, { isRefused = false, silentMs } = {}) {
      const entry = entries.get(name);
      if (entry === undefined) return;
      entry.losses += 1;
      totalOf(entry).losses[reason] += 1;
      entry.downSince ??= downSince(entry, reason, silentMs);
      entry.problem = problem;
      entry.isRefused = isRefused;
      enter(entry, 'backingOff');
    },
    forget: (name) => void entries.delete(name),
    all: () => [...entries].map(([name, entry]) => statusOf(name, entry, clock.monotonic())),
    totals: () => totals,
  };
}

function statusOf(name: string, entry: Entry, now: number): StreamStatus {
  const { resource, state, since, isSynced, problem, isRefused, losses, bytes, objects } = entry;
  const downFor = entry.downSince === undefined ? undefined : now - entry.downSince;
  const quietFor = now - entry.heardAt;
  return { name, resource, state, since, isSynced, downFor, problem, isRefused, losses, quietFor, bytes, objects };
}
