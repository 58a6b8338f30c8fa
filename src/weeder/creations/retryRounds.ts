import type { Clock } from '@weeder/kube-runtime/base';
import { forgottenAfter, pauseAfter } from '../deletions/replacementBackOff.ts';
import type { RefusedCreation } from '../owners/ownerIndex.ts';

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
  dueAt(uid: string): number;
}

interface Rounds {
  readonly count: number;
  /** When the last one began, by the monotonic clock. */
  readonly began: number;
  readonly evidence: string;
}

export function createRetryRounds(clock: Clock): RetryRounds {
  /** By uid; the object whose last round began first comes first. */
  const byUid = new Map<string, Rounds>();

  function put({ owner: { uid }, evidence }: RefusedCreation, count: number): void {
    byUid.delete(uid);
    byUid.set(uid, { count, began: clock.monotonic(), evidence });
    for (const [oldest, { began }] of byUid) {
      if (clock.monotonic() - began < forgottenAfter) return;
      byUid.delete(oldest);
    }
  }

  function roundsOf(uid: string): Rounds | undefined {
    const rounds = byUid.get(uid);
    return rounds === undefined || clock.monotonic() - rounds.began >= forgottenAfter ? undefined : rounds;
  }

  return {
    retried: (refused) => put(refused, (roundsOf(refused.owner.uid)?.count ?? 0) + 1),
    settled: (refused) => put(refused, 0),
    isNew: ({ owner, evidence }) => roundsOf(owner.uid)?.evidence !== evidence,
    dueAt(uid) {
      const rounds = roundsOf(uid);
      return rounds === undefined ? 0 : rounds.began + pauseAfter(rounds.count);
    },
  };
}
