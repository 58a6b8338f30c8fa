import { formatDuration, messageOf } from '@weeder/kube-runtime/base';
import type { RestartEvent, RestartHow } from '../../../src/restart/references/events.ts';
import { describeChanges, describeSource } from '../../../src/restart/references/wording.ts';

const deeds: Readonly<Record<RestartHow, string>> = {
  rollout: 'restarted',
  evict: 'restarted by evictions',
  recreate: 'recreated',
  replace: 'restarted, all pods at once',
  dryRun: 'would be restarted',
};

/** An event of restart control as text, as in a replay file; undefined: it is not part of the story. */
export function restartSentenceOf(event: RestartEvent): string | undefined {
  if (!('workload' in event)) return ofTheProcess(event);
  const { namespace, name } = event.workload;
  return `${namespace}/${name} ${predicateOf(event)}`;
}

function ofTheProcess(event: Exclude<RestartEvent, { readonly workload: unknown }>): string | undefined {
  if (event.type === 'actor.failed') return `failed, ${event.actor}, ${messageOf(event.error)}`;
  if (event.type === 'key.created') return undefined;
  if (event.type === 'key.missing') return `the hash key is missing: ${event.reason}`;
  return event.before === undefined ? undefined : 'the hash key is another one';
}

function predicateOf(event: Extract<RestartEvent, { readonly workload: unknown }>): string {
  switch (event.type) {
    case 'workload.adopted':
      return `adopted, ${event.sources === 1 ? '1 source' : `${event.sources} sources`}`;
    case 'workload.changed':
      return `changed: ${describeChanges(event.sources, event.workload)}`;
    case 'workload.pending':
      return `pending (${event.cause})`;
    case 'workload.blocked':
      return `blocked (${event.cause})`;
    case 'workload.restarted':
      return `${deeds[event.how]}, attempt ${event.attempt}`;
    case 'workload.rolledOut':
      return `rolled out in ${formatDuration(event.took)}`;
    case 'workload.skipped':
      return `restart skipped for ${describeChanges(event.sources, event.workload)}`;
    case 'workload.stalled':
      return `stalled: ${event.reason}`;
    case 'workload.reverted':
      return `reverted${event.isEvicting ? ', evictions from now on' : ''}`;
    case 'workload.refused':
      return `refused (${event.failure}), next try in ${formatDuration(event.retryIn)}`;
    case 'pod.evicted':
      return `has the waiting pod ${event.pod} evicted`;
    case 'workload.recreated':
      return 'recreated';
    case 'workload.released':
      return 'released';
    case 'history.filled':
      return `keeps ${event.revisions} revisions, all of them restarts`;
    case 'state.contested':
      return `has its state removed again and again, next write in ${formatDuration(event.pause)}`;
    case 'annotation.unreadable':
      return `has an unreadable ${event.annotation}`;
    case 'annotation.ofOtherTool':
      return `has ${event.annotation} of another tool`;
    case 'dependency.notAllowed':
      return `may not use ${describeSource(event.source, event.workload.namespace)}`;
    case 'dependency.notFollowed':
      return `uses ${describeSource(event.source, event.workload.namespace)}, which is not watched`;
    case 'state.foreign':
      return 'carries the state of another weeder';
  }
}
