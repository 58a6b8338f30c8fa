import { arrayOf, type JsonObject, objectOf } from '../../json.ts';
import { type KubeObject, timestamp } from '../apiServer/objects.ts';
import type { Container } from './container.ts';

/** The status of a pod whose containers have started; conditions keep the time of their last change. */
export function podStatus(pod: KubeObject, containers: readonly Container[], podIP: string, now: number): JsonObject {
  const old = objectOf(pod['status']);
  const statuses = containers.map((container) => container.status());
  const unready = statuses.filter(({ ready }) => ready !== true).map(({ name }) => name);
  const why = {
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${unready.join(' ')}]`,
  };

  function condition(type: string, isTrue: boolean): JsonObject {
    const status = isTrue ? 'True' : 'False';
    const before = objectOf(arrayOf(old['conditions']).find((each) => objectOf(each)['type'] === type));
    const lastTransitionTime = before['status'] === status ? before['lastTransitionTime'] : timestamp(now);
    return { type, status, lastProbeTime: null, lastTransitionTime, ...(isTrue ? {} : why) };
  }

  const isReady = unready.length === 0;
  return {
    phase: 'Running',
    conditions: [
      condition('PodReadyToStartContainers', true),
      condition('Initialized', true),
      condition('Ready', isReady),
      condition('ContainersReady', isReady),
      condition('PodScheduled', true),
    ],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: old['startTime'] ?? timestamp(now),
    containerStatuses: statuses,
  };
}
