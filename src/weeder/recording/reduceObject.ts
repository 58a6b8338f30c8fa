import { arrayOf, truncate } from '@weeder/kube-runtime/base';
import { nameIn } from '@weeder/kube-runtime/objects';
import { only, reduceTo, type Shape, texts } from '../../recording/file/shape.ts';
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

const container = { ...texts('name'), ...only('restartPolicy', 'restartPolicyRules'), startupProbe: {} };

const state: Shape = {
  running: only('startedAt'),
  waiting: texts('reason', 'message'),
  terminated: {
    ...only('exitCode', 'signal', 'startedAt', 'finishedAt'),
    ...texts('reason'),
    message: terminationMessage,
  },
};

const containerStatus: Shape = { ...texts('name'), ...only('restartCount', 'started'), state, lastState: state };

const pod = {
  metadata: {
    ...only('uid', 'namespace', 'name', 'resourceVersion', 'creationTimestamp', 'labels'),
    ...only('deletionTimestamp', 'deletionGracePeriodSeconds'),
    annotations: only('weeder.dev/ignore', 'kubernetes.io/config.mirror', dependsOnServices),
    ownerReferences: { ...texts('kind', 'name', 'uid'), ...only('controller') },
  },
  spec: {
    ...only('restartPolicy', 'terminationGracePeriodSeconds'),
    containers: container,
    initContainers: container,
  },
  status: {
    ...only('phase'),
    conditions: only('type', 'status', 'lastTransitionTime'),
    containerStatuses: containerStatus,
    initContainerStatuses: containerStatus,
  },
} as const satisfies Shape;

const image: Shape = { ...texts('name', 'image'), ...only('restartPolicy') };

const waitingStatus: Shape = {
  ...texts('name'),
  ...only('restartCount', 'ready', 'started'),
  state: { waiting: { ...texts('reason'), message: withoutQueries } },
};

/** A pod that has never run anything. */
const waitingPod: Shape = {
  metadata: pod.metadata,
  spec: { ...only('restartPolicy'), containers: image, initContainers: image },
  status: {
    ...only('phase'),
    containerStatuses: waitingStatus,
    initContainerStatuses: waitingStatus,
  },
};

/** Bytes; no longer message is read (`pullError.ts`). */
const longestPullMessage = 4 * 8192 + 8;

/** Those of URLs may contain a token. */
function withoutQueries(message: unknown): unknown {
  if (typeof message !== 'string') return message;
  return truncate(message, longestPullMessage).replace(/\b(https?:[^\s"?]{1,2000})\?[^\s"]*/g, '$1');
}

/** Of the addresses of an endpoint, only the first is read. */
function firstOf(addresses: unknown): unknown {
  return arrayOf(addresses)
    .slice(0, 1)
    .map((each) => nameIn(each) ?? '');
}

/** By its resourceVersion a stream knows whether it has caught up with the one that it replaces. */
const slice: Shape = {
  metadata: {
    ...only('namespace', 'name', 'resourceVersion'),
    labels: only('kubernetes.io/service-name'),
    managedFields: only('time'),
  },
  endpoints: {
    addresses: firstOf,
    conditions: only('ready', 'serving', 'terminating'),
    targetRef: texts('kind', 'namespace', 'name'),
  },
};

/** Of a message only the name of the webhook is retained: the rest may quote the pod. */
const event: Shape = {
  metadata: only('uid', 'namespace', 'name', 'resourceVersion'),
  involvedObject: texts('kind', 'namespace', 'name', 'uid'),
  series: only('lastObservedTime'),
  ...only('reason', 'lastTimestamp', 'eventTime'),
  message: callFailure,
};
