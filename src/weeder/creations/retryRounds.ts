import type { Clock } from '@weeder/kube-runtime/base';
import { forgottenAfter, pauseAfter } from '../deletions/replacementBackOff.ts';
import { ownerKey, type RefusedCreation } from '../owners/ownerIndex.ts';

/**
 * How often each object was retried, in all windows together, with the pauses between the rounds of deletions: an object
 * whose creations fail again is retried after 10, 20, 40 s and so on. Not kept over a restart of weeder.
 */
export interface RetryRounds {
  retried(refused: RefusedCreation): void;
  /** The object needs no retry for this evidence: it has its pods, or cannot be retried. */
  settled(refused: RefusedCreation): void;
  /** Whether the creation has failed since the object was retried or settled. */
  isNew(refused: RefusedCreation): boolean;
  /** When the next retry is due, by the monotonic clock in milliseconds; not in the future: at once. */
  dueAt(refused: RefusedCreation): number;
}

interface Rounds {
  readonly count: number;
  /** When the last one began, by the monotonic clock. */
  readonly began: number;
  readonly evidence: string;
}

export function createRetryRounds(clock: Clock): RetryRounds {
  /** By the key of the object; the one whose last round began first comes first. */
  const byKey = new Map<string, Rounds>();

  function put({ owner, evidence }: RefusedCreation, count: number): void {
    byKey.delete(ownerKey(owner));
    byKey.set(ownerKey(owner), { count, began: clock.monotonic(), evidence });
    for (const [oldest, { began }] of byKey) {
      if (clock.monotonic() - began < forgottenAfter) return;
      byKey.delete(oldest);
    }
  }

  function roundsOf({ owner }: RefusedCreation): Rounds | undefined {
    const rounds = byKey.get(ownerKey(owner));
    return rounds === undefined || clock.monotonic() - rounds.began >= forgottenAfter ? undefined : rounds;
  }

  return {
    retried: (refused) => put(refused, (roundsOf(refused)?.count ?? 0) + 1),
    settled: (refused) => put(refused, 0),
    isNew: (refused) => roundsOf(refused)?.evidence !== refused.evidence,
    dueAt(refused) {
      const rounds = roundsOf(refused);
      return rounds === undefined ? 0 : rounds.began + pauseAfter(rounds.count);
    },
  };
}
