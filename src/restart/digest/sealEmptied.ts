import type { Emptied } from '../references/emptied.ts';
import type { HashKey } from './digest.ts';
import type { HashKeys } from './hashKeys.ts';
import { sealOf } from './seal.ts';

/** Returns the annotation of a workload that weeder scales to zero, in the form that `readEmptied` reads. */
export function emptiedText(
  { uid, replicas }: { readonly uid: string; readonly replicas: number },
  key: HashKey,
): string {
  return `${uid}/${replicas}/${key.id}/${sealOf(key, 'emptied', [uid, String(replicas)])}`;
}

/** Whether weeder has written the annotation. */
export function isEmptiedByWeeder({ replicas, keyId, seal }: Emptied, uid: string, keys: HashKeys): boolean {
  return keys.confirms(keyId, 'emptied', [uid, String(replicas)], seal);
}
