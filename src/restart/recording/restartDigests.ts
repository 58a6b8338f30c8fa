import type { Requests } from '../../recording/file/requests.ts';
import type { HashKey } from '../digest/digest.ts';
import type { WorkloadRef } from '../references/refs.ts';
import type { Digests } from '../sources/digests.ts';
import type { SourcesKnown } from '../sources/sourceIndex.ts';
import { restartRequests } from './restartPort.ts';
import { digestFormat } from './restartResponses.ts';

/** Returns the hash for the pod template of a workload. `real`: computes it; a replay never calls it. */
type HashOf = (request: string, real: () => string, workload: WorkloadRef) => string;

/** Only the tags are recorded: contents and hash keys stay behind this wrapper. */
export function restartDigests(real: Digests, sources: SourcesKnown, { send }: Requests, hashOf: HashOf): Digests {
  return {
    ...real,
    digestOf: (key: HashKey, ref, uses) =>
      send(
        restartRequests.digest(key, ref, uses, sources.get(ref)?.resourceVersion),
        () => real.digestOf(key, ref, uses),
        digestFormat,
      ),
    hashOf: (key, workload, tags) =>
      hashOf(restartRequests.hash(key, workload, tags), () => real.hashOf(key, workload, tags), workload),
  };
}
