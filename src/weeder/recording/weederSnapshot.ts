import { createSnapshot, type Snapshot } from '../../recording/file/snapshot.ts';
import { failingPod } from '../declared/declaringPod.ts';
import { isSameBackOff } from '../pods/crashLooping.ts';

/** The state of the weeder at the beginning of a new file. Since when a pod is known matters, but not for a slice. */
export function createWeederSnapshot(): Snapshot {
  return createSnapshot({
    isDated: (stream) => !stream.startsWith('endpointslices'),
    isSame(before, now) {
      const [was, is] = [failingPod(before), failingPod(now)];
      return was !== undefined && is !== undefined && isSameBackOff(was, is);
    },
  });
}
