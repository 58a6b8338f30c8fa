import { only, reduceTo, type Shape, texts } from '../../recording/file/shape.ts';
import { waitingPod } from '../pods/waitingPod.ts';
import { templateAnnotation } from '../references/podTemplate.ts';
import { podReferences } from './reduceWorkload.ts';

const state: Shape = {
  waiting: texts('reason'),
  running: only('startedAt'),
  terminated: only('exitCode', 'startedAt'),
};

const containerStatus: Shape = { ...texts('name'), ...only('restartCount', 'started'), state, lastState: state };

const podEvidence = {
  metadata: {
    ...only('name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp'),
    labels: only(
      ...['pod-template-hash', 'rollouts-pod-template-hash', 'controller-revision-hash', 'pod-template-generation'],
    ),
    annotations: only(templateAnnotation),
    ownerReferences: { ...texts('kind', 'name', 'uid'), ...only('controller') },
  },
  spec: texts('nodeName'),
  status: {
    ...only('phase'),
    conditions: only('type', 'status'),
    containerStatuses: containerStatus,
    initContainerStatuses: containerStatus,
  },
} satisfies Shape;

/** Reduces a pod that was listed as evidence to the fields that `readPod` reads, in their places. */
export function reducePodEvidence(object: unknown): object {
  return reduceTo(podEvidence, object);
}

const waitingPodEvidence: Shape = {
  ...podEvidence,
  spec: { ...podEvidence.spec, ...podReferences },
  status: { ...podEvidence.status, ...only('startTime') },
};

/** The same for pods that may wait for their volumes, by the fields that `waitingPod` reads; others are left out. */
export function reduceWaitingPods(objects: readonly unknown[]): object[] {
  return objects.flatMap((object) => (waitingPod(object) === undefined ? [] : [reduceTo(waitingPodEvidence, object)]));
}
