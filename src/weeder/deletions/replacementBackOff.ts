/**
 * All pods of an owner that exist at its first deletion form the first round, and are due at once. The pods that
 * replace them form the next round, which begins 10 s after the first began; each further round waits twice as long, up
 * to 5 minutes. Ten minutes after its last round began, an owner begins again. Does not guarantee a pause for a pod
 * without an owner or a creation time, nor after a restart of weeder: the rounds are only in memory.
 */

import type { Clock } from '@weeder/kube-runtime/base';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';

const firstPause = 10_000;
/** As long as the longest back-off of a kubelet. */
const longestPause = 300_000;
/** An owner without a new round for this time begins again, as a container does that runs for so long in a kubelet. */
export const forgottenAfter = 2 * longestPause;
/** More rounds than this make no pause longer. */
const maxRounds = 7;

/**
 * How often the pods of each owner were deleted, in all windows together: an outage that follows another one, or a
 * second service of the same dependant, must not multiply the deletions of a pod that is broken for its own reasons.
 */
export interface ReplacementBackOff {
  /** The API server accepted a deletion of this pod. `at`: epoch milliseconds by the API server's clock, if known. */
  deleted(pod: CrashLoopingPod, at: number | undefined): void;
  /** The API server reported when it accepted the deletion of this pod: epoch milliseconds by its clock. */
  dated(pod: CrashLoopingPod, at: number): void;
  /** Whether the pod was created after a pod of its owner was deleted, not before `openedAt` by the monotonic clock. */
  isReplacement(pod: CrashLoopingPod, openedAt: number): boolean;
  /** When a deletion of the pod is due, by the monotonic clock in milliseconds; 0: at once. */
  dueAt(pod: CrashLoopingPod): number;
}

interface Round {
  /** The pod whose deletion began the round. */
  readonly uid: string;
  /** By the monotonic clock. */
  readonly began: number;
  /** By the API server's clock, in whole seconds: a pod created since then replaces a deleted one. */
  readonly since: number;
}

export function createReplacementBackOff(clock: Clock): ReplacementBackOff {
  /** By owner; the one whose last round began first comes first. */
  const owners = new Map<string, readonly Round[]>();

  function roundsOf(owner: string | undefined): readonly Round[] {
    const rounds = owners.get(owner ?? '') ?? [];
    return isForgotten(rounds) ? [] : rounds;
  }

  function isForgotten(rounds: readonly Round[]): boolean {
    const last = rounds.at(-1);
    return last === undefined || clock.monotonic() - last.began >= forgottenAfter;
  }

  function forgetOld(): void {
    for (const [owner, rounds] of owners) {
      if (!isForgotten(rounds)) return;
      owners.delete(owner);
    }
  }

  function before({ owner, createdAt }: CrashLoopingPod): readonly Round[] {
    return createdAt === undefined ? [] : roundsOf(owner).filter(({ since }) => since <= createdAt);
  }

  return {
    deleted(pod, at) {
      const { owner, uid } = pod;
      if (owner === undefined) return;
      const rounds = roundsOf(owner);
      if (before(pod).length < rounds.length) return;
      const round = { uid, began: clock.monotonic(), since: wholeSecond(at ?? clock.now()) };
      owners.delete(owner);
      owners.set(owner, [...rounds, round].slice(-maxRounds));
      forgetOld();
    },
    dated({ owner = '', uid }, at) {
      const since = wholeSecond(at);
      const rounds = owners.get(owner);
      if (rounds !== undefined)
        owners.set(
          owner,
          rounds.map((round) => (round.uid === uid ? { ...round, since } : round)),
        );
    },
    isReplacement: (pod, openedAt) => before(pod).some(({ began }) => began >= openedAt),
    dueAt(pod) {
      const rounds = before(pod);
      const last = rounds.at(-1);
      return last === undefined ? 0 : last.began + pauseAfter(rounds.length);
    },
  };
}

/** The pause between the beginnings of two rounds, after this number of rounds. Milliseconds. */
export function pauseAfter(rounds: number): number {
  return rounds === 0 ? 0 : Math.min(longestPause, firstPause * 2 ** (rounds - 1));
}

function wholeSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
