import {
  type Health,
  instant,
  type ObjectLine,
  type ObjectPart,
  objectSection,
  serviceStates,
} from '@weeder/live-page';
import { type KnownPod, unknownPod } from '../../weeder/podFacts.ts';
import type { PodReport } from '../../weeder/report/podReport.ts';
import { podSentence, type SelectingService } from '../../weeder/report/podSentence.ts';
import { readinessOf } from '../../weeder/services/serviceStatus.ts';
import { podActorId } from '../actorTree.ts';

/**
 * The page of a pod: why it was, or was not, deleted. `known`: undefined if the weeder does not run. It always answers:
 * that weeder knows nothing of a pod is an answer, too.
 */
export function podObject(
  namespace: string,
  name: string,
  known: KnownPod | undefined,
  report: PodReport | undefined,
): ObjectPart {
  const facts = known ?? unknownPod;
  const { seen, services, progress } = facts;
  const uid = seen.type === 'crashLooping' && progress !== undefined ? seen.pod.uid : undefined;
  return {
    object: `Pod ${namespace}/${name}`,
    words: podSentence({ ...facts, report }),
    since: undefined,
    next: undefined,
    facts: [],
    sections: [
      objectSection(
        'Services on which it depends',
        services,
        serviceLine,
        'They are known while the pod crash-loops or has never started.',
      ),
    ],
    actor: uid === undefined ? undefined : podActorId({ namespace, name, uid }),
  };
}

function serviceLine(service: SelectingService): ObjectLine {
  const id = `${service.namespace}/${service.service}`;
  const health = healthOf(service);
  const page = { type: 'service', id } as const;
  return { object: `Service ${id}`, page, words: inWords(service), health, since: undefined, next: undefined };
}

function healthOf({ isReady, window }: SelectingService): Health {
  if (!isReady) return 'degraded';
  return window === 'none' ? 'healthy' : 'progressing';
}

/** `Down since …, window held` */
function inWords(service: SelectingService): string {
  const { since, window } = service;
  const time = since === undefined ? '' : ` since ${instant(since)}`;
  return `${serviceStates[readinessOf(service)].words}${time}${window === 'none' ? '' : `, window ${window}`}`;
}
