import { arrayOf, isObject, type JsonObject, numberOf, objectOf, textOf, timeOf } from '../../base/json.ts';
import { identityOf } from '../../kube/objects/identity.ts';
import { templateAnnotationOf } from '../model/podTemplate.ts';

/** What is known of a pod; whole pods are never kept. */
export interface PodFacts {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Epoch milliseconds, in whole seconds; undefined: it does not say. */
  readonly createdAt: number | undefined;
  /** It is being deleted, or all of its containers have ended for good: it will start nothing any more. */
  readonly isEnding: boolean;
  /** All of its containers have ended for good: its node has forgotten what it used. */
  readonly isOver: boolean;
  /** The object that made it and keeps it. */
  readonly owner: { readonly kind: string; readonly name: string; readonly uid: string } | undefined;
  readonly node: string | undefined;
  /** The labels of the template that it was made from: of a Deployment, of a StatefulSet or DaemonSet, of a DaemonSet. */
  readonly templateHash: string | undefined;
  readonly revision: string | undefined;
  readonly templateGeneration: string | undefined;
  /** What the newest restart had left in the template that it was made from. */
  readonly dependenciesHash: string | undefined;
  /** Containers, init containers and sidecars that have been started at least once. */
  readonly startedContainers: ReadonlySet<string>;
  /** When those that run, or ran and ended, were started last: epoch milliseconds by the node's clock, in whole seconds. */
  readonly startedAt: ReadonlyMap<string, number>;
  /** Its volumes are mounted, and with them what was in their sources then. */
  readonly hasVolumes: boolean;
  /** It serves. */
  readonly isReady: boolean;
  /** Why a container cannot run, such as `container main: ImagePullBackOff`; undefined: none is in trouble. */
  readonly trouble: string | undefined;
}

/** Reasons to wait that a pod does not get out of by waiting: an image, a config or a start that failed. */
const troubles: ReadonlySet<unknown> = new Set([
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

/** Reads a Pod as the API serves it; undefined where it does not say which one it is. */
export function readPod(object: unknown): PodFacts | undefined {
  const identity = identityOf(object);
  if (identity === undefined) return undefined;
  const { metadata, spec, status: givenStatus } = objectOf(object);
  const [meta, status] = [objectOf(metadata), objectOf(givenStatus)];
  const labels = objectOf(meta['labels']);
  const { namespace, name, uid, resourceVersion } = identity;
  const statuses = [...arrayOf(status['initContainerStatuses']), ...arrayOf(status['containerStatuses'])].map(objectOf);
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
    node: textOf(objectOf(spec)['nodeName']),
    templateHash: textOf(labels['pod-template-hash']),
    revision: textOf(labels['controller-revision-hash']),
    templateGeneration: textOf(labels['pod-template-generation']),
    dependenciesHash: templateAnnotationOf({ metadata }),
    startedContainers: new Set(statuses.filter(hasStarted).map(({ name: container }) => String(container))),
    startedAt: new Map(statuses.flatMap(startOf)),
    hasVolumes: statuses.some(hasStarted) || isTrue(status, 'PodReadyToStartContainers'),
    isReady: isTrue(status, 'Ready'),
    trouble: isEnding ? undefined : statuses.map(troubleWith).find((each) => each !== undefined),
  };
}

/** The pods of a list that have an identity. */
export function readPods(objects: readonly unknown[]): PodFacts[] {
  return objects.flatMap((object) => readPod(object) ?? []);
}

function ownerOf(meta: JsonObject): PodFacts['owner'] {
  const owner = arrayOf(meta['ownerReferences'])
    .map(objectOf)
    .find(({ controller }) => controller === true);
  const [kind, name, uid] = [textOf(owner?.['kind']), textOf(owner?.['name']), textOf(owner?.['uid'])];
  return kind === undefined || name === undefined || uid === undefined ? undefined : { kind, name, uid };
}

function isTrue(status: JsonObject, condition: string): boolean {
  return arrayOf(status['conditions'])
    .map(objectOf)
    .some(({ type, status: says }) => type === condition && says === 'True');
}

/** One that waits because its start failed has run no line of its program, unless it did so before. */
function hasStarted(container: JsonObject): boolean {
  const [state, lastState] = [objectOf(container['state']), objectOf(container['lastState'])];
  const hasRun = [state['running'], state['terminated'], lastState['terminated']].some(isObject);
  return hasRun || restartsOf(container) > 0 || objectOf(state['waiting'])['reason'] === 'CrashLoopBackOff';
}

function startOf(container: JsonObject): [string, number][] {
  const { running, terminated } = objectOf(container['state']);
  const startedAt = timeOf(objectOf(running ?? terminated)['startedAt']);
  return startedAt === undefined ? [] : [[String(container['name']), startedAt]];
}

function restartsOf(container: JsonObject): number {
  return numberOf(container['restartCount']) ?? 0;
}

/** A kubelet may sit out a back-off while it goes on reporting how the last try ended: that is a crash loop as well. */
function troubleWith(container: JsonObject): string | undefined {
  const state = objectOf(container['state']);
  const { reason } = objectOf(state['waiting']);
  const where = `container ${textOf(container['name']) ?? '(no name)'}`;
  if (troubles.has(reason)) return `${where}: ${String(reason)}`;
  const exitCode = numberOf(objectOf(state['terminated'])['exitCode']) ?? 0;
  const isHeldBack = exitCode !== 0 && restartsOf(container) > 0;
  return isHeldBack ? `${where}: ended with exit code ${exitCode} again and again` : undefined;
}
