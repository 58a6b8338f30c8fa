import { arrayOf, type JsonObject, largest, objectOf, textOf, timeOf } from '@weeder/kube-runtime/base';

/** A pod behind a ready endpoint. */
export interface BackingPod {
  readonly namespace: string;
  readonly name: string;
}

/** What one EndpointSlice contributes to its service. */
export interface SliceSummary {
  /** At least one of its endpoints is ready. */
  readonly isReady: boolean;
  /** It has endpoints, ready or not: an empty slice belongs to a service without pods. */
  readonly hasEndpoints: boolean;
  /** The addresses of its ready endpoints. */
  readonly addresses: readonly string[];
  /** The pods behind its ready endpoints; undefined if one of those endpoints does not name its pod. */
  readonly backingPods: readonly BackingPod[] | undefined;
  /**
   * The newest write to the slice: epoch milliseconds by the API server's clock; undefined if the slice does not
   * contain it.
   */
  readonly lastWrite: number | undefined;
  /** The uid of its Service; undefined for slices that are created by hand or mirrored from Endpoints. */
  readonly serviceUid: string | undefined;
}

/** Reads an EndpointSlice as the API serves it. */
export function readSlice(slice: JsonObject, namespace: string): SliceSummary {
  const endpoints = arrayOf(slice['endpoints']).map(objectOf);
  const ready = endpoints.filter(isEndpointReady);
  return {
    isReady: ready.length > 0,
    hasEndpoints: endpoints.length > 0,
    addresses: ready.flatMap(({ addresses }) => arrayOf(addresses).flatMap((address) => textOf(address) ?? [])),
    backingPods: allOrNone(ready.map((endpoint) => backingPodOf(endpoint, namespace))),
    lastWrite: lastWriteOf(objectOf(slice['metadata'])),
    serviceUid: serviceUidOf(objectOf(slice['metadata'])),
  };
}

/**
 * Unset conditions have the values that the API defines for them. A value that is not a boolean counts as not ready.
 * `publishNotReadyAddresses` sets `ready` whatever the pod's state is: the other two conditions still have that state.
 */
function isEndpointReady(endpoint: JsonObject): boolean {
  const { ready, serving, terminating } = objectOf(endpoint['conditions']);
  return (ready ?? true) === true && (serving ?? true) === true && (terminating ?? false) === false;
}

function backingPodOf(endpoint: JsonObject, namespace: string): BackingPod | undefined {
  const target = objectOf(endpoint['targetRef']);
  const name = textOf(target['name']);
  if (target['kind'] !== 'Pod' || name === undefined) return undefined;
  return { namespace: textOf(target['namespace']) ?? namespace, name };
}

function lastWriteOf(meta: JsonObject): number | undefined {
  return largest(arrayOf(meta['managedFields']).flatMap((field) => timeOf(objectOf(field)['time']) ?? []));
}

function serviceUidOf(meta: JsonObject): string | undefined {
  const owners = arrayOf(meta['ownerReferences']).map(objectOf);
  return textOf(owners.find((owner) => owner['kind'] === 'Service')?.['uid']);
}

/** Returns the values if all of them are known. */
export function allOrNone<T>(values: readonly (T | undefined)[]): T[] | undefined {
  const present = values.filter((value) => value !== undefined);
  return present.length === values.length ? present : undefined;
}
