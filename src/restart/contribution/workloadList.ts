import { objectText } from '@weeder/kube-runtime/objects';
import type { WorkloadList, WorkloadView } from '@weeder/live-page';
import { healthRank, workloadDisplay, worstFirst } from '@weeder/live-page';
import { firstTimerAt } from '../../actors/actorStates.ts';
import type { Since } from '../../controller/contribution/contribution.ts';
import { statusOf } from '../patches/status.ts';
import type { WorkloadEntry } from '../patches/workloadEntry.ts';
import { writtenState } from '../patches/written.ts';
import { describeSource } from '../references/wording.ts';

/** The workloads for the page, the worst first. */
export function workloadList(entries: Iterable<WorkloadEntry>, since: Since): WorkloadList {
  const views = [...entries].map((entry) => workloadView(entry, since));
  return {
    workloads: views.sort(
      worstFirst<WorkloadView>(
        ({ state }) => healthRank(workloadDisplay(state).health),
        ({ name }) => name,
      ),
    ),
  };
}

export function workloadView(entry: WorkloadEntry, since: Since): WorkloadView {
  const { state, reason, actor } = statusOf(entry);
  const entered = since(actor) ?? 0;
  const written = writtenState(entry);
  const { restarts = [], lastCause = '' } = typeof written === 'object' ? written : {};
  return {
    id: entry.id,
    name: objectText(entry.observed.summary.ref),
    namespace: entry.observed.summary.ref.namespace,
    state,
    reason: explained.has(state) ? reason : '',
    since: entered,
    until: firstTimerAt(actor, entered),
    sources: sourcesOf(entry.observed),
    restarts,
    cause: lastCause,
  };
}

/** The states for which the machines have a reason. */
const explained: ReadonlySet<string> = new Set(['waiting', 'blocked', 'stalled', 'suspended', 'backingOff']);

function sourcesOf({ uses, summary }: WorkloadEntry['observed']): string[] {
  const named = uses.map(({ source, key }) => {
    const name = describeSource(source, summary.ref.namespace);
    return key === undefined ? name : `${name}#${key}`;
  });
  return [...new Set(named)].sort();
}
