import { shortTextIn } from '@weeder/kube-runtime/objects';

/** The parsed annotation `weeder.dev/emptied`: `UID/REPLICAS/KEY/SEAL`. */
export interface Emptied {
  /** The number of replicas before weeder scaled the workload to zero. */
  readonly replicas: number;
  /** Another client has allowed pods again meanwhile. */
  readonly isUndone: boolean;
  readonly keyId: string;
  readonly seal: string;
}

/**
 * Returns undefined if the annotation is missing, or has another uid: then it was copied from another workload, which
 * has pods of its own.
 */
export function readEmptied(text: unknown, uid: string, isStill: boolean): Emptied | undefined {
  const [, whose, replicas, keyId, seal] =
    /^([^/]+)\/(\d{1,10})\/([^/]+)\/([^/]+)$/.exec(shortTextIn(text) ?? '') ?? [];
  if (whose !== uid || keyId === undefined || seal === undefined) return undefined;
  return { replicas: Number(replicas), isUndone: !isStill, keyId, seal };
}
