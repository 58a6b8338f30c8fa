import { isObject, type JsonObject, numberOf, objectOf, textOf } from '../base/json.ts';
import type { Election } from './election.ts';

/** The fields of a Lease that an election uses. */
export interface LeaseRecord {
  readonly version: string;
  /** Empty: there is no holder. */
  readonly holder: string;
  /** When the holder acquired it, by its own clock: epoch milliseconds. Undefined: the Lease does not say. */
  readonly acquiredAt: number | undefined;
  /** How long a renewal by the holder is valid, in milliseconds. */
  readonly heldFor: number;
  /** The record as text: if it differs, the Lease has been written. */
  readonly record: string;
  /** The whole object: fields that weeder does not manage are preserved. */
  readonly object: JsonObject;
}

/** The API accepts no larger number. */
const largestInt32 = 2 ** 31 - 1;

/** Reads a Lease; undefined: the object is not a Lease. An invalid duration is replaced by this replica's own. */
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
    acquiredAt: timeOf(spec['acquireTime']),
    heldFor: seconds > 0 ? Math.min(seconds, largestInt32) * 1_000 : leaseDuration,
    record: JSON.stringify(spec),
    object,
  };
}

/** The Lease with this replica as holder. `last`: the last version that was read; `now`: epoch milliseconds. */
export function acquired(election: Election, last: LeaseRecord | undefined, now: number): JsonObject {
  const { identity, leaseDuration } = election;
  const spec = objectOf(last?.object['spec']);
  const isHolder = last?.holder === identity;
  const transitions = numberOf(spec['leaseTransitions']) ?? 0;
  return withSpec(election, last, {
    ...spec,
    holderIdentity: identity,
    // Never shorter than the duration that this replica assumes.
    leaseDurationSeconds: Math.ceil(leaseDuration / 1_000),
    acquireTime: isHolder ? (spec['acquireTime'] ?? microTime(now)) : microTime(now),
    renewTime: microTime(now),
    leaseTransitions: isHolder || last === undefined ? transitions : Math.min(transitions + 1, largestInt32),
  });
}

/** The Lease without a holder, as client-go releases it: any replica may acquire it immediately. */
export function released(election: Election, last: LeaseRecord, now: number): JsonObject {
  const times = { acquireTime: microTime(now), renewTime: microTime(now) };
  const spec = { ...objectOf(last.object['spec']), holderIdentity: '', leaseDurationSeconds: 1, ...times };
  return withSpec(election, last, spec);
}

function withSpec({ namespace, name }: Election, last: LeaseRecord | undefined, spec: JsonObject): JsonObject {
  const metadata = last?.object['metadata'] ?? { namespace, name };
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
}

/** Undefined: the value is not a time. */
function timeOf(value: unknown): number | undefined {
  const time = Date.parse(textOf(value) ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/** metav1.MicroTime: RFC 3339 with six digits. */
function microTime(now: number): string {
  return new Date(now).toISOString().replace('Z', '000Z');
}
