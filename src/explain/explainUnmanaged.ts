import { objectText } from '@weeder/kube-runtime/objects';
import { includesName } from '../config/scopes.ts';
import { sharingKinds } from '../restart/kinds/kinds.ts';
import { optInLine } from '../restart/references/wording.ts';
import type { WorkloadSummary } from '../restart/references/workloadSummary.ts';
import type { ExplainedWorkload } from './explainWorkload.ts';

/** Says why restart control does not manage a workload that exists. */
export function explainUnmanaged(
  { ref, isOptedIn, otherTool, templateFrom, templateFor }: WorkloadSummary,
  hasSection: boolean,
  namespaces: 'all' | readonly string[],
): ExplainedWorkload {
  const state = `Not managed, so it is never restarted: ${why()}.`;
  if (otherTool === undefined || isOptedIn !== undefined) return { ref, state, details: [] };
  const { annotation, means } = otherTool;
  return { ref, state, details: [`weeder does not read ${annotation}  → ${optInLine(means)} on the ${ref.kind}`] };

  function why(): string {
    if (!hasSection) return 'the config has no section restartControl';
    if (!includesName(namespaces, ref.namespace)) return 'its namespace is not watched';
    if (templateFor !== undefined)
      return `it has the template of ${objectText(templateFor)}, which is restarted in its place`;
    if (isOptedIn === false) return `its annotation ${optInLine(false)} takes precedence over every rule`;
    if (templateFrom !== undefined)
      return `its template is that of ${objectText(templateFrom)}, ${sharingKinds.includes(templateFrom.kind) ? 'which does not exist' : `which is no ${sharingKinds.join(' or ')}`}`;
    return `no rule of restartControl matches it, and it has no annotation ${optInLine(true)}`;
  }
}
