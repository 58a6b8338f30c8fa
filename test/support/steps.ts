import type { ServiceConfig } from '../../src/config/config.ts';

/** One thing that happens, as plain data, so that a counterexample can be read. Milliseconds. */
export type Step =
  | {
      readonly do: 'pod';
      readonly namespace: string;
      readonly name: string;
      readonly role: string;
      readonly is: 'running' | 'backOff' | 'ended' | 'ending';
      readonly restarts: number;
      /** How long ago it finished, by its node's clock. */
      readonly finished: number;
      readonly protection: 'none' | 'bare' | 'ignored' | 'mirror';
      readonly isSuccessor: boolean;
      readonly isSeen: boolean;
    }
  /** It has a newer version, in which nothing that matters is different. */
  | { readonly do: 'touch'; readonly namespace: string; readonly name: string; readonly isSeen: boolean }
  | { readonly do: 'remove'; readonly namespace: string; readonly name: string; readonly isSeen: boolean }
  | ({ readonly do: 'slice' } & SliceChange)
  /** The slices are read again, after this change, which nobody saw, nor an outage that ended so many milliseconds ago. */
  | ({ readonly do: 'sliceGap'; readonly outageEnded: number | undefined } & SliceChange)
  | { readonly do: 'relistPods' }
  | ({ readonly do: 'dating' } & Dating)
  | { readonly do: 'jump'; readonly ms: number }
  | { readonly do: 'mood'; readonly mood: Mood }
  /** Whoever waits for an answer gets one. */
  | { readonly do: 'answerLate'; readonly mood: Exclude<Mood, 'late'> }
  /** Weeder ends, whatever it was doing, and a new one begins after a while. */
  | { readonly do: 'restart'; readonly after: number }
  /** The process stands still. */
  | { readonly do: 'sleep'; readonly ms: number }
  | { readonly do: 'pass'; readonly ms: number };

/** How the backing pods answer when they are asked since when the service is ready. */
export interface Dating {
  /** `true`: as it was; `ago`: so many milliseconds before now. */
  readonly how: 'true' | 'ago' | 'unknown' | 'fails';
  readonly ago: number;
  /** The answer comes when whoever waits for one gets it. */
  readonly isLate: boolean;
}

export interface SliceChange {
  readonly namespace: string;
  readonly service: string;
  readonly part: string;
  readonly ready: readonly boolean[] | null;
}

/** What the API server says to deletions; `late`: nothing until it is told to. */
export type Mood = 'accept' | 'refuse' | 'tooMany' | 'reject' | 'conflict' | 'late';

/** Everything that one story is made of. */
export interface Script {
  readonly services: readonly ServiceConfig[];
  readonly concurrentDeletions: number;
  readonly isDryRun: boolean;
  readonly steps: readonly Step[];
}
