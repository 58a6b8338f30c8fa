import type { CodedError } from '../base/errors.ts';
import type { ConfigChange } from '../config/compare.ts';
import type { LeadershipFact } from '../kube/lease/leadershipFact.ts';

/** What the process has to say beside the weeder's own facts, one object a fact; as WeederFact. */
export type ProcessFact =
  | LeadershipFact
  /** A new config is in force. All lists are empty where it says the same in other words. */
  | ({ readonly type: 'config.applied'; readonly generation: number } & ConfigChange)
  /** It cannot be used: the one before stays in force. */
  | { readonly type: 'config.rejected'; readonly generation: number; readonly problem: CodedError };

export type ReportProcess = (fact: ProcessFact) => void;
