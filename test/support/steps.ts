import type { ServiceConfig } from '../../src/config/config.ts';

/** One step, as plain data, so that a counterexample is readable. Milliseconds. */
export type Step =
  | {
      readonly do: 'pod';
      readonly namespace: string;
      readonly name: string;
      readonly role: string;
      readonly type: 'running' | 'backOff' | 'ended' | 'ending';
      readonly restarts: number;
      /** The time since it finished, by its node's clock. */
      readonly finished: number;
      readonly protection: 'none' | 'bare' | 'ignored' | 'mirror';
      readonly isSuccessor: boolean;
      readonly isSeen: boolean;
    }
  /** The object has a newer version without relevant changes. */
  | { readonly do: 'touch'; readonly namespace: string; readonly name: string; readonly isSeen: boolean }
  | { readonly do: 'remove'; readonly namespace: string; readonly name: string; readonly isSeen: boolean }
  | ({ readonly do: 'slice' } & SliceChange)
  /**
   * The slices are listed again after this change, which was not observed, and neither was an outage that ended so many
   * milliseconds ago.
   */
  | ({ readonly do: 'sliceGap'; readonly outageEnded: number | undefined } & SliceChange)
  | { readonly do: 'relistPods' }
  | ({ readonly do: 'readyTime' } & ReadyTimeAnswer)
  | { readonly do: 'jump'; readonly ms: number }
  | { readonly do: 'respond'; readonly response: ResponseKind }
  /** All pending requests get their response. */
  | { readonly do: 'answerLate'; readonly response: Exclude<ResponseKind, 'late'> }
  /** The weeder process ends in any state, and a new one begins after a while. */
  | { readonly do: 'restart'; readonly after: number }
  /** The process is suspended. */
  | { readonly do: 'sleep'; readonly ms: number }
  | { readonly do: 'pass'; readonly ms: number };

/** What the backing pods' status says when weeder reads since when the service is ready. */
export interface ReadyTimeAnswer {
  /** `true`: the actual time; `ago`: so many milliseconds before now. */
  readonly how: 'true' | 'ago' | 'unknown' | 'fails';
  readonly ago: number;
  /** The response comes with a later `answerLate`. */
  readonly isLate: boolean;
}

export interface SliceChange {
  readonly namespace: string;
  readonly service: string;
  readonly part: string;
  readonly ready: readonly boolean[] | null;
}

/** How the API server responds to deletions; `late`: not until `answerLate`. */
export type ResponseKind = 'accept' | 'refuse' | 'tooMany' | 'reject' | 'conflict' | 'late';

/** All parts of one story. */
export interface Script {
  readonly services: readonly ServiceConfig[];
  readonly concurrentDeletions: number;
  readonly isDryRun: boolean;
  readonly steps: readonly Step[];
}
