import { arrayOf, type JsonObject, largest, objectOf, textOf, timeOf } from '@weeder/kube-runtime/base';
import { dnsSubdomain, nameIn, uidIn } from '@weeder/kube-runtime/objects';

/** A user that may write a slice chooses up to 1,000 endpoints with 100 addresses each: their number, and characters. */
const mostAddresses = 200;
const longestAddresses = 2048;
/** Of a service. Each is read by a request. */
export const mostPods = 10;

/** What one EndpointSlice contributes to its service. */
export interface SliceSummary {
  /** At least one of its endpoints is ready. */
  readonly isReady: boolean;
  /** It has endpoints, ready or not: an empty slice belongs to a service without pods. */
  readonly hasEndpoints: boolean;
  /** The first address of each ready endpoint, separated by spaces; undefined: there are too many to keep. */
  readonly addresses: string | undefined;
  /**
   * The names of the pods behind its first ready endpoints, which are enough to ask for; undefined if one of these
   * endpoints does not name a pod of the namespace.
   */
  readonly backingPods: readonly string[] | undefined;
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
    addresses: addressesOf(ready),
    backingPods: allOrNone(ready.slice(0, mostPods).map((each) => backingPodOf(each, namespace))),
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

/** All addresses of an endpoint are of one pod, and clients use the first. */
function addressesOf(endpoints: readonly JsonObject[]): string | undefined {
  if (endpoints.length > mostAddresses) return undefined;
  const texts = endpoints.flatMap(({ addresses }) => nameIn(arrayOf(addresses)[0]) ?? []).join(' ');
  return texts.length > longestAddresses ? undefined : texts;
}

/** The API server does not verify what an endpoint says of its pod. */
function backingPodOf(endpoint: JsonObject, namespace: string): string | undefined {
  const target = objectOf(endpoint['targetRef']);
  const name = textOf(target['name']);
  const isOwn = target['kind'] === 'Pod' && (target['namespace'] ?? namespace) === namespace;
  return isOwn && name !== undefined && dnsSubdomain.pattern.test(name) ? name : undefined;
}

function lastWriteOf(meta: JsonObject): number | undefined {
  return largest(arrayOf(meta['managedFields']).flatMap((field) => timeOf(objectOf(field)['time']) ?? []));
}

function serviceUidOf(meta: JsonObject): string | undefined {
  const owners = arrayOf(meta['ownerReferences']).map(objectOf);
  return uidIn(owners.find((owner) => owner['kind'] === 'Service')?.['uid']);
}

/** Returns the values if all of them are known. */
export function allOrNone<T>(values: readonly (T | undefined)[]): T[] | undefined {
  const present = values.filter((value) => value !== undefined);
  return present.length === values.length ? present : undefined;
}
