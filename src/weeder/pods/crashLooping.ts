/**
 * Decides on one version of a pod by its status alone. A pod that is Ready, terminating or at its end never
 * crash-loops, nor does a container that cannot be created. Does not guarantee that the pod may be deleted
 * (`protection`), nor that an `unreported` back-off is one: the kubelet may restart the container at once, so callers
 * wait for a time after `unreportedSince`. The status of a pod lags behind its kubelet.
 */

import type { Clock } from '@weeder/kube-runtime/base';
import { arrayOf, isObject, type JsonObject, numberOf, objectOf, timeOf } from '@weeder/kube-runtime/base';
import {
  containerStatusesOf,
  controllerOf,
  type Identity,
  identityOf,
  isPodReady,
  nameIn,
  shortTextIn,
} from '@weeder/kube-runtime/objects';
import type { Protection } from '../../../machines/weeder/podDeletion.ts';
import { type LastRun, lastRunOf } from './lastRun.ts';
import { lastingName, workloadOf } from './workloadOf.ts';

/** What the index keeps of a crash-looping pod. It never keeps whole pods. */
export interface CrashLoopingPod extends Identity {
  /** The container that crash-loops or waits for its image; the first one if there are several. */
  readonly container: string;
  readonly containerKind: 'container' | 'initContainer' | 'sidecar';
  /**
   * `unreported`: the container is in a back-off, while the status still reports how its last run ended. `imagePull`: no
   * container has ever run, and the registry of the image was away.
   */
  readonly cause: 'CrashLoopBackOff' | 'unreported' | 'imagePull';
  readonly restarts: number;
  /** When the container last finished: epoch milliseconds by the node's clock. */
  readonly finishedAt: number | undefined;
  /** Undefined: the status does not have it. */
  readonly lastRun: LastRun | undefined;
  /**
   * How long the kubelet waited before the last run, in milliseconds, by times in whole seconds; undefined: the status
   * does not have it.
   */
  readonly waited: number | undefined;
  /** The kubelet's message, such as `back-off 1m20s restarting failed container=…`. */
  readonly message: string | undefined;
  readonly protection: Protection;
  /** The uid of the controller that owns the pod. */
  readonly owner: string | undefined;
  /** `Deployment shop/web`; the same for all Jobs of a CronJob. */
  readonly workload: string;
  /** The controller creates the replacement while the deleted pod is still terminating. */
  readonly isReplacedAtOnce: boolean;
  /** When the pod was created: epoch milliseconds by the API server's clock, in whole seconds. */
  readonly createdAt: number | undefined;
  /** How long the running containers may take to stop, in milliseconds; 0 if none runs. */
  readonly stopsWithin: number;
}

type Container = Pick<
  CrashLoopingPod,
  'container' | 'containerKind' | 'cause' | 'restarts' | 'finishedAt' | 'lastRun' | 'waited' | 'message'
>;

/** The kubelet's begins with the back-off, and ends with the uid of the pod. Bytes. */
const longestMessage = 256;

/** Waiting reasons of a failed start. The kubelet leaves them in place while it delays the next start. */
const failedStarts: readonly unknown[] = ['RunContainerError', 'PostStartHookError'];

/** Reads a Pod as the API serves it. Returns undefined if the pod does not crash-loop. */
export function crashLooping(pod: unknown): CrashLoopingPod | undefined {
  const { spec, status } = objectOf(pod);
  const container = findCrashLoopingContainer(objectOf(spec), objectOf(status));
  return container && podWith(pod, container);
}

/** The pod with this container. Undefined: it is terminating. */
export function podWith(pod: unknown, container: Container): CrashLoopingPod | undefined {
  const { metadata, spec, status } = objectOf(pod);
  const meta = objectOf(metadata);
  const identity = identityOf(pod);
  if (identity === undefined || meta['deletionTimestamp'] !== undefined) return undefined;
  return {
    ...identity,
    ...container,
    protection: protectionOf(meta),
    ...ownerOf(meta),
    workload: lastingName(workloadOf(pod)),
    createdAt: timeOf(meta['creationTimestamp']),
    stopsWithin: stoppingTime(objectOf(spec), objectOf(status)),
  };
}

/** These controllers replace a pod while it is terminating; others wait until it has stopped. */
const replacingAtOnce: readonly unknown[] = ['ReplicaSet', 'ReplicationController', 'Job'];

function ownerOf(meta: JsonObject): Pick<CrashLoopingPod, 'owner' | 'isReplacedAtOnce'> {
  const { uid, kind } = controllerOf(meta) ?? {};
  return { owner: uid, isReplacedAtOnce: replacingAtOnce.includes(kind) };
}

/** Only running containers use the grace period. */
function stoppingTime(spec: JsonObject, status: JsonObject): number {
  const isRunning = containerStatusesOf(status).some(({ state }) => isObject(objectOf(state)['running']));
  return isRunning ? (numberOf(spec['terminationGracePeriodSeconds']) ?? 30) * 1000 : 0;
}

/**
 * Since when the container is in a back-off that its status does not report, in milliseconds by the monotonic clock: by
 * the node's clock or by our own, whichever gives the longer time. Undefined: the status reports the back-off.
 */
export function unreportedSince(pod: CrashLoopingPod, firstSeen: number, clock: Clock): number | undefined {
  if (pod.cause !== 'unreported') return undefined;
  const ageByNode = pod.finishedAt === undefined ? 0 : clock.now() - pod.finishedAt;
  return Math.min(firstSeen, clock.monotonic() - ageByNode);
}

