import type { DeletePod } from '../../../src/weeder/deletions/deletePod.ts';
import type { ReadLog } from '../../../src/weeder/deletions/readLog.ts';
import type { ReadySince } from '../../../src/weeder/services/readySince.ts';
import type { Weeder } from '../../../src/weeder/weeder.ts';
import type { ReplayStep } from './replayFormat.ts';

type Part = NonNullable<ReplayStep['crash']>;

/** Injected errors of weeder itself: the next use of a module throws, once. */
export function replayCrashes() {
  const due = new Set<Part>();
  const mayCrash = (part: Part) => {
    if (due.delete(part)) throw new Error(`the replay broke ${part}`);
  };
  return {
    next: (part: Part) => void due.add(part),
    deletePod:
      (real: DeletePod): DeletePod =>
      (request, signal) => {
        mayCrash('deletePod');
        return real(request, signal);
      },
    readLog:
      (real: ReadLog): ReadLog =>
      (pod, lines, signal) => {
        mayCrash('readLog');
        return real(pod, lines, signal);
      },
    readySince:
      (real: ReadySince): ReadySince =>
      (evidence, oldest, signal) => {
        mayCrash('readySince');
        return real(evidence, oldest, signal);
      },
    /** Makes the indexes of this weeder throw when they are due. */
    reach(weeder: Weeder) {
      for (const index of weeder.pods.values()) {
        const subscribe = index.subscribe.bind(index);
        Object.assign(index, {
          subscribe: (...args: Parameters<typeof subscribe>) => {
            mayCrash('podWatch');
            return subscribe(...args);
          },
        });
      }
    },
  };
}
