import type { Clock } from '../../base/clock.ts';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';

const firstPause = 10_000;

/**
 * How often one window has deleted the pods of each owner. All pods that exist at its first deletion form the first
 * round, and are deleted at once. The pods that replace them form the next round, which begins 10 s after the first
 * began; each further round waits twice as long. A pod without an owner or a creation time never waits.
 */
export interface DeletionRounds {
  /** The API server accepted a deletion of this pod. `at`: epoch milliseconds by the API server's clock, if known. */
  deleted(pod: CrashLoopingPod, at: number | undefined): void;
  /** The API server reported when it accepted the deletion of this pod: epoch milliseconds by its clock. */
  dated(uid: string, at: number): void;
  /** Whether the pod was created after a pod of its owner was deleted in this window. */
  isReplacement(pod: CrashLoopingPod): boolean;
  /** Milliseconds until a deletion of the pod is due; 0 if it is due now. */
  pauseLeft(pod: CrashLoopingPod): number;
}

interface Round {
  /** The pod whose deletion began the round. */
  readonly uid: string;
  /** By the monotonic clock. */
  readonly began: number;
  /** By the API server's clock, in whole seconds: a pod created since then replaces a deleted one. */
  since: number;
}

export function createDeletionRounds(clock: Clock): DeletionRounds {
  const rounds = new Map<string, Round[]>();

  function before({ owner, createdAt }: CrashLoopingPod): Round[] {
    const known = owner === undefined ? [] : (rounds.get(owner) ?? []);
    return createdAt === undefined ? [] : known.filter(({ since }) => since <= createdAt);
  }

  return {
    deleted(pod, at) {
      const { owner, uid } = pod;
      if (owner === undefined) return;
      const known = rounds.get(owner) ?? [];
      if (before(pod).length < known.length) return;
      const since = wholeSecond(at ?? clock.now());
      rounds.set(owner, [...known, { uid, began: clock.monotonic(), since }]);
    },
    dated(uid, at) {
      for (const known of rounds.values())
        for (const round of known) if (round.uid === uid) round.since = wholeSecond(at);
    },
    isReplacement: (pod) => before(pod).length > 0,
    pauseLeft(pod) {
      const known = before(pod);
      const last = known.at(-1);
      if (last === undefined) return 0;
      return Math.max(0, last.began + firstPause * 2 ** (known.length - 1) - clock.monotonic());
    },
  };
}

function wholeSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
