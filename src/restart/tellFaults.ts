import type { ReportRestart } from './facts.ts';
import { skipHashCalculation } from './optOut.ts';
import { type SourceRef, sourceKey, workloadKey } from './refs.ts';
import type { SourceMeta } from './sourceMeta.ts';
import { type WorkloadFacts, workloadAnnotations } from './workloadFacts.ts';
import type { WorkloadUses } from './workloadUses.ts';

/** Tells what is wrong with annotations once, and again when it is something else. */
export interface FaultTeller {
  /** `found` undefined: it is not looked after; what it says of that itself may be the fault. */
  tell(facts: WorkloadFacts, found: WorkloadUses | undefined): void;
  /** The workload is gone. */
  forget(id: string): void;
}

export interface FaultTellerOptions {
  readonly report: ReportRestart;
  readonly metaOf: (source: SourceRef) => SourceMeta | undefined;
}

interface Fault {
  readonly annotation: string;
  readonly reason: string;
  readonly on?: SourceRef;
}

export function createFaultTeller({ report, metaOf }: FaultTellerOptions): FaultTeller {
  const told = new Map<string, ReadonlySet<string>>();

  function faultsOf({ optInFault }: WorkloadFacts, found: WorkloadUses | undefined): Fault[] {
    const { faults = [], uses = [] } = found ?? {};
    const used = new Map(uses.map(({ source }) => [sourceKey(source), source]));
    return [
      ...(optInFault === undefined ? [] : [{ annotation: workloadAnnotations.optIn, reason: optInFault }]),
      ...faults.map((reason) => ({ annotation: 'weeder.dev/also-depends-on', reason })),
      ...[...used.values()].flatMap((on) => {
        const reason = metaOf(on)?.fault;
        return reason === undefined ? [] : [{ annotation: skipHashCalculation, reason, on }];
      }),
    ];
  }

  return {
    tell(facts, found) {
      const { ref: workload, uid } = facts;
      const before = told.get(workloadKey(workload));
      const now = new Set<string>();
      const tellNews = (what: unknown, tell: () => void) => {
        const text = JSON.stringify([uid, what]);
        now.add(text);
        if (!before?.has(text)) tell();
      };
      for (const fault of faultsOf(facts, found))
        tellNews(fault, () => report({ type: 'annotation.unreadable', workload, uid, ...fault }));
      for (const source of found?.notAllowed ?? [])
        tellNews(source, () => report({ type: 'dependency.notAllowed', workload, uid, source }));
      if (now.size > 0) told.set(workloadKey(workload), now);
      else told.delete(workloadKey(workload));
    },
    forget: (id) => void told.delete(id),
  };
}
