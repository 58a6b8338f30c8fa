import { isPodReady } from '@weeder/embedded-cluster';
import { type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';

/** The parts of a pod that the demo uses. */
export interface PodView {
  readonly uid: string;
  readonly name: string;
  readonly isReady: boolean;
  readonly isEnding: boolean;
}

/** Reads a Pod of the API. */
export function podView(pod: JsonObject): PodView {
  const meta = objectOf(pod['metadata']);
  return {
    uid: textOf(meta['uid']) ?? '',
    name: textOf(meta['name']) ?? '',
    isReady: isPodReady(pod),
    isEnding: meta['deletionTimestamp'] !== undefined,
  };
}