/** Whether two versions of a pod are in the same run of the same back-off. For a pull, each report is of its own. */
export function isSameBackOff(a: CrashLoopingPod, b: CrashLoopingPod): boolean {
  const isSameRun = a.cause === b.cause && a.container === b.container && a.restarts === b.restarts;
  return isSameRun && (a.cause !== 'imagePull' || a.message === b.message);
}

function findCrashLoopingContainer(spec: JsonObject, status: JsonObject): Container | undefined {
  if (status['phase'] === 'Succeeded' || status['phase'] === 'Failed' || isPodReady(status)) return undefined;
  const views = containersOf(spec, status);
  const regular = views.filter((each) => each.kind === 'container');
  const isEnding = regular.length > 0 && regular.every((each) => hasEnded(each) && !isRestarted(each));
  if (isEnding) return undefined;
  // The kubelet starts no container before the init containers have succeeded: one that runs needs none of them again.
  const hasStarted = regular.some(({ state }) => isObject(state['running']));
  const containers = hasStarted ? views.filter((each) => each.kind !== 'initContainer') : views;
  const backedOff = containers.find((each) => waitingReason(each) === 'CrashLoopBackOff');
  if (backedOff !== undefined) return describe(backedOff, 'CrashLoopBackOff');
  const inBackOff = containers
    .filter((each) => each.restarts >= 1 && hasEnded(each) && isRestarted(each))
    .map((each) => describe(each, 'unreported'));
  return inBackOff.sort((a, b) => (a.finishedAt ?? 0) - (b.finishedAt ?? 0))[0];
}

interface ContainerView {
  readonly name: string;
  readonly kind: Container['containerKind'];
  readonly state: JsonObject;
  readonly lastState: JsonObject;
  readonly restarts: number;
  readonly spec: JsonObject;
  readonly podPolicy: unknown;
}

function containersOf(spec: JsonObject, status: JsonObject): ContainerView[] {
  const podPolicy = spec['restartPolicy'] ?? 'Always';
  const view = (specs: unknown, kind: 'container' | 'initContainer') => (containerStatus: unknown) => {
    const { name, state, lastState, restartCount } = objectOf(containerStatus);
    const own = objectOf(arrayOf(specs).find((each) => objectOf(each)['name'] === name));
    return {
      name: nameIn(name) ?? '',
      kind: kind === 'initContainer' && own['restartPolicy'] === 'Always' ? ('sidecar' as const) : kind,
      state: objectOf(state),
      lastState: objectOf(lastState),
      restarts: numberOf(restartCount) ?? 0,
      spec: own,
      podPolicy,
    };
  };
  return [
    ...arrayOf(status['initContainerStatuses']).map(view(spec['initContainers'], 'initContainer')),
    ...arrayOf(status['containerStatuses']).map(view(spec['containers'], 'container')),
  ];
}

function describe(view: ContainerView, cause: Container['cause']): Container {
  const [newest, older] = [terminatedOf(view.state), terminatedOf(view.lastState)];
  const lastRun = lastRunOf(newest ?? older ?? {});
  return {
    container: view.name,
    containerKind: view.kind,
    cause,
    restarts: view.restarts,
    finishedAt: finishedAtOf(newest) ?? finishedAtOf(older),
    lastRun,
    waited: newest && pauseBetween(finishedAtOf(older), lastRun?.startedAt),
    message: shortTextIn(objectOf(view.state['waiting'])['message'], longestMessage),
  };
}

function pauseBetween(finishedAt: number | undefined, startedAt: number | undefined): number | undefined {
  return finishedAt === undefined || startedAt === undefined ? undefined : startedAt - finishedAt;
}

/** How the last run ended, if the status says that the next one has not begun. */
function endOf(view: ContainerView): JsonObject | undefined {
  return terminatedOf(failedStarts.includes(waitingReason(view)) ? view.lastState : view.state);
}

function terminatedOf({ terminated }: JsonObject): JsonObject | undefined {
  return isObject(terminated) ? terminated : undefined;
}

function hasEnded(view: ContainerView): boolean {
  return endOf(view) !== undefined;
}

function finishedAtOf(terminated: JsonObject | undefined): number | undefined {
  return timeOf(terminated?.['finishedAt']);
}

function waitingReason(view: ContainerView): unknown {
  return objectOf(view.state['waiting'])['reason'];
}

/**
 * Whether the kubelet would restart this terminated container: by the container's own rules and policy, or by the
 * pod's.
 */
function isRestarted(view: ContainerView): boolean {
  const exitCode = numberOf(endOf(view)?.['exitCode']) ?? 0;
  if (arrayOf(view.spec['restartPolicyRules']).some((rule) => doesRuleRestart(objectOf(rule), exitCode))) return true;
  const policy = view.spec['restartPolicy'] ?? view.podPolicy;
  if (policy === 'Never') return false;
  const restartsAfterSuccess = policy === 'Always' && view.kind !== 'initContainer';
  return restartsAfterSuccess || exitCode !== 0;
}

function doesRuleRestart(rule: JsonObject, exitCode: number): boolean {
  if (rule['action'] !== 'Restart' && rule['action'] !== 'RestartAllContainers') return false;
  const { operator, values } = objectOf(rule['exitCodes']);
  const isListed = arrayOf(values).includes(exitCode);
  return operator === 'In' ? isListed : operator === 'NotIn' && !isListed;
}

function protectionOf(meta: JsonObject): Protection {
  const annotations = objectOf(meta['annotations']);
  if (annotations['weeder.dev/ignore'] === 'true') return 'ignored';
  if (annotations['kubernetes.io/config.mirror'] !== undefined) return 'mirrorPod';
  return controllerOf(meta) === undefined ? 'barePod' : 'none';
}
