import type { RestartFact, SourceChange } from '../../restart/model/facts.ts';
import type { WorkloadRef } from '../../restart/model/refs.ts';
import type { TimelineEntry } from '../timeline.ts';
import type { ShopFact, SourceDeed } from './facts.ts';

type Entry = Omit<TimelineEntry, 'who'>;

/** A fact as a line of the timeline; undefined for what the others already tell. */
export function restartEntry(fact: ShopFact | RestartFact): TimelineEntry | undefined {
  const deed = deedOf(fact);
  if (deed !== undefined) return { who: 'kubectl', ...deed };
  if (fact.type === 'rollout.began') {
    const whose = fact.isRestart ? undefined : 'gets new pods, by its release';
    return whose === undefined
      ? undefined
      : { who: 'cluster', what: `${named(fact.workload)} ${whose}`, tone: 'plain' };
  }
  const told = toldBy(fact);
  return told === undefined ? undefined : { who: 'weeder', ...told };
}

/** What the shop's people do. */
function deedOf(fact: ShopFact | RestartFact): Entry | undefined {
  switch (fact.type) {
    case 'source.changed':
      return { what: `changes ${sourceOf(fact)}`, tone: 'plain' };
    case 'source.deleted':
      return { what: `deletes ${sourceOf(fact)}`, tone: 'bad' };
    case 'source.created':
      return { what: `creates ${fact.source.kind} ${fact.source.name} with the same content`, tone: 'good' };
    case 'image.changed':
      return { what: `sets the image of ${fact.workload} to ${fact.image}`, tone: 'plain' };
    default:
      return undefined;
  }
}

function toldBy(fact: ShopFact | RestartFact): Entry | undefined {
  switch (fact.type) {
    case 'keeper.started':
      return { what: 'starts', tone: 'plain' };
    case 'keeper.stopped':
      return { what: 'stops', tone: 'bad' };
    case 'workload.adopted':
      return { what: `adopts ${named(fact.workload)}: nothing restarts`, tone: 'plain' };
    case 'workload.changed':
      return { what: `hears of it: ${fact.workload.name} uses ${changed(fact.sources)}`, tone: 'plain' };
    case 'workload.restarted':
      return { what: `restarts ${named(fact.workload)}`, tone: 'deed' };
    case 'workload.rolledOut': {
      const took = (fact.sinceChange / 1_000).toFixed(1);
      const what = `${fact.workload.name} is up to date, ${took} s after the change`;
      return { what, tone: 'good' };
    }
    case 'workload.skipped':
      return { what: `leaves ${fact.workload.name} alone: its pods are newer`, tone: 'good' };
    case 'workload.blocked':
      return { what: `holds ${fact.workload.name}: ${fact.reason}`, tone: 'bad' };
    case 'workload.pending':
      return { what: `waits with ${fact.workload.name}: ${waitsFor(fact)}`, tone: 'plain' };
    case 'workload.stalled':
    case 'workload.refused':
      return { what: `cannot go on with ${fact.workload.name}: ${fact.reason}`, tone: 'bad' };
    default:
      return undefined;
  }
}

function waitsFor({ cause, reason }: Extract<RestartFact, { type: 'workload.pending' }>): string {
  return cause === 'rollout' ? 'its rollout may do' : reason;
}

function named({ kind, name }: WorkloadRef): string {
  return `${kind} ${name}`;
}

function sourceOf({ source, keys }: Pick<SourceDeed, 'source' | 'keys'>): string {
  return `${source.kind} ${source.name}${keys.length === 0 ? '' : `, ${keys.join(', ')}`}`;
}

function changed(sources: readonly SourceChange[]): string {
  return sources.map(({ source, keys }) => `${keys.join(', ')} of ${source.name}`).join('; ');
}
