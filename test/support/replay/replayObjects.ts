import type { JsonObject } from '@weeder/kube-runtime/base';
import { backOff, type ContainerState, notPulled, pod, running, slice, terminated } from '../objects/objects.ts';
import type { ContainerStep, PodStep, SliceStep } from './replayFormat.ts';

/** Milliseconds since the start of the replay as epoch milliseconds by the nodes' clocks. */
export type NodeTime = (at: number) => number;

/** The Pod that a step describes, as the API serves it. `now` is the step's own time. */
export function podOf(step: PodStep, uid: string, now: number, nodeTime: NodeTime): JsonObject {
  const { name, namespace, labels, restartPolicy, phase } = step;
  const whole = step.containers ?? [{ ...step, name: 'main', is: step.is ?? 'running', restartPolicy: undefined }];
  const state = (each: ContainerStep) => stateOf(each, nodeTime(each.finishedAt ?? now));
  const built = pod({
    name,
    namespace,
    labels,
    uid,
    restartPolicy,
    isBare: step.bare,
    owner: { uid: step.owner, kind: step.ownerKind },
    ...(step.created === undefined ? {} : { created: nodeTime(step.created) }),
    ...(step.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: step.gracePeriodSeconds }),
    annotations: {
      ...(step.mirror ? { 'kubernetes.io/config.mirror': 'a-hash' } : {}),
      ...(step.ignore ? { 'weeder.dev/ignore': 'true' } : {}),
    },
    containers: whole.map(state),
    initContainers: step.initContainers.map(state),
    ...(phase === undefined ? {} : { phase }),
    ...(step.deleting ? { deletionTimestamp: timestamp(nodeTime(now)) } : {}),
  });
  if (step.readySince === undefined) return built;
  const ready = { type: 'Ready', status: 'True', lastTransitionTime: timestamp(nodeTime(step.readySince)) };
  return { ...built, status: { ...built.status, conditions: [ready] } };
}

function stateOf(step: ContainerStep, finishedAt: number): ContainerState {
  const { name, restarts = step.is === 'running' ? 0 : 3, exitCode = 1, restartPolicy, error } = step;
  const states = {
    running: () => running(restarts),
    CrashLoopBackOff: () => backOff(restarts),
    terminated: () => terminated(finishedAt, restarts, exitCode),
    waiting: () => ({ restarts, state: { waiting: { reason: 'PodInitializing' } } }),
    ErrImagePull: () => notPulled({ reason: 'ErrImagePull', error }),
    ImagePullBackOff: () => notPulled({ error }),
  };
  return {
    ...states[step.is](),
    ...(name === undefined ? {} : { name }),
    ...(restartPolicy === undefined ? {} : { spec: { restartPolicy } }),
  };
}

/** The EndpointSlice that a step describes. */
export function sliceOf(step: SliceStep, nodeTime: NodeTime): JsonObject {
  const { service, namespace, name, ready, family, backed, written } = step;
  const built = slice({
    service,
    namespace,
    ready: ready.map((each) => (each === 'unset' ? null : each)),
    withTargets: backed,
    ...(name === undefined ? {} : { name }),
    ...(written === undefined ? {} : { written: nodeTime(written) }),
  });
  return { ...built, addressType: family };
}

function timestamp(time: number): string {
  return new Date(time).toISOString();
}
