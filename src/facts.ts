import type { ConfigChange } from './config/compare.ts';
import type { Problem } from './errors.ts';

/** What the process has to say beside the weeder's own facts, one object a fact; as WeederFact. */
export type ProcessFact =
  /** `lease`: `namespace/name`. `identity`: who we are in it. */
  | { readonly type: 'leadership.acquired'; readonly lease: string; readonly identity: string }
  /** This replica acts no more; why, in words. */
  | { readonly type: 'leadership.lost'; readonly lease: string; readonly reason: string }
  /** It was given back, in good order. */
  | { readonly type: 'leadership.released'; readonly lease: string }
  /** Another replica holds it: told once for each holder. */
  | { readonly type: 'leadership.standsBy'; readonly lease: string; readonly holder: string }
  /** A new config is in force. All lists are empty where it says the same in other words. */
  | ({ readonly type: 'config.applied'; readonly generation: number } & ConfigChange)
  /** It cannot be used: the one before stays in force. */
  | { readonly type: 'config.rejected'; readonly generation: number; readonly problem: Problem };

export type ReportProcess = (fact: ProcessFact) => void;
