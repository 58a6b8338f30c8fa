import { alsoDependsOn, skipHashCalculation } from '../model/annotations.ts';
import type { ReportRestart } from '../model/events.ts';
import { type SourceRef, sourceKey, workloadKey } from '../model/refs.ts';
import type { SourceMeta } from '../model/sourceMeta.ts';
import { type WorkloadFacts, workloadAnnotations } from '../model/workloadFacts.ts';
import { pauseFault } from '../pace/mayRestart.ts';
import type { WorkloadUses } from '../sources/workloadUses.ts';

/** Tells what is wrong with annotations once, and again when it is something else. */
interface FaultTeller {
  /** `found` undefined: it is not managed; what it says of that itself may be the fault. */
  tell(facts: WorkloadFacts, found: WorkloadUses | undefined): void;
  /** The workload is gone. */
  forget(id: string): void;
}

interface FaultTellerOptions {
  readonly report: ReportRestart;
  readonly metaOf: (source: SourceRef) => SourceMeta | undefined;
}

interface Fault {
  readonly annotation: string;
  readonly reason: string;
  readonly on?: SourceRef;
}

function fault(annotation: string, reason: string | undefined, on?: SourceRef): Fault[] {
  if (reason === undefined) return [];
  return [{ annotation, reason, ...(on === undefined ? {} : { on }) }];
}

export function createFaultTeller({ report, metaOf }: FaultTellerOptions): FaultTeller {
  const told = new Map<string, ReadonlySet<string>>();

  function faultsOf(
    { optInFault, pausedUntil, emptiedFault, ref }: WorkloadFacts,
    found: WorkloadUses | undefined,
  ): Fault[] {
    const { faults = [], uses = [], notAllowed = [] } = found ?? {};
    const used = new Map(
      [...uses.map(({ source }) => source), ...notAllowed].map((source) => [sourceKey(source), source]),
    );
    const isPauseFaulty = found !== undefined && pausedUntil === 'unreadable';
    return [
      ...fault(workloadAnnotations.optIn, optInFault),
      ...fault(workloadAnnotations.emptied, emptiedFault),
      ...fault(
        workloadAnnotations.pausedUntil,
        isPauseFaulty ? `it ${pauseFault}. Until then no change restarts it.` : undefined,
      ),
      ...faults.flatMap((reason) => fault(alsoDependsOn, reason)),
      ...[...used.values()].flatMap((on) => {
        const meta = metaOf(on);
        const isForeign = on.namespace !== ref.namespace;
        return [
          ...fault(skipHashCalculation, meta?.fault, on),
          ...(isForeign && meta?.allowReferencesError !== undefined ? [{ ...meta.allowReferencesError, on }] : []),
        ];
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
      for (const each of faultsOf(facts, found))
        tellNews(each, () => report({ type: 'annotation.unreadable', workload, uid, ...each }));
      for (const source of found?.notAllowed ?? [])
        tellNews(source, () => report({ type: 'dependency.notAllowed', workload, uid, source }));
      for (const source of found?.notFollowed ?? [])
        tellNews(['not followed', source], () => report({ type: 'dependency.notFollowed', workload, uid, source }));
      if (now.size > 0) told.set(workloadKey(workload), now);
      else told.delete(workloadKey(workload));
    },
    forget: (id) => void told.delete(id),
  };
}
