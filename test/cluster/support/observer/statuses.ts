import type { TestNamespace } from '../namespace.ts';
import { type Condition, type ContainerStatus, Pod } from '../objects.ts';

/** What a kubelet reports of one container, without what every report has in common. */
export interface ContainerState {
  readonly restartCount: number;
  readonly ready: boolean;
  readonly state: Readonly<Record<string, unknown>>;
  readonly lastState?: Readonly<Record<string, unknown>>;
}

interface Ending {
  /** Default 1. */
  readonly exitCode?: number;
  /** Default now. */
  readonly finishedAt?: Date;
  /** Default 5 s before `finishedAt`. */
  readonly startedAt?: Date;
  /** Default `Error`, or `Completed` for exit code 0. */
  readonly reason?: string;
}

/** A running container; ready unless set otherwise. */
export function running(restarts = 0, { ready = true, startedAt = new Date() } = {}): ContainerState {
  const lastState = restarts > 0 ? { lastState: ended({}) } : {};
  return { restartCount: restarts, ready, state: { running: { startedAt: seconds(startedAt) } }, ...lastState };
}

/**
 * Waits for its back-off. The message has five minutes, the kubelet's longest, unless another is given: on a slow machine
 * a shorter one is nearly over when weeder sees the pod, and it leaves the pod to the kubelet.
 */
export function crashLoopBackOff(
  restarts: number,
  message = 'back-off 5m0s restarting failed container',
): ContainerState {
  const waiting = { reason: 'CrashLoopBackOff', message };
  return { restartCount: restarts, ready: false, state: { waiting }, lastState: ended({}) };
}

/** Has ended; when it restarted before, kubelets from 1.35 on report a whole back-off like this. */
export function terminated(restarts: number, ending: Ending = {}): ContainerState {
  return { restartCount: restarts, ready: false, state: ended(ending) };
}

/** An init container that has completed. */
export function completed(restarts = 0): ContainerState {
  return { restartCount: restarts, ready: true, state: ended({ exitCode: 0 }) };
}

/** Waits for another reason than a back-off, such as `ImagePullBackOff` or `ContainerCreating`. */
export function waiting(reason: string, message?: string): ContainerState {
  const state = { waiting: { reason, ...(message === undefined ? {} : { message }) } };
  return { restartCount: 0, ready: false, state };
}

function ended({ exitCode = 1, finishedAt = new Date(), startedAt, reason }: Ending): Record<string, unknown> {
  const from = startedAt ?? new Date(finishedAt.getTime() - 5000);
  const why = reason ?? (exitCode === 0 ? 'Completed' : 'Error');
  return { terminated: { exitCode, reason: why, startedAt: seconds(from), finishedAt: seconds(finishedAt) } };
}

/** The API stores whole seconds. */
function seconds(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z');
}

export interface PodStatusChange {
  /** By name: main containers, init containers and sidecars. The others are unchanged, or look healthy. */
  readonly containers?: Readonly<Record<string, ContainerState>>;
  /** Default `Running`. */
  readonly phase?: string;
  /** Default: whether all containers are ready. */
  readonly ready?: boolean;
  /** When the pod's Ready condition changed last; default now, if it changes. */
  readonly readySince?: Date;
  /** The pod's address, which a real service needs. */
  readonly ip?: string;
}

/** Reports a pod's status as its kubelet would: a state alone is that of the first main container. */
export async function setPodStatus(
  ns: TestNamespace,
  name: string,
  change: ContainerState | PodStatusChange,
): Promise<Pod> {
  const pod = Pod.parse(await ns.cluster.api('GET', ns.path('api/v1', 'pods', name)));
  return patchPodStatus(ns, name, statusOf(pod, asChange(pod, change)));
}

/** Patches a pod's status with exactly these fields (a merge patch: lists are replaced), for recorded statuses. */
export async function patchPodStatus(ns: TestNamespace, name: string, status: object): Promise<Pod> {
  const path = `${ns.path('api/v1', 'pods', name)}/status`;
  return Pod.parse(await ns.cluster.api('PATCH', path, { status }));
}

function asChange(pod: Pod, change: ContainerState | PodStatusChange): PodStatusChange {
  if (!('restartCount' in change)) return change;
  return { containers: { [pod.spec.containers[0]?.name ?? 'main']: change } };
}

function statusOf(pod: Pod, change: PodStatusChange): object {
  const given = change.containers ?? {};
  const init = (pod.spec.initContainers ?? []).map((container) => {
    const healthy = container.restartPolicy === 'Always' ? running() : completed();
    return report(container, given[container.name], pod.status.initContainerStatuses, healthy);
  });
  const blocked = init.some(({ ready }) => !ready);
  const main = pod.spec.containers.map((container) =>
    report(
      container,
      given[container.name],
      pod.status.containerStatuses,
      blocked ? waiting('PodInitializing') : running(),
    ),
  );
  const ready = change.ready ?? [...init, ...main].every((status) => status.ready);
  return {
    phase: change.phase ?? 'Running',
    conditions: conditions(pod.status.conditions ?? [], ready, change.readySince),
    ...(init.length > 0 ? { initContainerStatuses: init } : {}),
    containerStatuses: main,
    ...(change.ip === undefined ? {} : { podIP: change.ip, podIPs: [{ ip: change.ip }] }),
  };
}

function report(
  container: { name: string; image: string },
  given: ContainerState | undefined,
  before: readonly ContainerStatus[] | undefined,
  healthy: ContainerState,
): ContainerStatus {
  const previous = before?.find(({ name }) => name === container.name);
  if (given === undefined && previous !== undefined) return previous;
  const state = given ?? healthy;
  return { name: container.name, image: container.image, imageID: '', started: state.ready, lastState: {}, ...state };
}

function conditions(before: readonly Condition[], ready: boolean, since: Date | undefined): Condition[] {
  const status = ready ? 'True' : 'False';
  const previous = before.find(({ type }) => type === 'Ready');
  const unchanged = since === undefined && previous?.status === status ? previous.lastTransitionTime : undefined;
  const lastTransitionTime = unchanged ?? seconds(since ?? new Date());
  const ours = ['Ready', 'ContainersReady'].map((type) => ({ type, status, lastTransitionTime }));
  return [...before.filter(({ type }) => !ours.some((own) => own.type === type)), ...ours];
}
