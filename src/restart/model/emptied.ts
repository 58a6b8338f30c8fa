import { textOf } from '../../base/json.ts';

/** What `weeder.dev/emptied` says: `UID/REPLICAS/KEY/SEAL`. */
export interface Emptied {
  /** How many pods the workload had before weeder ended all of them. */
  readonly replicas: number;
  /** Somebody else has let it make pods meanwhile. */
  readonly isUndone: boolean;
  readonly keyId: string;
  readonly seal: string;
}

/** Undefined: it is not there, or of another uid: it was copied from another workload, which has its own pods. */
export function readEmptied(text: unknown, uid: string, isStill: boolean): Emptied | undefined {
  const [, whose, replicas, keyId, seal] = /^([^/]+)\/(\d{1,10})\/([^/]+)\/([^/]+)$/.exec(textOf(text) ?? '') ?? [];
  if (whose !== uid || keyId === undefined || seal === undefined) return undefined;
  return { replicas: Number(replicas), isUndone: !isStill, keyId, seal };
}
