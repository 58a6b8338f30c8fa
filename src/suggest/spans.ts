import { arrayOf, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { type DependantRef, dependantKey, type ServiceRef, serviceKey } from '../dependencies/dependency.ts';
import { readSlice } from '../weeder/services/endpointSlice.ts';
import { ownerOf } from './podOwner.ts';
import type { RecordedChange } from './recordedChanges.ts';

/** Milliseconds. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** The outages of a service that was ready before. */
export interface ServiceOutages {
  readonly service: ServiceRef;
  readonly outages: readonly Span[];
  /** `NAMESPACE/NAME` of the pods that have been its endpoints. */
  readonly pods: ReadonlySet<string>;
}

/** A kubelet resets the back-off of a container that has run for this long: a crash after it is a new one. Milliseconds. */
const quietAfter = 600_000;

/** When pods of a workload began to crash-loop, after none of them had for `quietAfter`. */
export interface WorkloadCrashes {
  readonly workload: DependantRef;
  readonly began: readonly number[];
  readonly pods: ReadonlySet<string>;
}

/** What a recording says about outages and crashes. */
export interface RecordedSpans {
  readonly services: readonly ServiceOutages[];
  readonly workloads: readonly WorkloadCrashes[];
  readonly whole: Span;
}

/** Changes are in the order of their times. An outage that has not ended lasts until the last change. */
export function spansOf(changes: readonly RecordedChange[]): RecordedSpans {
  const [first, last] = [changes[0]?.at ?? 0, changes.at(-1)?.at ?? 0];
  const slices = changes.filter(({ kind }) => kind === 'EndpointSlice');
  const pods = changes.filter(({ kind }) => kind === 'Pod');
  return {
    services: [...Map.groupBy(slices, ({ object }) => serviceKey(serviceOf(object)))].flatMap(([, group]) =>
      outagesOf(group, last),
    ),
    workloads: [...Map.groupBy(pods, ({ object }) => dependantKey(ownerOf(object)))].flatMap(([, group]) =>
      crashesOf(group),
    ),
    whole: { from: first, to: last },
  };
}

function outagesOf(changes: readonly RecordedChange[], last: number): ServiceOutages[] {
  const [first] = changes;
  if (first === undefined) return [];
  const service = serviceOf(first.object);
  const ready = new Map<string, boolean>();
  const pods = new Set<string>();
  const outages: Span[] = [];
  let wasReady = false;
  let downSince: number | undefined;
  for (const { at, object, isOver } of changes) {
    const name = textOf(objectOf(object['metadata'])['name']) ?? '';
    if (isOver) ready.delete(name);
    else ready.set(name, readSlice(object, service.namespace).isReady);
    for (const endpoint of arrayOf(object['endpoints'])) {
      const target = textOf(objectOf(objectOf(endpoint)['targetRef'])['name']);
      if (target !== undefined) pods.add(`${service.namespace}/${target}`);
    }
    const isReady = [...ready.values()].includes(true);
    if (wasReady && !isReady) downSince = at;
    if (isReady && downSince !== undefined) {
      outages.push({ from: downSince, to: at });
      downSince = undefined;
    }
    wasReady = isReady;
  }
  if (downSince !== undefined) outages.push({ from: downSince, to: last });
  return [{ service, outages, pods }];
}

function crashesOf(changes: readonly RecordedChange[]): WorkloadCrashes[] {
  const [first] = changes;
  if (first === undefined) return [];
  const looping = new Set<string>();
  const pods = new Set<string>();
  const began: number[] = [];
  let endedAt = Number.NEGATIVE_INFINITY;
  for (const { at, object, isOver } of changes) {
    const { namespace, name } = objectOf(object['metadata']);
    const key = `${textOf(namespace) ?? ''}/${textOf(name) ?? ''}`;
    if (isOver) {
      if (looping.delete(key) && looping.size === 0) endedAt = at;
      continue;
    }
    if (looping.size === 0 && at - endedAt >= quietAfter) began.push(at);
    looping.add(key);
    pods.add(key);
  }
  return [{ workload: ownerOf(first.object), began, pods }];
}

function serviceOf(slice: JsonObject): ServiceRef {
  const { namespace, labels } = objectOf(slice['metadata']);
  return { namespace: textOf(namespace) ?? '', name: textOf(objectOf(labels)['kubernetes.io/service-name']) ?? '' };
}
