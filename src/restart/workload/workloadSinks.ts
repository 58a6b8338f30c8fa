import { type Identity, identityOf } from '../../kube/objects/identity.ts';
import type { WorkloadKind } from '../../kube/objects/workloadKinds.ts';
import type { ClosableSink } from '../../kube/watch/sink.ts';
import { podTemplateOf } from '../model/podTemplate.ts';
import { workloadKey } from '../model/refs.ts';
import { type Use, usesOf } from '../model/uses.ts';
import { readWorkload, type WorkloadFacts } from '../model/workloadFacts.ts';
import { type KeptJob, readKept } from '../requests/jobCopy.ts';
import { createHolders } from '../sources/sharedObjects.ts';

/** What is kept of a workload. */
export interface WorkloadNews {
  readonly facts: WorkloadFacts;
  /** What its pod template uses, image pull secrets included. */
  readonly uses: readonly Use[];
  /** It stands for another Job, and is no workload of anybody's. */
  readonly kept?: KeptJob | undefined;
}

/** Who is told of workloads. */
export interface WorkloadListener {
  /** Whether this version has been taken already: the answer to a write tells of it before its stream does. */
  knows(id: string, version: Pick<Identity, 'uid' | 'resourceVersion'>): boolean;
  take(news: WorkloadNews): void;
  /** `id` as `workloadKey` gives it. */
  remove(id: string): void;
}

/** Sinks for the streams of workloads: whole objects come in, and what matters of them goes on. */
export function createWorkloadSinks({ knows, take, remove }: WorkloadListener) {
  const holders = createHolders();

  function create(kind: WorkloadKind): ClosableSink {
    const held = holders.stream();

    function put(id: string, news: WorkloadNews | undefined): void {
      if (news === undefined) return;
      held.hold(id);
      take(news);
    }

    return {
      begin: held.begin,
      apply(type, object) {
        const identity = identityOf(object);
        if (identity === undefined) return;
        const id = workloadKey({ kind, ...identity });
        if (type !== 'DELETED') {
          if (held.has(id) && knows(id, identity)) held.hold(id);
          else put(id, newsOf(object, kind));
        } else if (held.drop(id)) remove(id);
      },
      end() {
        for (const id of held.end()) remove(id);
      },
      close() {
        for (const id of held.close()) remove(id);
      },
    };
  }
  return { create };
}

/** Undefined: it cannot be told which object this is. */
export function newsOf(object: unknown, kind: WorkloadKind): WorkloadNews | undefined {
  const facts = readWorkload(object, kind);
  if (facts === undefined) return undefined;
  const uses = usesOf(podTemplateOf(object, kind), facts.ref.namespace, { imagePullSecrets: 'hash' });
  const kept = kind === 'Job' ? readKept(object) : undefined;
  return { facts, uses, ...(kept === undefined ? {} : { kept }) };
}
