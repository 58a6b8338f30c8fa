import type { Clock } from '@weeder/kube-runtime/base';
import { partsOf } from '@weeder/kube-runtime/objects';
import type { Slice } from './sliceView.ts';

/** The readiness of a service, from all of its EndpointSlices. Times are epoch milliseconds, when weeder saw it. */
export interface ServiceReadiness {
  readonly namespace: string;
  readonly service: string;
  /** At least one endpoint in any slice is ready. */
  readonly isReady: boolean;
  /** False if the service has no slice, or no longer has one. */
  readonly exists: boolean;
  /** It has endpoints, and none is ready. */
  readonly isStarting: boolean;
  /** Since when it is ready, down, or without a slice. */
  readonly since: number;
  /** The end of its last readiness. Undefined: it is ready, or has not been ready since weeder watches it. */
  readonly readyUntil: number | undefined;
  readonly firstSeen: number;
}

/** The last evaluation of each service, by `namespace/name`, and since when its result has been the same. */
interface ServiceRecords {
  put(key: string, slices: readonly Slice[]): void;
  /** The slices by which the service was evaluated last. */
  slicesOf(key: string): readonly Slice[];
  /** One without a record does not exist. */
  of(key: string): ServiceReadiness;
  all(): Iterable<ServiceReadiness>;
  drop(key: string): void;
}

interface ServiceRecord extends Pick<ServiceReadiness, 'since' | 'readyUntil' | 'firstSeen'> {
  readonly slices: readonly Slice[];
}

/** For how long a service without a slice is remembered: namespaces come and go. Milliseconds. */
const longestAbsence = 86_400_000;
/** Those that have been without a slice for longest are forgotten first. */
const maxAbsent = 1_000;

export function createServiceRecords(clock: Pick<Clock, 'now'>): ServiceRecords {
  const records = new Map<string, ServiceRecord>();
  /** The services without a slice, in the order in which they lost the last one. */
  const absent = new Set<string>();

  function forgetAbsent(): void {
    const oldest = clock.now() - longestAbsence;
    for (const key of absent) {
      if (absent.size <= maxAbsent && (records.get(key)?.since ?? 0) >= oldest) return;
      drop(key);
    }
  }

  function drop(key: string): void {
    records.delete(key);
    absent.delete(key);
  }

  function readinessOf(key: string, { slices, ...times }: ServiceRecord): ServiceReadiness {
    const { namespace, name: service } = partsOf(key);
    const isReady = isAnyReady(slices);
    const isStarting = !isReady && slices.some(({ hasEndpoints }) => hasEndpoints);
    return { namespace, service, isReady, exists: slices.length > 0, isStarting, ...times };
  }

  return {
    put(key, slices) {
      const before = records.get(key);
      if (before === undefined && slices.length === 0) return;
      records.set(key, recordOf(before, slices, clock.now()));
      if (slices.length > 0) absent.delete(key);
      else absent.add(key);
      forgetAbsent();
    },
    slicesOf: (key) => records.get(key)?.slices ?? [],
    of(key) {
      const now = clock.now();
      return readinessOf(key, records.get(key) ?? { slices: [], since: now, readyUntil: undefined, firstSeen: now });
    },
    *all() {
      forgetAbsent();
      for (const [key, record] of records) yield readinessOf(key, record);
    },
    drop,
  };
}

export function isAnyReady(slices: readonly Slice[]): boolean {
  return slices.some(({ isReady }) => isReady);
}

function recordOf(before: ServiceRecord | undefined, slices: readonly Slice[], now: number): ServiceRecord {
  const wasReady = isAnyReady(before?.slices ?? []);
  const isReady = isAnyReady(slices);
  const isSame = wasReady === isReady && (before?.slices.length === 0) === (slices.length === 0);
  return {
    slices,
    since: isSame ? (before?.since ?? now) : now,
    ...(isReady ? { readyUntil: undefined } : { readyUntil: wasReady ? now : before?.readyUntil }),
    firstSeen: before?.firstSeen ?? now,
  };
}
