import { createSnapshot, type Snapshot } from '../../recording/file/snapshot.ts';
import { crashLooping, isSameBackOff } from '../pods/crashLooping.ts';

/** The state of the weeder at the beginning of a new file. Since when a pod is known matters, but not for a slice. */
export function createWeederSnapshot(): Snapshot {
  return createSnapshot({
    isDated: (stream) => !stream.startsWith('endpointslices'),
    isSame(before, now) {
      const [was, is] = [crashLooping(before), crashLooping(now)];
      return was !== undefined && is !== undefined && isSameBackOff(was, is);
    },
  });
}
