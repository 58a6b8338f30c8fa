import { only, reduceTo, type Shape } from '../../recording/file/shape.ts';
import { dependsOnServices } from '../declared/declaration.ts';
import { mayConcernPulls } from '../declared/declaringPod.ts';
import { callFailure } from '../owners/failedCreate.ts';
import { terminationMessage } from '../pods/lastRun.ts';

/**
 * Retains only the fields that `crashLooping.ts`, `failedPull.ts`, `declaration.ts`, `readiness.ts` and
 * `failedCreate.ts` in `src/weeder` read, in their places, so that a replay reads the same values. Environment,
 * arguments and foreign annotations are omitted, images unless a pod waits for them, and of a termination message only
 * the beginning is retained.
 */
export function reduceWeederObject(kind: string, object: unknown): object {
  if (kind === 'Event') return reduceTo(event, object);
  if (kind !== 'Pod') return reduceTo(slice, object);
  return reduceTo(mayConcernPulls(object) ? waitingPod : pod, object);
}

const container = only('name', 'restartPolicy', 'restartPolicyRules');

const state: Shape = {
  running: {},
  waiting: only('reason', 'message'),
  terminated: { ...only('exitCode', 'signal', 'reason', 'startedAt', 'finishedAt'), message: terminationMessage },
};

const containerStatus: Shape = { ...only('name', 'restartCount'), state, lastState: state };

const pod = {
  metadata: {
    ...only('uid', 'namespace', 'name', 'resourceVersion', 'creationTimestamp', 'labels'),
    ...only('deletionTimestamp', 'deletionGracePeriodSeconds'),
    annotations: only('weeder.dev/ignore', 'kubernetes.io/config.mirror', dependsOnServices),
    ownerReferences: only('kind', 'name', 'uid', 'controller'),
  },
  spec: {
    ...only('restartPolicy', 'terminationGracePeriodSeconds'),
    containers: container,
    initContainers: container,
  },
  status: {
    ...only('phase'),
    conditions: only('type', 'status'),
    containerStatuses: containerStatus,
    initContainerStatuses: containerStatus,
  },
} as const satisfies Shape;

const image: Shape = only('name', 'image', 'restartPolicy');

const waitingStatus: Shape = {
  ...only('name', 'restartCount', 'ready', 'started'),
  state: { waiting: { ...only('reason'), message: withoutQueries } },
};

/** A pod that has never run anything. */
const waitingPod: Shape = {
  metadata: pod.metadata,
  spec: { containers: image, initContainers: image },
  status: {
    ...only('phase'),
    containerStatuses: waitingStatus,
    initContainerStatuses: waitingStatus,
  },
};

/** Those of URLs may contain a token. */
function withoutQueries(message: unknown): unknown {
  return typeof message === 'string' ? message.replace(/\b(https?:[^\s"?]{1,2000})\?[^\s"]*/g, '$1') : message;
}

/** By its resourceVersion a stream knows whether it has caught up with the one that it replaces. */
const slice: Shape = {
  metadata: {
    ...only('namespace', 'name', 'resourceVersion'),
    labels: only('kubernetes.io/service-name'),
    managedFields: only('time'),
  },
  endpoints: {
    ...only('addresses'),
    conditions: only('ready', 'serving', 'terminating'),
    targetRef: only('kind', 'namespace', 'name'),
  },
};

/** Of a message only the name of the webhook is retained: the rest may quote the pod. */
const event: Shape = {
  metadata: only('uid', 'namespace', 'name', 'resourceVersion'),
  involvedObject: only('kind', 'namespace', 'name', 'uid'),
  series: only('lastObservedTime'),
  ...only('reason', 'lastTimestamp', 'eventTime'),
  message: callFailure,
};
