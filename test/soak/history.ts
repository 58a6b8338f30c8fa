import { z } from 'zod';
import type { Write } from './etcdWatch.ts';

/** One version of a pod, reduced to the fields on which a deletion depends. */
export interface Version {
  readonly revision: number;
  readonly at: number;
  readonly labels: Readonly<Record<string, string>>;
  /** The annotation `weeder.dev/ignore` is "true". */
  readonly isIgnored: boolean;
  readonly hasController: boolean;
  readonly isTerminating: boolean;
  readonly looping: 'CrashLoopBackOff' | 'unreported' | undefined;
  readonly finishedAt: number | undefined;
  /** The restart count of the container in an unreported back-off. Another count means another back-off. */
  readonly restarts: number | undefined;
}

export interface PodHistory {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** The uid of its controller when it was created. */
  readonly owner: string | undefined;
  readonly versions: Version[];
  deletedAt: number | undefined;
  /** When weeder deleted it. */
  deletedByWeederAt: number | undefined;
}

/** A service has become ready or not ready, or has its first slice or none any more. */
export interface Readiness {
  readonly at: number;
  readonly isReady: boolean;
  /** It has a slice. */
  readonly exists: boolean;
}

const State = z.object({
  waiting: z.object({ reason: z.string().optional() }).optional(),
  terminated: z.object({ finishedAt: z.string().nullish() }).optional(),
});
const Pod = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string(),
    uid: z.string(),
    labels: z.record(z.string(), z.string()).optional(),
    annotations: z.record(z.string(), z.string()).optional(),
    deletionTimestamp: z.string().optional(),
    ownerReferences: z.array(z.object({ uid: z.string(), controller: z.boolean().optional() })).optional(),
  }),
  status: z.object({
    containerStatuses: z.array(z.object({ restartCount: z.number(), state: State.optional() })).optional(),
  }),
});
const Slice = z.object({
  metadata: z.object({ namespace: z.string(), labels: z.record(z.string(), z.string()).optional() }),
  endpoints: z.array(z.object({ conditions: z.object({ ready: z.boolean().nullish() }).optional() })).nullish(),
});

/** All versions of pods and all changes of services, as stored in etcd. */
export interface History {
  readonly pods: ReadonlyMap<string, PodHistory>;
  /** By namespace and service: `soak-1/db-a`. */
  readonly readiness: ReadonlyMap<string, readonly Readiness[]>;
  recordPod(write: Write): void;
  recordSlice(write: Write): void;
  /** The number of services that have a slice. */
  servicesWithSlices(): number;
  /** Removes what ended before this moment, because a soak can run for hours. */
  forget(before: number): void;
}

export function createHistory(): History {
  const pods = new Map<string, PodHistory>();
  const readiness = new Map<string, Readiness[]>();
  const slices = new Map<string, { readonly service: string; readonly isReady: boolean }>();
  const uidByKey = new Map<string, string>();

  function recordReadiness(service: string, at: number): void {
    const serviceSlices = [...slices.values()].filter((each) => each.service === service);
    const [isReady, exists] = [serviceSlices.some((each) => each.isReady), serviceSlices.length > 0];
    const changes = readiness.get(service) ?? [];
    readiness.set(service, changes);
    const last = changes.at(-1);
    // One that was never ready says nothing.
    if (last === undefined ? isReady : last.isReady !== isReady || last.exists !== exists)
      changes.push({ at, isReady, exists });
  }

  return {
    pods,
    readiness,
    recordPod({ key, revision, at, object }) {
      if (object === undefined) {
        const deleted = pods.get(uidByKey.get(key) ?? '');
        if (deleted !== undefined) deleted.deletedAt = at;
        uidByKey.delete(key);
        return;
      }
      const pod = Pod.parse(object);
      const { uid, namespace, name, ownerReferences = [] } = pod.metadata;
      const owner = ownerReferences.find(({ controller }) => controller === true)?.uid;
      const ends = { deletedAt: undefined, deletedByWeederAt: undefined };
      const podHistory = pods.get(uid) ?? { uid, namespace, name, owner, versions: [], ...ends };
      pods.set(uid, podHistory);
      uidByKey.set(key, uid);
      podHistory.versions.push(versionOf(pod, revision, at));
    },
    recordSlice({ key, at, object }) {
      const before = slices.get(key)?.service;
      if (object === undefined) slices.delete(key);
      else {
        const { metadata, endpoints } = Slice.parse(object);
        const service = `${metadata.namespace}/${metadata.labels?.['kubernetes.io/service-name']}`;
        const isReady = (endpoints ?? []).some(({ conditions }) => (conditions?.ready ?? true) === true);
        slices.set(key, { service, isReady });
        recordReadiness(service, at);
      }
      if (before !== undefined) recordReadiness(before, at);
    },
    servicesWithSlices: () => new Set([...slices.values()].map(({ service }) => service)).size,
    forget(before) {
      for (const [uid, { deletedAt }] of pods) if (deletedAt !== undefined && deletedAt < before) pods.delete(uid);
      for (const [service, changes] of readiness) {
        const last = changes.findLastIndex(({ at }) => at < before);
        if (last > 0) changes.splice(0, last);
        if (changes.length === 1 && changes[0]?.isReady === false && changes[0].at < before) readiness.delete(service);
      }
    },
  };
}

function versionOf({ metadata, status }: z.infer<typeof Pod>, revision: number, at: number): Version {
  const statuses = status.containerStatuses ?? [];
  const isBackedOff = statuses.some(({ state }) => state?.waiting?.reason === 'CrashLoopBackOff');
  const ended = statuses.find(({ state, restartCount }) => state?.terminated !== undefined && restartCount >= 1);
  const finishedAt = ended?.state?.terminated?.finishedAt ?? undefined;
  return {
    revision,
    at,
    labels: metadata.labels ?? {},
    isIgnored: metadata.annotations?.['weeder.dev/ignore'] === 'true',
    hasController: (metadata.ownerReferences ?? []).some(({ controller }) => controller === true),
    isTerminating: metadata.deletionTimestamp !== undefined,
    looping: isBackedOff ? 'CrashLoopBackOff' : ended === undefined ? undefined : 'unreported',
    finishedAt: finishedAt === undefined ? undefined : Date.parse(finishedAt),
    restarts: ended?.restartCount,
  };
}
