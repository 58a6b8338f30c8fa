import { isObject, type JsonObject, numberOf, objectOf, textOf, timeOf } from '@weeder/kube-runtime/base';
import {
  containerStatusesOf,
  controllerOf,
  type Identity,
  identityOf,
  nameIn,
  trueConditions,
} from '@weeder/kube-runtime/objects';
import { templateAnnotationOf } from '../references/podTemplate.ts';

/** Everything that weeder stores about a pod. */
export interface PodSummary extends Identity {
  /** Epoch milliseconds, in whole seconds; undefined: the pod has no creation time. */
  readonly createdAt: number | undefined;
  /** The pod is being deleted, or all of its containers have terminated permanently: it starts no further container. */
  readonly isEnding: boolean;
  /** All of its containers have terminated permanently: its node has dropped what it used. */
  readonly isOver: boolean;
  /** The object that created and controls the pod. */
  readonly owner: { readonly kind: string; readonly name: string; readonly uid: string } | undefined;
  readonly node: string | undefined;
  /**
   * Labels from the template that the pod was created from: of a Deployment, of a Rollout of Argo, of a StatefulSet,
   * DaemonSet or CloneSet, of a DaemonSet.
   */
  readonly templateHash: string | undefined;
  readonly rolloutHash: string | undefined;
  readonly revision: string | undefined;
  readonly templateGeneration: string | undefined;
  /** The hash that the latest restart had written to the template that the pod was created from. */
  readonly dependenciesHash: string | undefined;
  /** The containers, init containers and sidecars that have been started at least once. */
  readonly startedContainers: ReadonlySet<string>;
  /** The number of these; none in a recording from before a start counted as progress, which has no field `started`. */
  readonly runningContainers: number;
  /**
   * When each running or terminated container was last started: epoch milliseconds by the node's clock, in whole
   * seconds.
   */
  readonly startedAt: ReadonlyMap<string, number>;
  /** The volumes are mounted, with the content that their sources had then. */
  readonly hasVolumes: boolean;
  /** The pod is ready. */
  readonly isReady: boolean;
  /** Why a container cannot run, such as `container main: ImagePullBackOff`; undefined: all containers can run. */
  readonly failure: string | undefined;
}

/** Waiting reasons that do not pass by waiting: an image, a config or a start that failed. */
const failureReasons: ReadonlySet<unknown> = new Set([
  'CrashLoopBackOff',
  'CreateContainerConfigError',
  'CreateContainerError',
  'ErrImageNeverPull',
  'ErrImagePull',
  'ImageInspectError',
  'ImagePullBackOff',
  'InvalidImageName',
  'PostStartHookError',
  'RunContainerError',
]);

/** Reads a Pod as the API serves it; returns undefined if it lacks its identity. */
export function readPod(object: unknown): PodSummary | undefined {
  const identity = identityOf(object);
  if (identity === undefined) return undefined;
  const { metadata, spec, status: givenStatus } = objectOf(object);
  const [meta, status] = [objectOf(metadata), objectOf(givenStatus)];
  const labels = objectOf(meta['labels']);
  const { namespace, name, uid, resourceVersion } = identity;
  const statuses = containerStatusesOf(status);
  const conditions = new Set(trueConditions(status).map(({ type }) => type));
  const isOver = ['Succeeded', 'Failed'].includes(String(status['phase']));
  const isEnding = meta['deletionTimestamp'] !== undefined || isOver;
  return {
    namespace,
    name,
    uid,
    resourceVersion,
    createdAt: timeOf(meta['creationTimestamp']),
    isEnding,
    isOver,
    owner: ownerOf(meta),
    node: nameIn(objectOf(spec)['nodeName']),
    templateHash: textOf(labels['pod-template-hash']),
    rolloutHash: textOf(labels['rollouts-pod-template-hash']),
    revision: textOf(labels['controller-revision-hash']),
    templateGeneration: textOf(labels['pod-template-generation']),
    dependenciesHash: templateAnnotationOf({ metadata }),
    startedContainers: new Set(statuses.filter(hasStarted).map(containerName)),
    runningContainers: statuses.filter((each) => each['started'] !== undefined && hasStarted(each)).length,
    startedAt: new Map(statuses.flatMap(startOf)),
    hasVolumes: statuses.some(hasStarted) || conditions.has('PodReadyToStartContainers'),
    isReady: conditions.has('Ready'),
    failure: isEnding ? undefined : statuses.map(failureOf).find((each) => each !== undefined),
  };
}

/** Reads the pods of a list; pods without an identity are left out. */
export function readPods(objects: readonly unknown[]): PodSummary[] {
  return objects.flatMap((object) => readPod(object) ?? []);
}

function ownerOf(meta: JsonObject): PodSummary['owner'] {
  const { kind, name, uid } = controllerOf(meta) ?? {};
  return kind === undefined || name === undefined || uid === undefined ? undefined : { kind, name, uid };
}

/** A container that waits because its start failed has not run its program, unless it ran before. */
function hasStarted(container: JsonObject): boolean {
  const [state, lastState] = [objectOf(container['state']), objectOf(container['lastState'])];
  const hasRun = [state['running'], state['terminated'], lastState['terminated']].some(isObject);
  return hasRun || restartsOf(container) > 0 || objectOf(state['waiting'])['reason'] === 'CrashLoopBackOff';
}

function containerName(container: JsonObject): string {
  return nameIn(container['name']) ?? '(no name)';
}

function startOf(container: JsonObject): [string, number][] {
  const { running, terminated } = objectOf(container['state']);
  const startedAt = timeOf(objectOf(running ?? terminated)['startedAt']);
  return startedAt === undefined ? [] : [[containerName(container), startedAt]];
}

function restartsOf(container: JsonObject): number {
  return numberOf(container['restartCount']) ?? 0;
}

/** During a back-off the kubelet may keep reporting how the last attempt ended: that counts as a crash loop as well. */
function failureOf(container: JsonObject): string | undefined {
  const state = objectOf(container['state']);
  const { reason } = objectOf(state['waiting']);
  const where = `container ${containerName(container)}`;
  if (failureReasons.has(reason)) return `${where}: ${String(reason)}`;
  const exitCode = numberOf(objectOf(state['terminated'])['exitCode']) ?? 0;
  const isRepeated = exitCode !== 0 && restartsOf(container) > 0;
  return isRepeated ? `${where}: ended repeatedly with exit code ${exitCode}` : undefined;
}
