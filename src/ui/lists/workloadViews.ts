import type { AnyActorRef } from 'xstate';
import { statusOf } from '../../restart/effects/status.ts';
import type { WorkloadEntry } from '../../restart/effects/workloadEntry.ts';
import { writtenState } from '../../restart/effects/written.ts';
import { describeSource } from '../../restart/model/wording.ts';
import { timersOf } from '../actorTree.ts';
import type { WorkloadView } from '../protocol.ts';
import { worstFirst } from '../worstFirst.ts';

/** The workloads for the page, the worst first. */
export function workloadViews(
  entries: Iterable<WorkloadEntry>,
  since: (actor: AnyActorRef) => number | undefined,
): WorkloadView[] {
  const views = [...entries].map((entry) => viewOf(entry, since));
  return views.sort(worstFirst(rankOf, ({ id }) => id));
}

function rankOf({ state }: WorkloadView): number {
  if (failing.has(state)) return 0;
  return state === 'current' ? 2 : 1;
}

function viewOf(entry: WorkloadEntry, since: (actor: AnyActorRef) => number | undefined): WorkloadView {
  const { state, reason, actor } = statusOf(entry);
  const entered = since(actor) ?? 0;
  const delays = timersOf(actor).map(({ delay }) => delay);
  const written = writtenState(entry);
  const { restarts = [], lastCause = '' } = typeof written === 'object' ? written : {};
  return {
    id: entry.id,
    state,
    reason: explained.has(state) ? reason : '',
    since: entered,
    until: delays.length === 0 ? undefined : entered + Math.min(...delays),
    sources: sourcesOf(entry.observed),
    restartedAt: restarts.at(-1),
    cause: lastCause,
  };
}

const failing: ReadonlySet<string> = new Set(['blocked', 'stalled', 'backingOff']);

/** The states for which the machines have a reason. */
const explained: ReadonlySet<string> = new Set(['waiting', 'blocked', 'stalled', 'suspended', 'backingOff']);

function sourcesOf({ uses, summary }: WorkloadEntry['observed']): string[] {
  const named = uses.map(({ source, key }) => {
    const name = describeSource(source, summary.ref.namespace);
    return key === undefined ? name : `${name}#${key}`;
  });
  return [...new Set(named)].sort();
}
