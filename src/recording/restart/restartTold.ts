import type { RestartFact, SourceChange } from '../../restart/model/facts.ts';
import { sourceKey, workloadKey } from '../../restart/model/refs.ts';

/** A fact of restart control, or a request that changes the cluster, as a recording keeps it and a timeline prints it. */
export interface RestartTold {
  readonly out: RestartFact['type'] | 'write.requested' | 'eviction.requested';
  /** `deployment/namespace/name`, `namespace/pod`, or what else it is about. */
  readonly about: string;
  /** Names and classes only; nothing that only timing decides. */
  readonly detail: string;
}

/** The kinds that are decisions: a replay has to come to the same ones. */
export const restartDecisions: readonly RestartTold['out'][] = [
  'workload.adopted',
  'workload.blocked',
  'workload.restarted',
  'workload.rolledOut',
  'workload.skipped',
  'workload.stalled',
  'workload.reverted',
  'workload.released',
  'workload.recreated',
  'write.requested',
  'eviction.requested',
];

export function toldOfRestart(fact: RestartFact): RestartTold {
  return { out: fact.type, about: aboutOf(fact), detail: detailOf(fact) };
}

function aboutOf(fact: RestartFact): string {
  if ('workload' in fact) return workloadKey(fact.workload);
  return fact.type === 'actor.failed' ? fact.actor : 'hash key';
}

function detailOf(fact: RestartFact): string {
  switch (fact.type) {
    case 'workload.adopted':
      return fact.sources === 1 ? '1 source' : `${fact.sources} sources`;
    case 'workload.changed':
    case 'workload.skipped':
      return changesIn(fact.sources);
    case 'workload.restarted':
      return `${fact.how}, attempt ${fact.attempt}, ${changesIn(fact.sources)}`;
    case 'workload.pending':
    case 'workload.blocked':
      return fact.cause;
    case 'workload.stalled':
      return fact.reason;
    case 'workload.reverted':
      return `${fact.times} times`;
    case 'annotation.unreadable':
      return fact.annotation;
    case 'dependency.notAllowed':
    case 'dependency.notFollowed':
      return sourceKey(fact.source);
    case 'state.foreign':
    case 'key.changed':
      return fact.keyId;
    default:
      return '';
  }
}

function changesIn(sources: readonly SourceChange[]): string {
  return sources
    .map(({ source, keys }) => `${sourceKey(source)}${keys.length === 0 ? '' : ` (${keys.join(', ')})`}`)
    .join(', ');
}
