/**
 * Finds a pod that has never run anything and waits for images of registries that were away. Decides on one version of
 * the pod by its status, and on what an earlier one has said. A pod with a container that runs, is ready or has ever
 * started, init containers included, is none, nor is one that waits for anything else as well.
 */

import { arrayOf, isObject, type JsonObject, numberOf, objectOf, textOf } from '@weeder/kube-runtime/base';
import { containerStatusesOf, nameIn } from '@weeder/kube-runtime/objects';
import { type CrashLoopingPod, podWith } from './crashLooping.ts';
import { terminationMessage } from './lastRun.ts';
import { type PullError, pullErrorOf } from './pullError.ts';

interface FailedPull {
  readonly pod: CrashLoopingPod;
  /** The hosts of the images, without their ports. */
  readonly hosts: readonly string[];
}

/** Waiting reasons of a container that is not the cause. */
const waitsForOthers: readonly unknown[] = ['ContainerCreating', 'PodInitializing'];

/** `before`: the pod as it was reported before, if it was such a pod. */
export function failedPull(pod: unknown, before?: CrashLoopingPod): FailedPull | undefined {
  const waits = imageWaitsOf(pod);
  const known = before?.cause === 'imagePull' ? before.message : undefined;
  const isAway = ({ kind }: PullError) => kind === 'away' || (kind === 'unsaid' && known !== undefined);
  const [first] = waits;
  if (first === undefined || !waits.every(({ error }) => isAway(error))) return undefined;
  const { container, containerKind, reason, error } = first;
  const detail = error.kind === 'unsaid' ? known?.replace(/^\w+: /, '') : error.detail;
  const message = terminationMessage(`${reason}: ${detail}`);
  const about = { container, containerKind, cause: 'imagePull', restarts: 0, message } as const;
  const failed = podWith(pod, {
    ...about,
    finishedAt: undefined,
    startableAt: undefined,
    lastRun: undefined,
    waited: undefined,
  });
  return failed && { pod: failed, hosts: waits.map(({ image }) => hostOf(image)) };
}

/** Whether the pod waits for images and has never run anything, whatever the reason. */
export function waitsForImages(pod: unknown): boolean {
  return imageWaitsOf(pod).length > 0;
}

interface ImageWait extends Pick<CrashLoopingPod, 'container' | 'containerKind'> {
  readonly image: string;
  readonly reason: string;
  readonly error: PullError;
}

/** The containers that wait for their images. Empty: there are none, or the pod has run something. */
function imageWaitsOf(pod: unknown): ImageWait[] {
  const [spec, status] = [objectOf(objectOf(pod)['spec']), objectOf(objectOf(pod)['status'])];
  // A user debugs the pod.
  const isDebugged = arrayOf(status['ephemeralContainerStatuses']).length > 0;
  if (status['phase'] !== 'Pending' || isDebugged || !containerStatusesOf(status).every(isUntouched)) return [];
  const waits = [
    ...waitsOf(spec['initContainers'], status['initContainerStatuses'], 'initContainer'),
    ...waitsOf(spec['containers'], status['containerStatuses'], 'container'),
  ];
  const imageWaits = waits.filter((wait) => wait !== undefined);
  return imageWaits.length < waits.length ? [] : imageWaits;
}

function isUntouched({ state, lastState, restartCount, ready, started }: JsonObject): boolean {
  const { running, terminated } = objectOf(state);
  const hasRun = isObject(running) || isObject(terminated) || isObject(objectOf(lastState)['terminated']);
  return !hasRun && (numberOf(restartCount) ?? 0) === 0 && ready !== true && started !== true;
}

/** Undefined: the container waits for something else. */
function waitsOf(
  specs: unknown,
  statuses: unknown,
  kind: 'container' | 'initContainer',
): readonly (ImageWait | undefined)[] {
  return arrayOf(statuses).flatMap((each) => {
    const { name, state } = objectOf(each);
    const waiting = objectOf(objectOf(state)['waiting']);
    if (waitsForOthers.includes(waiting['reason'])) return [];
    const error = pullErrorOf(waiting);
    if (error === undefined) return [undefined];
    const own = objectOf(arrayOf(specs).find((spec) => objectOf(spec)['name'] === name));
    const isSidecar = kind === 'initContainer' && own['restartPolicy'] === 'Always';
    const containerKind = isSidecar ? 'sidecar' : kind;
    const [image = '', reason = ''] = [own['image'], waiting['reason']].map(textOf);
    return [{ container: nameIn(name) ?? '', containerKind, image, reason, error }];
  });
}

/** `registry.images.svc:5000/web:1` is from `registry.images.svc`. Without a host it is from Docker Hub. */
function hostOf(image: string): string {
  const [first = '', ...path] = image.split('/');
  const isHost = path.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  return isHost ? first.replace(/:\d+$/, '') : 'docker.io';
}
