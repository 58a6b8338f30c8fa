import { timingSafeEqual } from 'node:crypto';
import { type HashKey, hmac } from './digest.ts';

/**
 * What weeder reads back from the cluster and acts upon was written by weeder: whoever may write an annotation does not
 * have the hash key. The purpose is a part of it, so that what was made for one is nothing for another.
 */
export type SealPurpose = 'state' | 'emptied' | 'kept Job';

/** 128 bits in base64url: 22 characters. `parts` name the object by its uid, and hold all that is believed. */
export function sealOf(key: HashKey, purpose: SealPurpose, parts: readonly string[]): string {
  return hmac(key, ['seal', purpose, ...parts]);
}

export function isSealedBy(key: HashKey, purpose: SealPurpose, parts: readonly string[], seal: string): boolean {
  const [right, found] = [Buffer.from(sealOf(key, purpose, parts)), Buffer.from(seal)];
  return right.length === found.length && timingSafeEqual(right, found);
}
