import { timingSafeEqual } from 'node:crypto';
import { type HashKey, hmac } from './digest.ts';

/**
 * Seals prove that what weeder reads from the cluster and acts upon was written by weeder: a client that may write an
 * annotation does not have the hash key. The purpose is part of the seal, so that a seal made for one purpose is
 * invalid for another.
 */
export type SealPurpose = 'state' | 'emptied' | 'kept Job';

/**
 * Returns 128 bits in base64url: 22 characters. `parts` identify the object by its uid, and include everything that is
 * trusted.
 */
export function sealOf(key: HashKey, purpose: SealPurpose, parts: readonly string[]): string {
  return hmac(key, ['seal', purpose, ...parts]);
}

export function isSealedBy(key: HashKey, purpose: SealPurpose, parts: readonly string[], seal: string): boolean {
  const [right, given] = [Buffer.from(sealOf(key, purpose, parts)), Buffer.from(seal)];
  return right.length === given.length && timingSafeEqual(right, given);
}
