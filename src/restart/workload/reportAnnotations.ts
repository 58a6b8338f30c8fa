import { pauseError } from '../pace/mayRestart.ts';
import { alsoDependsOn, skipHashCalculation } from '../references/annotations.ts';
import type { ReportRestart } from '../references/events.ts';
import type { OtherTool } from '../references/otherTools.ts';
import { type SourceRef, sourceKey, workloadKey } from '../references/refs.ts';
import type { SourceMeta } from '../references/sourceMeta.ts';
import { type WorkloadSummary, workloadAnnotations } from '../references/workloadSummary.ts';
import type { WorkloadUses } from '../sources/workloadUses.ts';

/** Reports errors in annotations, and annotations of other tools, once, and again when they change. */
interface AnnotationReporter {
  /** `found` undefined: the workload is not managed, possibly because its own annotation is invalid. */
  report(summary: WorkloadSummary, uses: WorkloadUses | undefined): void;
  /** The workload was deleted. */
  forget(id: string): void;
}

interface AnnotationReporterOptions {
  readonly report: ReportRestart;
  readonly metaOf: (source: SourceRef) => SourceMeta | undefined;
}

interface LocatedError {
  readonly annotation: string;
  readonly reason: string;
  readonly on?: SourceRef;
}

function errorOf(annotation: string, reason: string | undefined, on?: SourceRef): LocatedError[] {
  if (reason === undefined) return [];
  return [{ annotation, reason, ...(on === undefined ? {} : { on }) }];
}

/** Before a migration every workload may have an annotation of another tool: the log has only the first ones. */
const maxOfOtherTools = 50;

export function createAnnotationReporter({ report, metaOf }: AnnotationReporterOptions): AnnotationReporter {
  const reported = new Map<string, ReadonlySet<string>>();
  let ofOtherTools = 0;

  function reportOtherTool({ ref: workload, uid }: WorkloadSummary, tool: OtherTool): void {
    ofOtherTools += 1;
    if (ofOtherTools > maxOfOtherTools) return;
    report({ type: 'annotation.ofOtherTool', workload, uid, ...tool, isLast: ofOtherTools === maxOfOtherTools });
  }

  function errorsOf(
    { optInError, pausedUntil, emptiedError, ref }: WorkloadSummary,
    workloadUses: WorkloadUses | undefined,
  ): LocatedError[] {
    const { errors = [], uses = [], notAllowed = [] } = workloadUses ?? {};
    const used = new Map(
      [...uses.map(({ source }) => source), ...notAllowed].map((source) => [sourceKey(source), source]),
    );
    const isPauseUnreadable = workloadUses !== undefined && pausedUntil === 'unreadable';
    return [
      ...errorOf(workloadAnnotations.optIn, optInError),
      ...errorOf(workloadAnnotations.emptied, emptiedError),
      ...errorOf(
        workloadAnnotations.pausedUntil,
        isPauseUnreadable ? `it ${pauseError}. Until then no change restarts the workload.` : undefined,
      ),
      ...errors.flatMap((reason) => errorOf(alsoDependsOn, reason)),
      ...[...used.values()].flatMap((on) => {
        const meta = metaOf(on);
        const isForeign = on.namespace !== ref.namespace;
        return [
          ...errorOf(skipHashCalculation, meta?.optOutError, on),
          ...(isForeign && meta?.allowReferencesError !== undefined ? [{ ...meta.allowReferencesError, on }] : []),
        ];
      }),
    ];
  }

  return {
    report(summary, uses) {
      const { ref: workload, uid, otherTool } = summary;
      const before = reported.get(workloadKey(workload));
      const now = new Set<string>();
      const reportIfNew = (what: unknown, send: () => void) => {
        const text = JSON.stringify([uid, what]);
        now.add(text);
        if (!before?.has(text)) send();
      };
      for (const error of errorsOf(summary, uses))
        reportIfNew(error, () => report({ type: 'annotation.unreadable', workload, uid, ...error }));
      if (otherTool !== undefined) reportIfNew(otherTool, () => reportOtherTool(summary, otherTool));
      for (const source of uses?.notAllowed ?? [])
        reportIfNew(source, () => report({ type: 'dependency.notAllowed', workload, uid, source }));
      for (const source of uses?.notFollowed ?? [])
        reportIfNew(['not followed', source], () => report({ type: 'dependency.notFollowed', workload, uid, source }));
      if (now.size > 0) reported.set(workloadKey(workload), now);
      else reported.delete(workloadKey(workload));
    },
    forget: (id) => void reported.delete(id),
  };
}
