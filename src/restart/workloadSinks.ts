import type { ClosableSink } from '../kube/sink.ts';
import type { WorkloadKind } from '../kube/workloadKinds.ts';
import { workloadKey } from './refs.ts';
import { readWorkload, type WorkloadFacts } from './workloadFacts.ts';

/** Who is told of workloads. */
export interface WorkloadListener {
  take(facts: WorkloadFacts): void;
  /** `id` as `workloadKey` gives it. */
  remove(id: string): void;
}

/** Sinks for the streams of workloads: whole objects come in, and what matters of them goes on. */
export function createWorkloadSinks({ take, remove }: WorkloadListener) {
  function create(kind: WorkloadKind): ClosableSink {
    const mine = new Set<string>();
    let listed: Set<string> | undefined;

    function drop(id: string): void {
      if (mine.delete(id)) remove(id);
    }

    return {
      begin() {
        listed = new Set();
      },
      apply(type, object) {
        const facts = readWorkload(object, kind);
        if (facts === undefined) return;
        const id = workloadKey(facts.ref);
        if (type === 'DELETED') {
          drop(id);
          return;
        }
        mine.add(id);
        listed?.add(id);
        take(facts);
      },
      end() {
        const gone = [...mine].filter((id) => listed?.has(id) === false);
        listed = undefined;
        for (const id of gone) drop(id);
      },
      close() {
        for (const id of [...mine]) drop(id);
      },
    };
  }
  return { create };
}
