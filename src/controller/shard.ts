import { failed, ok, type Result } from '@weeder/kube-runtime/base';

/** The part of the namespaces that this replica is responsible for: number `index` (from 0) of `count`. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

const maxShards = 1000;

/**
 * Reads `2/5`, the third of five, or `auto/5`, where the number is the ordinal at the end of the host name, as a
 * StatefulSet gives it to its pods (`weeder-2`). The error is a clause.
 */
export function parseShard(text: string, hostname: string): Result<Shard, string> {
  const [, which = '', of = ''] = /^(\d{1,4}|auto)\/(\d{1,4})$/.exec(text) ?? [];
  const count = Number(of);
  if (count < 1 || count > maxShards) {
    return failed(`found "${text}", expected i/n, where n is from 1 to ${maxShards} and i from 0 to n-1, or auto/n`);
  }
  if (which !== 'auto') {
    const index = Number(which);
    return index < count ? ok({ index, count }) : failed(`found "${text}", but of ${count} the last is ${count - 1}`);
  }
  const ordinal = /-(\d+)$/.exec(hostname)?.[1];
  if (ordinal === undefined) {
    return failed(
      `found "${text}", but the host name "${hostname}" does not end in a number as a StatefulSet’s pods do`,
    );
  }
  const index = Number(ordinal);
  if (index < count) return ok({ index, count });
  return failed(
    `found "${text}", but the host name "${hostname}" says ${index}, and of ${count} the last is ${count - 1}`,
  );
}

/**
 * Whether the shard owns the namespace: every namespace belongs to exactly one of `count` shards. Must never change
 * between versions: while replicas of both run, one namespace would have two owners, or none.
 */
export function ownsNamespace({ index, count }: Shard, namespace: string): boolean {
  return hashOf(namespace) % count === index;
}

/** FNV-1a over UTF-8, with the last mixing of MurmurHash3, so that names that differ little are spread evenly. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
