import { formatDuration } from '../../../src/base/duration.ts';
import { messageOf } from '../../../src/base/errors.ts';
import type { RestartEvent, RestartHow } from '../../../src/restart/model/events.ts';
import { describeChanges, describeSource } from '../../../src/restart/model/wording.ts';

const deeds: Readonly<Record<RestartHow, string>> = {
  rollout: 'restarted',
  evict: 'restarted by evictions',
  recreate: 'recreated',
  replace: 'restarted, all pods at once',
  dryRun: 'would be restarted',
};

/** An event of restart control as text, as in a replay file; undefined: it is not part of the story. */
export function restartSentenceOf(fact: RestartEvent): string | undefined {
  if (!('workload' in fact)) return ofTheProcess(fact);
  const { namespace, name } = fact.workload;
  return `${namespace}/${name} ${predicateOf(fact)}`;
}

function ofTheProcess(fact: Exclude<RestartEvent, { readonly workload: unknown }>): string | undefined {
  if (fact.type === 'actor.failed') return `failed, ${fact.actor}, ${messageOf(fact.error)}`;
  if (fact.type === 'key.missing') return `the hash key is missing: ${fact.reason}`;
  return fact.before === undefined ? undefined : 'the hash key is another one';
}

function predicateOf(fact: Extract<RestartEvent, { readonly workload: unknown }>): string {
  switch (fact.type) {
    case 'workload.adopted':
      return `adopted, ${fact.sources === 1 ? '1 source' : `${fact.sources} sources`}`;
    case 'workload.changed':
      return `changed: ${describeChanges(fact.sources, fact.workload)}`;
    case 'workload.pending':
      return `pending (${fact.cause})`;
    case 'workload.blocked':
      return `blocked (${fact.cause})`;
    case 'workload.restarted':
      return `${deeds[fact.how]}, attempt ${fact.attempt}`;
    case 'workload.rolledOut':
      return `rolled out in ${formatDuration(fact.took)}`;
    case 'workload.skipped':
      return `restart skipped for ${describeChanges(fact.sources, fact.workload)}`;
    case 'workload.stalled':
      return `stalled: ${fact.reason}`;
    case 'workload.reverted':
      return `reverted${fact.isEvicting ? ', evictions from now on' : ''}`;
    case 'workload.refused':
      return `refused (${fact.failure}), next try in ${formatDuration(fact.retryIn)}`;
    case 'workload.recreated':
      return 'recreated';
    case 'workload.released':
      return 'released';
    case 'history.filled':
      return `keeps ${fact.revisions} revisions, all of them restarts`;
    case 'state.contested':
      return `has its state removed again and again, next write in ${formatDuration(fact.pause)}`;
    case 'annotation.unreadable':
      return `has an unreadable ${fact.annotation}`;
    case 'dependency.notAllowed':
      return `may not use ${describeSource(fact.source, fact.workload.namespace)}`;
    case 'dependency.notFollowed':
      return `uses ${describeSource(fact.source, fact.workload.namespace)}, which is not watched`;
    case 'state.foreign':
      return 'carries the state of another weeder';
  }
}
