/**
 * Decides on one version of a pod by its status alone. A pod that is Ready, terminating or at its end never
 * crash-loops, nor does a container that cannot be created. Does not guarantee that the pod may be deleted
 * (`protection`), nor that an `unreported` back-off is one: the kubelet may restart the container at once, so callers
 * wait for a time after `unreportedSince`. The status of a pod lags behind its kubelet.
 */

import type { Clock } from '@weeder/kube-runtime/base';
import { isObject, type JsonObject, numberOf, objectOf, timeOf } from '@weeder/kube-runtime/base';
import {
  containerStatusesOf,
  controllerOf,
  type Identity,
  identityOf,
  isPodReady,
  shortTextIn,
} from '@weeder/kube-runtime/objects';
import type { Protection } from '../../../machines/weeder/podDeletion.ts';
import {
  type ContainerView,
  containersOf,
  finishedAtOf,
  hasEnded,
  isRestarted,
  terminatedOf,
  waitingReason,
} from './containerView.ts';
import { type LastRun, lastRunOf } from './lastRun.ts';
import { type Startable, startable } from './startOrder.ts';
import { lastingName, workloadOf } from './workloadOf.ts';

/** What the index keeps of a crash-looping pod. It never keeps whole pods. */
export interface CrashLoopingPod extends Identity {
  /** The container that crash-loops or waits for its image; the first one if there are several. */
  readonly container: string;
  readonly containerKind: ContainerView['kind'];
  /**
   * `unreported`: the container is in a back-off, while the status still reports how its last run ended. `imagePull`: no
   * container has ever run, and the registry of the image was away.
   */
  readonly cause: 'CrashLoopBackOff' | 'unreported' | 'imagePull';
  readonly restarts: number;
  /** When the container last finished: epoch milliseconds by the node's clock. */
  readonly finishedAt: number | undefined;
  /** Since when nothing but a back-off keeps the kubelet from starting it; likewise. Undefined: the status does not say. */
  readonly startableAt: number | undefined;
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
  'container' | 'containerKind' | 'cause' | 'restarts' | 'finishedAt' | 'startableAt' | 'lastRun' | 'waited' | 'message'
>;

/** The kubelet's begins with the back-off, and ends with the uid of the pod. Bytes. */
const longestMessage = 256;

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
    protection: protectionOf(meta, objectOf(spec)),
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
  const ageByNode = pod.startableAt === undefined ? 0 : clock.now() - pod.startableAt;
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
  const next = startable(views, status);
  const backedOff = next.find((each) => isBackedOff(each) && !isOutdated(each));
  if (backedOff !== undefined) return describe(backedOff, 'CrashLoopBackOff');
  const inBackOff = next
    .filter((each) => isBackedOff(each) || isEnded(each.view))
    .map((each) => describe(each, 'unreported'));
  return inBackOff.sort((a, b) => (a.finishedAt ?? 0) - (b.finishedAt ?? 0))[0];
}

function isBackedOff({ view }: Startable): boolean {
  return waitingReason(view) === 'CrashLoopBackOff';
}

/** The kubelet keeps such a report until the container runs again, while it starts those before it. */
function isOutdated({ view, since }: Startable): boolean {
  return (finishedAtOf(terminatedOf(view.lastState)) ?? since) < since;
}

function isEnded(view: ContainerView): boolean {
  return view.restarts >= 1 && hasEnded(view) && isRestarted(view);
}

function describe({ view, since, isVague }: Startable, cause: Container['cause']): Container {
  const [newest, older] = [terminatedOf(view.state), terminatedOf(view.lastState)];
  const lastRun = lastRunOf(newest ?? older ?? {});
  const finishedAt = finishedAtOf(newest) ?? finishedAtOf(older);
  return {
    container: view.name,
    containerKind: view.kind,
    cause,
    restarts: view.restarts,
    finishedAt,
    startableAt: finishedAt === undefined || isVague ? undefined : Math.max(finishedAt, since),
    lastRun,
    waited: newest && pauseBetween(finishedAtOf(older), lastRun?.startedAt),
    message: shortTextIn(objectOf(view.state['waiting'])['message'], longestMessage),
  };
}

function pauseBetween(finishedAt: number | undefined, startedAt: number | undefined): number | undefined {
  return finishedAt === undefined || startedAt === undefined ? undefined : startedAt - finishedAt;
}

function protectionOf(meta: JsonObject, spec: JsonObject): Protection {
  const annotations = objectOf(meta['annotations']);
  if (annotations['weeder.dev/ignore'] === 'true') return 'ignored';
  if (annotations['kubernetes.io/config.mirror'] !== undefined) return 'mirrorPod';
  const controller = controllerOf(meta);
  if (controller === undefined) return 'barePod';
  return controller.kind === 'Job' && spec['restartPolicy'] === 'Never' ? 'jobWithoutRestarts' : 'none';
}
