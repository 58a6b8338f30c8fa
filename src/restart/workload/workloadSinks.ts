import { type Identity, identityOf } from '../../kube/objects/identity.ts';
import type { WorkloadKind } from '../../kube/objects/workloadKinds.ts';
import type { ClosableSink } from '../../kube/watch/sink.ts';
import { podTemplateOf } from '../model/podTemplate.ts';
import { workloadKey } from '../model/refs.ts';
import { type Use, usesOf } from '../model/uses.ts';
import { readWorkload, type WorkloadFacts } from '../model/workloadFacts.ts';
import { type JobCopy, readJobCopy } from '../requests/jobCopy.ts';
import { createSharedObjects } from '../sources/sharedObjects.ts';

/** What is kept of a workload. */
export interface WorkloadUpdate {
  readonly facts: WorkloadFacts;
  /** What its pod template uses, image pull secrets included. */
  readonly uses: readonly Use[];
  /** It stands for another Job, and is no workload of anybody's. */
  readonly copy?: JobCopy | undefined;
}

/** Receives the updates of workloads. */
export interface WorkloadListener {
  /** Whether this version is known already: the answer to a write comes before its stream. */
  knows(id: string, version: Pick<Identity, 'uid' | 'resourceVersion'>): boolean;
  take(update: WorkloadUpdate): void;
  /** `id` as `workloadKey` gives it. */
  remove(id: string): void;
}

/** Sinks for the streams of workloads: whole objects come in, and what matters of them goes on. */
export function createWorkloadSinks({ knows, take, remove }: WorkloadListener) {
  const holders = createSharedObjects();

  function create(kind: WorkloadKind): ClosableSink {
    const objects = holders.stream();

    function put(id: string, update: WorkloadUpdate | undefined): void {
      if (update === undefined) return;
      objects.add(id);
      take(update);
    }

    return {
      begin: objects.begin,
      apply(type, object) {
        const identity = identityOf(object);
        if (identity === undefined) return;
        const id = workloadKey({ kind, ...identity });
        if (type !== 'DELETED') {
          if (objects.has(id) && knows(id, identity)) objects.add(id);
          else put(id, readUpdate(object, kind));
        } else if (objects.remove(id)) remove(id);
      },
      end() {
        for (const id of objects.end()) remove(id);
      },
      close() {
        for (const id of objects.close()) remove(id);
      },
    };
  }
  return { create };
}

/** Returns undefined if the object has no identity. */
export function readUpdate(object: unknown, kind: WorkloadKind): WorkloadUpdate | undefined {
  const facts = readWorkload(object, kind);
  if (facts === undefined) return undefined;
  const uses = usesOf(podTemplateOf(object, kind), facts.ref.namespace, { imagePullSecrets: 'hash' });
  const kept = kind === 'Job' ? readJobCopy(object) : undefined;
  return { facts, uses, ...(kept === undefined ? {} : { copy: kept }) };
}
