import { objectText } from '@weeder/kube-runtime/objects';
import type { OtherTool } from '../restart/references/otherTools.ts';
import { type WorkloadRef, workloadKey } from '../restart/references/refs.ts';
import { optInLine } from '../restart/references/wording.ts';
import type { WorkloadSummary } from '../restart/references/workloadSummary.ts';

/** Before a migration every workload may have such an annotation. */
const maxLines = 50;

interface WorkloadOfOtherTool {
  readonly ref: WorkloadRef;
  readonly tool: OtherTool;
}

/** Lists the workloads that have annotations of Reloader or wave, with what to write instead, as one section or none. */
export function explainOtherTools(summaries: readonly Pick<WorkloadSummary, 'ref' | 'otherTool'>[]): readonly string[] {
  const workloads = summaries.flatMap(({ ref, otherTool: tool }) => (tool === undefined ? [] : { ref, tool }));
  if (workloads.length === 0) return [];
  const sorted = workloads.toSorted((a, b) => (workloadKey(a.ref) < workloadKey(b.ref) ? -1 : 1));
  const more = workloads.length > maxLines ? [`  … and ${workloads.length - maxLines} more`] : [];
  const head = 'annotations of Reloader or wave, which weeder does not read:';
  return [[head, ...sorted.slice(0, maxLines).map(lineOf), ...more].join('\n')];
}

function lineOf({ ref, tool }: WorkloadOfOtherTool): string {
  const place = tool.isInTemplate ? ' in its pod template' : '';
  const line = optInLine(tool.means);
  return `  ${objectText(ref)}: ${tool.annotation}${place}  → ${line} on the ${ref.kind}`;
}
