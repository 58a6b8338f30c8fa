import { type ApiServer, isPodReady, isTerminating, type KubeObject, timestamp } from '@weeder/embedded-cluster';
import { deployments, pods, replicaSets } from '@weeder/embedded-cluster/resources';
import type { TimerHandle } from '@weeder/kube-runtime/base';
import { arrayOf, type JsonObject, numberOf, objectOf, textOf } from '@weeder/kube-runtime/base';
import type { VirtualClock } from '@weeder/kube-runtime/testing';
import { made } from '../world/embedded.ts';

interface SimulatedPodsOptions {
  readonly store: ApiServer['store'];
  readonly clock: VirtualClock;
  /**
   * Milliseconds until pods are there and ready, and until deleted ones have terminated; Infinity: not before the next
   * change of their Deployment. The first pods of a Deployment are there at once.
   */
  readonly time: () => number;
  /** Called with the name of a Deployment when pods of it have been created. */
  readonly onCreated: (deployment: string) => void;
}

const controller = { manager: 'kube-controller-manager' };
const kubelet = { manager: 'kubelet', subresource: 'status' } as const;

export type SimulatedPods = ReturnType<typeof simulatedPods>;

/**
 * In place of the ReplicaSet controller and the kubelet: a test chooses when the pods of a ReplicaSet are created, and
 * they are ready at once. The real ones create a pod at the beginning of a rollout, so that no test could change a
 * source between the beginning of a rollout and the creation of its last pod.
 */
