import { oneLine } from '../../base/fieldError.ts';
import type { Told } from '../../recording/told.ts';
import type { Difference } from './compare.ts';
import type { Timed } from './timed.ts';

const words: Readonly<Record<Told['out'], string>> = {
  'service.ready': 'service is ready',
  'service.notReady': 'service is not ready',
  'window.opened': 'window opened',
  'window.closed': 'window closed',
  'pod.deleted': 'pod deleted',
  'pod.kept': 'pod kept',
  'pod.recovered': 'pod recovered',
  'pod.gone': 'pod gone',
  'deletion.pending': 'deletion pending',
  'deletion.skipped': 'deletion skipped',
  'deletion.refused': 'deletion refused',
  'deletion.held': 'deletion held',
  'deletion.givenUp': 'deletion given up',
  'actor.failed': 'actor failed',
  'workload.adopted': 'adopted',
  'workload.changed': 'changed',
  'workload.pending': 'pending',
  'workload.blocked': 'blocked',
  'workload.restarted': 'restarted',
  'workload.rolledOut': 'rolled out',
  'workload.skipped': 'restart skipped',
  'workload.stalled': 'rollout stalled',
  'workload.reverted': 'restart reverted',
  'workload.refused': 'refused',
  'workload.released': 'no longer managed',
  'workload.recreated': 'recreated',
  'history.filled': 'history filled',
  'annotation.unreadable': 'annotation unreadable',
  'dependency.notAllowed': 'dependency not allowed',
  'dependency.notFollowed': 'dependency not watched',
  'state.contested': 'state contested',
  'state.foreign': 'state of another weeder',
  'key.changed': 'hash key changed',
  'key.missing': 'hash key missing',
  'write.requested': 'write requested',
  'eviction.requested': 'eviction requested',
  'application.applied': 'applied',
  'application.invalid': 'invalid',
  'application.faulty': 'partly invalid',
  'application.paused': 'paused',
  'application.accountMissing': 'account missing',
  'application.accountUnseen': 'account not looked for',
  'application.deleted': 'deleted',
  'application.refused': 'refused',
  'resource.applied': 'applied',
  'resource.drifted': 'drifted',
  'resource.corrected': 'corrected',
  'resource.missing': 'missing',
  'resource.admitted': 'changed on admission',
  'resource.wantedAnew': 'wanted anew',
  'resource.contested': 'contested',
  'resource.ending': 'is being deleted',
  'resource.claimed': 'claimed',
  'resource.typeMissing': 'kind missing',
  'resource.refused': 'refused',
  'resource.failed': 'failed',
  'resource.deleted': 'deleted',
  'resource.released': 'released',
  'resource.deletionSkipped': 'deletion skipped',
  'resource.write': 'write requested',
  'status.write': 'status written',
};

/** What happened, in words. */
export function wordsOf(out: Told['out']): string {
  return words[out];
}

/** What a dry run has decided, it has not done. */
function wordsFor({ out, detail }: Timed): string {
  return out === 'pod.deleted' && detail.startsWith('dryRun') ? 'would be deleted' : wordsOf(out);
}

/** One line a fact, aligned: time since the start, wall time (UTC), what happened, to what. */
export function timeline(facts: readonly Timed[], startedAt: number): string[] {
  return table(facts.map((fact) => cellsOf(fact, startedAt)));
}

/** One line a difference: `-` was recorded and not replayed, `+` the other way round, `~` at another time. */
export function diffLines(differences: readonly Difference[], startedAt: number): string[] {
  return table(
    differences.map((difference) => {
      const cells = cellsOf(difference.fact, startedAt);
      if ('replayedAt' in difference)
        return ['~', ...cells, `(replayed at ${sinceStart(difference.replayedAt).trim()})`];
      if (difference.kind === 'missing') return ['-', ...cells, '(recorded, not replayed)'];
      return ['+', ...cells, '(replayed, not recorded)'];
    }),
  );
}

/** Columns as wide as their widest cell. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Wall time in UTC to the millisecond. */
export function wallTime(epoch: number): string {
  return new Date(epoch).toISOString().slice(11, 23);
}

function cellsOf(fact: Timed, startedAt: number): string[] {
  const { t, about, window, pod, detail } = fact;
  const where = window === undefined ? about : `${about} #${window}`;
  const what = [pod, detail === '' ? undefined : oneLine(detail)].filter((part) => part !== undefined).join('  ');
  return [sinceStart(t), wallTime(startedAt + t), wordsFor(fact), where, what];
}

function sinceStart(ms: number): string {
  return `+${(ms / 1000).toFixed(3)}s`.padStart(11);
}
