import type { Problem } from './errors.ts';

/** What there is to say of the process as a whole, beside what the weeder has to say of services and pods. */
export type ProcessFact =
  /** A new config is in force. The services are named; all lists are empty where it says the same in other words. */
  | {
      readonly type: 'config.applied';
      readonly generation: number;
      readonly added: readonly string[];
      readonly changed: readonly string[];
      readonly removed: readonly string[];
    }
  /** It cannot be used: the one before stays in force. */
  | { readonly type: 'config.rejected'; readonly generation: number; readonly problem: Problem };

export type ReportProcess = (fact: ProcessFact) => void;