export function simulatedPods({ store, clock, time, onCreated }: SimulatedPodsOptions) {
  /** By the uid of a ReplicaSet whose pods are not all ready, or of a terminating pod. */
  const timers = new Map<string, TimerHandle>();
  /** ReplicaSets whose pods wait for a change, by uid. */
  const stuck = new Map<string, KubeObject>();
  /** Why the containers of the pods to create next wait, by Deployment. */
  const waiting = new Map<string, string>();
  const created = new Map<string, number>();

  function arm(uid: string, act: () => void): void {
    if (!timers.has(uid) && Number.isFinite(time())) timers.set(uid, clock.setTimeout(act, time()));
  }

  function disarm(uid: string): void {
    clock.clearTimeout(timers.get(uid));
    timers.delete(uid);
    stuck.delete(uid);
  }

  function sync({ metadata: { uid, name, namespace = '' } }: KubeObject, isDue = false): void {
    const set = store.get(replicaSets, namespace, name);
    if (isDue || set?.metadata.uid !== uid) disarm(uid);
    if (set?.metadata.uid === uid) reconcile(set, isDue);
  }

  /** `isDue`: its pods have to be there and ready now. */
  function reconcile(set: KubeObject, isDue: boolean): void {
    const { uid } = set.metadata;
    const { wanted, there, ready } = countsOf(set);
    const reason = wanted > there ? waiting.get(controllerOf(set).name) : undefined;
    if (there > wanted) remove(set, there - wanted);
    else if (ready === wanted) disarm(uid);
    else if (isDue || reason !== undefined || isNew(set)) complete(set, wanted - there, reason);
    else {
      stuck.set(uid, set);
      arm(uid, () => sync(set, true));
    }
  }

  function remove(set: KubeObject, count: number): void {
    for (const { metadata } of podsOf(set).slice(-count)) store.delete(pods, metadata.namespace ?? '', metadata.name);
    report(set);
  }

  /** `reason`: why the containers of the missing pods will wait. */
  function complete(set: KubeObject, count: number, reason?: string): void {
    const { name } = controllerOf(set);
    for (const pod of podsOf(set)) if (!isPodReady(pod)) write(pod, running());
    if (reason !== undefined) waiting.delete(name);
    for (let nr = 0; nr < count; nr += 1) {
      created.set(name, (created.get(name) ?? 0) + 1);
      const pod = made(store.create(pods, podOf(set, `${name}-${created.get(name)}`), controller));
      if (reason === undefined) write(pod, running());
      else write(pod, { waiting: { reason } }, false);
    }
    report(set);
    onCreated(name);
  }

  function running(): JsonObject {
    return { running: { startedAt: timestamp(clock.now()) } };
  }

  /** Writes the status of a pod whose containers have this state. */
  function write(pod: KubeObject, state: JsonObject, ready = true, restartCount = 0): void {
    const { name, namespace = '' } = pod.metadata;
    const containerStatuses = arrayOf(objectOf(pod['spec'])['containers']).map((container) => {
      const containerFields = { name: objectOf(container)['name'], image: objectOf(container)['image'], imageID: '' };
      return { ...containerFields, ready, started: ready, restartCount, lastState: {}, state };
    });
    const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
    const status = { phase: ready ? 'Running' : 'Pending', containerStatuses, conditions };
    made(store.patch(pods, namespace, name, { status }, kubelet));
  }

  /** Those that are not terminating. */
  function podsOf(set: KubeObject): readonly KubeObject[] {
    return store.ownedBy(pods, set).filter((pod) => !isTerminating(pod));
  }

  function setsOf(deployment: string): readonly KubeObject[] {
    return store.list(replicaSets).filter((set) => controllerOf(set).name === deployment);
  }

  function report(set: KubeObject): void {
    const { name, namespace = '', generation } = set.metadata;
    const ready = podsOf(set).filter(isPodReady).length;
    const counts = { replicas: podsOf(set).length, readyReplicas: ready, availableReplicas: ready };
    const status = { ...counts, observedGeneration: generation };
    made(store.patch(replicaSets, namespace, name, { status }, { ...controller, subresource: 'status' }));
  }

  store.watch(replicaSets, {}, (_, set) => sync(set));
  store.watch(deployments, {}, (_, { metadata }) => {
    for (const set of stuck.values()) if (controllerOf(set).uid === metadata.uid) sync(set);
  });
  store.watch(pods, {}, (type, pod) => {
    const { uid, name, namespace = '' } = pod.metadata;
    if (type === 'DELETED') disarm(uid);
    else if (isTerminating(pod))
      arm(uid, () => void store.delete(pods, namespace, name, { uid, gracePeriodSeconds: 0 }));
    const set = isTerminating(pod) ? store.get(replicaSets, namespace, controllerOf(pod).name) : undefined;
    if (set !== undefined) report(set);
  });
  const simulated = {
    /** The pods that this Deployment lacks, or will lack next, are created at once, and their containers wait. */
    createPod(deployment: string, reason = 'ContainerCreating') {
      waiting.set(deployment, reason);
      for (const set of setsOf(deployment)) sync(set);
    },
    /** As `createPod`, but the image of their containers cannot be pulled. */
    breakPods: (deployment: string) => simulated.createPod(deployment, 'ImagePullBackOff'),
    /** The containers of these pods run; the pods are not ready yet. */
    startPod(deployment: string) {
      for (const pod of setsOf(deployment).flatMap(podsOf)) if (!isPodReady(pod)) write(pod, running(), false);
    },
    /** Every container of a Deployment terminates, and is restarted in its pod. */
    crash(deployment: string) {
      for (const pod of setsOf(deployment).flatMap(podsOf)) {
        const [before] = arrayOf(objectOf(pod['status'])['containerStatuses']);
        write(pod, running(), isPodReady(pod), (numberOf(objectOf(before)['restartCount']) ?? 0) + 1);
      }
    },
  };
  return simulated;
}

function controllerOf({ metadata }: KubeObject): { readonly name: string; readonly uid: unknown } {
  const owner = metadata.ownerReferences?.find((each) => each['controller'] === true);
  return { name: textOf(owner?.['name']) ?? '', uid: owner?.['uid'] };
}

function countsOf({ spec, status }: KubeObject) {
  const { replicas, readyReplicas } = objectOf(status);
  const wanted = numberOf(objectOf(spec)['replicas']) ?? 1;
  return { wanted, there: numberOf(replicas) ?? 0, ready: numberOf(readyReplicas) ?? 0 };
}

/** Whether it is the first of its Deployment, and never had a pod. */
function isNew({ metadata, status }: KubeObject): boolean {
  const isFirst = metadata.annotations?.['deployment.kubernetes.io/revision'] === '1';
  return isFirst && objectOf(status)['observedGeneration'] === undefined;
}

function podOf(
  { kind, apiVersion, metadata: { name: set, namespace, uid }, spec }: KubeObject,
  name: string,
): JsonObject {
  const template = objectOf(objectOf(spec)['template']);
  const owner = { apiVersion, kind, name: set, uid, controller: true };
  const metadata = { ...objectOf(template['metadata']), name, namespace, ownerReferences: [owner] };
  return { metadata, spec: { nodeName: 'node-1', ...objectOf(template['spec']) } };
}
