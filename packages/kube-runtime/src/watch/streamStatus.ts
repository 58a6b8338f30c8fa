import type { Clock } from '../base/clock.ts';

/** As in the reflector machine, except for the transient `expired`. */
export type StreamState = 'listing' | 'watching' | 'backingOff';

/** Why a stream had to restart. */
export type LossReason = 'lost' | 'silent' | 'expired' | 'rewound';

/** Further details of a loss. */
export interface LossDetails {
  /** The server answered with 403 or 404. */
  readonly isRefused?: boolean;
  /**
   * For a silent stream: for how many milliseconds nothing could arrive. Default: since the server last sent something.
   */
  readonly silentMs?: number | undefined;
}

/** The status of one stream. Durations are milliseconds. */
export interface StreamStatus {
  readonly name: string;
  /** The collection's plural name: `pods`. */
  readonly resource: string;
  readonly state: StreamState;
  /** Epoch milliseconds. */
  readonly since: number;
  /** Whether the complete state was read at least once. */
  readonly isSynced: boolean;
  /** For how long no changes could arrive; undefined: they can. */
  readonly downFor: number | undefined;
  /** The cause of the last loss, as text; undefined while the stream is up. */
  readonly problem: string | undefined;
  /** The server answered the last attempt with 403 or 404: it takes a change of permissions, or of the cluster. */
  readonly isRefused: boolean;
  /** How often the stream was lost. */
  readonly losses: number;
  /** The time since the server last sent anything: an event, a bookmark, or the headers of a response. */
  readonly quietFor: number;
  /** The number of bytes of all response bodies. */
  readonly bytes: number;
  /** The number of objects in the last complete state. */
  readonly objects: number | undefined;
  /** weeder is ready even while the stream cannot be read. Default: false. */
  readonly isOptional?: boolean;
  /** As in `StreamNeed`. */
  readonly peers?: string | undefined;
  /** The API server does not have this kind, which is allowed. */
  readonly isMissing?: boolean;
}

/** The totals of the streams of one resource, including streams that were forgotten. */
export interface StreamTotals {
  readonly bytes: number;
  readonly losses: Readonly<Record<LossReason, number>>;
}

/** The status of every stream, updated by its reflector. The name of a stream is the reflector's `input.name`. */
export interface StreamStatuses {
  /** A request is about to be sent: from a position, or for the complete state. */
  begun(name: string, path: string, isResuming: boolean): void;
  /** The headers of the response have arrived. */
  opened(name: string): void;
  received(name: string, bytes: number): void;
  synced(name: string, objects: number | undefined): void;
  lost(name: string, reason: LossReason, problem: string, more?: LossDetails): void;
  /** The stream is no longer needed. */
  forget(name: string): void;
  /** The streams that were started, in that order. */
  all(): StreamStatus[];
  /** By resource. */
  totals(): ReadonlyMap<string, StreamTotals>;
}

/** A stream that is lost again within this time after it was opened counts as never up. Milliseconds. */
const stableMs = 5_000;

/** Times are by the monotonic clock, except for `since`. */
interface Entry {
  readonly resource: string;
  state: StreamState;
  since: number;
  isSynced: boolean;
  /** Undefined: the stream is up. */
  downSince: number | undefined;
  /** When the stream last came up, and since when it had been down. */
  recovered: { readonly at: number; readonly downSince: number } | undefined;
  problem: string | undefined;
  isRefused: boolean;
  losses: number;
  receivedAt: number;
  bytes: number;
  objects: number | undefined;
}

export function createStreamStatuses(clock: Clock): StreamStatuses {
  const entries = new Map<string, Entry>();
  const totals = new Map<string, { bytes: number; losses: Record<LossReason, number> }>();

  function totalOf({ resource }: Entry) {
    const total = totals.get(resource) ?? { bytes: 0, losses: { lost: 0, silent: 0, expired: 0, rewound: 0 } };
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

  /** A silent stream was down before that was noticed; any other was up until now. */
  function downSince(entry: Entry, reason: LossReason, silentMs: number | undefined): number {
    const now = clock.monotonic();
    if (entry.recovered !== undefined && now - entry.recovered.at < stableMs) return entry.recovered.downSince;
    if (reason !== 'silent') return now;
    return silentMs === undefined ? entry.receivedAt : now - silentMs;
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
      receivedAt: now,
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
    received(name, bytes) {
      const entry = entries.get(name);
      if (entry === undefined) return;
      entry.receivedAt = clock.monotonic();
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
  const quietFor = now - entry.receivedAt;
  return { name, resource, state, since, isSynced, downFor, problem, isRefused, losses, quietFor, bytes, objects };
}
