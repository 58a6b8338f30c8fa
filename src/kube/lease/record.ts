import { isObject, type JsonObject, numberOf, objectOf, textOf } from '../../base/json.ts';
import type { Election } from './election.ts';

/** A Lease object of the API, as far as an election needs it. */
export interface LeaseRecord {
  readonly version: string;
  /** Empty: nobody. */
  readonly holder: string;
  /** For how long the holder's renewals are valid, in milliseconds. */
  readonly heldFor: number;
  /** The record as one text: another text means that somebody wrote. */
  readonly record: string;
  /** The whole object: what is not ours in it is kept. */
  readonly object: JsonObject;
}

/** The API takes no larger number. */
const largestInt32 = 2 ** 31 - 1;

/** Reads a Lease; undefined: it is none. A duration that makes no sense counts as our own. */
export function readLease(
  object: unknown,
  { leaseDuration }: Pick<Election, 'leaseDuration'>,
): LeaseRecord | undefined {
  if (!isObject(object) || object['kind'] !== 'Lease') return undefined;
  const version = textOf(objectOf(object['metadata'])['resourceVersion']);
  if (!version) return undefined;
  const spec = objectOf(object['spec']);
  const seconds = numberOf(spec['leaseDurationSeconds']) ?? 0;
  return {
    version,
    holder: textOf(spec['holderIdentity']) ?? '',
    heldFor: seconds > 0 ? Math.min(seconds, largestInt32) * 1_000 : leaseDuration,
    record: JSON.stringify(spec),
    object,
  };
}

/** The Lease with our name in it. `last`: as it was seen last; `now`: epoch milliseconds. */
export function heldBy(election: Election, last: LeaseRecord | undefined, now: number): JsonObject {
  const { identity, leaseDuration } = election;
  const spec = objectOf(last?.object['spec']);
  const isOurs = last?.holder === identity;
  const transitions = numberOf(spec['leaseTransitions']) ?? 0;
  return withSpec(election, last, {
    ...spec,
    holderIdentity: identity,
    // Never shorter than what we count on.
    leaseDurationSeconds: Math.ceil(leaseDuration / 1_000),
    acquireTime: isOurs ? (spec['acquireTime'] ?? microTime(now)) : microTime(now),
    renewTime: microTime(now),
    leaseTransitions: isOurs || last === undefined ? transitions : Math.min(transitions + 1, largestInt32),
  });
}

/** The Lease with nobody's name in it, as client-go leaves it: whoever reads it may take it at once. */
export function released(election: Election, last: LeaseRecord, now: number): JsonObject {
  const times = { acquireTime: microTime(now), renewTime: microTime(now) };
  const spec = { ...objectOf(last.object['spec']), holderIdentity: '', leaseDurationSeconds: 1, ...times };
  return withSpec(election, last, spec);
}

function withSpec({ namespace, name }: Election, last: LeaseRecord | undefined, spec: JsonObject): JsonObject {
  const metadata = last?.object['metadata'] ?? { namespace, name };
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
}

/** metav1.MicroTime: RFC 3339 with six digits. */
function microTime(now: number): string {
  return new Date(now).toISOString().replace('Z', '000Z');
}
