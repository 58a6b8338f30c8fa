import { type KubeObject, timestamp } from '../apiserver/meta/objects.ts';
import { arrayOf, isObject, type JsonObject, objectOf } from '../base/json.ts';
import { conditionOf } from '../base/podConditions.ts';
import type { PodContainers } from './podContainers.ts';

interface Readiness {
  readonly isTrue: boolean;
  readonly reason?: string;
  readonly message?: string;
}

const kubeletConditions = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];

/** Returns the status of a pod. The lastTransitionTime of a condition changes only with its status. */
export function podStatus(pod: KubeObject, containers: PodContainers, podIP: string, now: number): JsonObject {
  const old = objectOf(pod['status']);
  const initStatuses = containers.initStatuses();
  const statuses = containers.mainStatuses();

  function condition(type: string, { isTrue, ...why }: Readiness): JsonObject {
    const status = isTrue ? 'True' : 'False';
    const before = conditionOf(pod, type);
    const lastTransitionTime = before['status'] === status ? before['lastTransitionTime'] : timestamp(now);
    return { type, status, lastProbeTime: null, lastTransitionTime, ...why };
  }

  const initialized = initializedBy(containers.incomplete());
  const containersReady = containersReadyBy([...containers.sidecarStatuses(), ...statuses]);
  // Conditions of readiness gates are not changed.
  const others = arrayOf(old['conditions']).filter(
    (each) => !kubeletConditions.includes(String(objectOf(each)['type'])),
  );
  return {
    phase: containers.haveStarted() ? 'Running' : 'Pending',
    conditions: [
      condition('PodReadyToStartContainers', { isTrue: true }),
      condition('Initialized', initialized),
      condition('Ready', containersReady.isTrue ? gatesOf(pod) : containersReady),
      condition('ContainersReady', containersReady),
      condition('PodScheduled', { isTrue: true }),
      ...others,
    ],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: old['startTime'] ?? timestamp(now),
    ...(initStatuses.length > 0 ? { initContainerStatuses: initStatuses } : {}),
    containerStatuses: statuses,
  };
}

function initializedBy(incomplete: readonly string[]): Readiness {
  if (incomplete.length === 0) return { isTrue: true };
  const message = `containers with incomplete status: [${incomplete.join(' ')}]`;
  return { isTrue: false, reason: 'ContainersNotInitialized', message };
}

function containersReadyBy(statuses: readonly JsonObject[]): Readiness {
  const unready = statuses.filter(({ ready }) => ready !== true).map(({ name }) => name);
  if (unready.length === 0) return { isTrue: true };
  const message = `containers with unready status: [${unready.join(' ')}]`;
  return { isTrue: false, reason: 'ContainersNotReady', message };
}

function gatesOf(pod: KubeObject): Readiness {
  const gates = arrayOf(objectOf(pod['spec'])['readinessGates']).filter(isObject);
  const closed = gates.flatMap(({ conditionType }) => {
    const { status } = conditionOf(pod, String(conditionType));
    if (status === 'True') return [];
    const gate = `pod readiness gate "${conditionType}"`;
    if (status === undefined) return [`corresponding condition of ${gate} does not exist.`];
    return [`the status of ${gate} is not "True", but ${status}`];
  });
  if (closed.length === 0) return { isTrue: true };
  return { isTrue: false, reason: 'ReadinessGatesNotReady', message: closed.join(', ') };
}
