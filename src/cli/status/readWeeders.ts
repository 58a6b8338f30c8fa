import {
  arrayOf,
  type JsonObject,
  numberOf,
  objectOf,
  ok,
  type Result,
  textOf,
  timeOf,
} from '@weeder/kube-runtime/base';
import { leaseName } from '@weeder/kube-runtime/lease';
import { apiPath, isPodReady } from '@weeder/kube-runtime/objects';
import type { ListReader } from '../../base/listReader.ts';
import { weederContainer, weederLabel } from '../version/runningWeeders.ts';

/** A pod of weeder. */
export interface WeederPod {
  readonly namespace: string;
  readonly name: string;
  readonly image: string;
  /** `Running`, `Pending` and so on. */
  readonly phase: string;
  readonly isReady: boolean;
  readonly restarts: number;
}

/** A Lease by which the pods elect their leader. */
export interface WeederLease {
  readonly name: string;
  /** The identity of the leader, which begins with the name of its pod; empty: none. */
  readonly holder: string;
  /** Epoch milliseconds. */
  readonly since: number | undefined;
}

export async function readWeeders(reader: ListReader, namespace: string): Promise<Result<readonly WeederPod[]>> {
  const path = apiPath('v1', 'pods', { namespace });
  const list = await reader.readOne(path, `pods in ${namespace}`, { labelSelector: weederLabel, limit: 100 });
  return list.ok ? ok(arrayOf(list.value?.['items']).map((item) => podOf(objectOf(item), namespace))) : list;
}

function podOf({ metadata, spec, status }: JsonObject, namespace: string): WeederPod {
  const { phase, containerStatuses } = objectOf(status);
  return {
    namespace,
    name: textOf(objectOf(metadata)['name']) ?? '',
    image: textOf(weederContainer(objectOf(spec))['image']) ?? '',
    phase: textOf(phase) ?? 'Unknown',
    isReady: isPodReady(objectOf(status)),
    restarts: arrayOf(containerStatuses).reduce<number>(
      (sum, each) => sum + (numberOf(objectOf(each)['restartCount']) ?? 0),
      0,
    ),
  };
}

/** Each shard has a Lease of its own. None: the weeder runs without leader election. */
export async function readLeases(reader: ListReader, namespace: string): Promise<Result<readonly WeederLease[]>> {
  const path = apiPath('coordination.k8s.io/v1', 'leases', { namespace });
  const list = await reader.readOne(path, `leases in ${namespace}`, { limit: 500 });
  if (!list.ok) return list;
  const leases = arrayOf(list.value?.['items']).map((item) => leaseOf(objectOf(item)));
  return ok(leases.filter(({ name }) => name === leaseName() || name.startsWith(`${leaseName()}-`)));
}

function leaseOf({ metadata, spec }: JsonObject): WeederLease {
  const { holderIdentity, acquireTime } = objectOf(spec);
  return {
    name: textOf(objectOf(metadata)['name']) ?? '',
    holder: textOf(holderIdentity) ?? '',
    since: timeOf(acquireTime),
  };
}

/** The identity is the host name, and so the name of the pod, with a random suffix. */
export function leads(lease: WeederLease, pod: Pick<WeederPod, 'name'>): boolean {
  return lease.holder === pod.name || lease.holder.startsWith(`${pod.name}_`);
}
