/** Kubernetes objects for tests, as the API serves them. Times are epoch milliseconds. */

export interface ContainerState {
  readonly name?: string;
  readonly restarts?: number;
  readonly state: object;
  readonly lastState?: object;
  /** Default: the status does not have it. */
  readonly started?: boolean;
  /** Further fields of its spec. */
  readonly spec?: object;
}

export interface PodOptions {
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly isBare?: boolean;
  /** Its controller; default a ReplicaSet. */
  readonly owner?: { readonly uid: string; readonly kind: string; readonly name?: string };
  /** When it was created; default: the pod has no creation time. */
  readonly created?: number;
  readonly gracePeriodSeconds?: number;
  readonly phase?: string;
  readonly restartPolicy?: string;
  readonly deletionTimestamp?: string;
  /** The statuses of its conditions, or all their fields, by type. */
  readonly conditions?: Readonly<Record<string, string | object>>;
  readonly containers?: readonly ContainerState[];
  readonly initContainers?: readonly ContainerState[];
}

let version = 1000;

/** Returns a resourceVersion that is newer than every earlier one. */
function nextVersion(): string {
  version += 1;
  return String(version);
}

export function pod(options: PodOptions = {}) {
  const { namespace = 'shoot-1', name = 'kapi-0', containers = [running()], initContainers = [] } = options;
  const controller = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'kapi',
    uid: 'rs-1',
    ...options.owner,
    controller: true,
  };
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name,
      namespace,
      uid: options.uid ?? `uid-of-${namespace}-${name}`,
      resourceVersion: nextVersion(),
      ...(options.created === undefined ? {} : { creationTimestamp: wholeSecond(options.created) }),
      ...(options.deletionTimestamp === undefined ? {} : { deletionTimestamp: options.deletionTimestamp }),
      labels: options.labels ?? { role: 'apiserver' },
      annotations: options.annotations ?? {},
      ownerReferences: options.isBare === true ? [] : [controller],
    },
    spec: {
      restartPolicy: options.restartPolicy ?? 'Always',
      ...(options.gracePeriodSeconds === undefined
        ? {}
        : { terminationGracePeriodSeconds: options.gracePeriodSeconds }),
      containers: containers.map((each, index) => ({ name: each.name ?? `main-${index}`, ...each.spec })),
      initContainers: initContainers.map((each, index) => ({ name: each.name ?? `init-${index}`, ...each.spec })),
    },
    status: {
      phase: options.phase ?? 'Running',
      conditions: Object.entries(options.conditions ?? {}).map(([type, condition]) => ({
        type,
        ...(typeof condition === 'string' ? { status: condition } : condition),
      })),
      containerStatuses: containers.map((each, index) => statusOf(each, `main-${index}`)),
      initContainerStatuses: initContainers.map((each, index) => statusOf(each, `init-${index}`)),
    },
  };
}

function wholeSecond(time: number): string {
  return new Date(Math.floor(time / 1000) * 1000).toISOString();
}

function statusOf({ name, restarts = 0, state, lastState, started }: ContainerState, defaultName: string) {
  const last = lastState === undefined ? {} : { lastState };
  return {
    name: name ?? defaultName,
    restartCount: restarts,
    state,
    ...last,
    ...(started === undefined ? {} : { started }),
  };
}

export function running(restarts = 0): ContainerState {
  return { restarts, state: { running: { startedAt: '2026-01-01T00:00:00Z' } } };
}

export function backOff(restarts = 3, message = 'back-off 40s restarting failed container'): ContainerState {
  return { restarts, state: { waiting: { reason: 'CrashLoopBackOff', message } } };
}

/** Its registry, `registry` in the namespace `images`, did not answer. */
export const refused = 'dial tcp 10.96.0.12:5000: connect: connection refused';

/** A container whose image cannot be pulled, as kubelets from 1.32 on report it. */
export function notPulled({
  reason = 'ImagePullBackOff',
  error = refused,
  image = 'registry.images.svc:5000/web:1',
}: {
  readonly reason?: 'ErrImagePull' | 'ImagePullBackOff';
  /** Empty: the kubelet does not say why. */
  readonly error?: string | undefined;
  readonly image?: string;
} = {}): ContainerState {
  const cause = `failed to do request: Head "https://${image.split('/')[0]}/v2/web/manifests/1": ${error}`;
  const backedOff = `Back-off pulling image "${image}"${error === '' ? '' : `: ErrImagePull: ${cause}`}`;
  return { state: { waiting: { reason, message: reason === 'ErrImagePull' ? cause : backedOff } }, spec: { image } };
}

export function terminated(finishedAt: number, restarts = 3, exitCode = 1): ContainerState {
  const finished = new Date(finishedAt).toISOString();
  return { restarts, state: { terminated: { exitCode, reason: 'Error', finishedAt: finished } } };
}

export interface SliceOptions {
  readonly namespace?: string;
  readonly service?: string;
  readonly name?: string;
  /** One endpoint each; null: the condition is not set. */
  readonly ready?: readonly (boolean | null)[];
  /** Adds references to the backing pods `<service>-0`, … */
  readonly withTargets?: boolean;
  /** When the service's endpoints were last written. */
  readonly written?: number;
}

export function slice(options: SliceOptions = {}) {
  const { namespace = 'shoot-1', service = 'etcd-main-client', ready = [true] } = options;
  const target = (index: number) => ({ targetRef: { kind: 'Pod', namespace, name: `${service}-${index}` } });
  return {
    kind: 'EndpointSlice',
    apiVersion: 'discovery.k8s.io/v1',
    metadata: {
      name: options.name ?? `${service}-abcde`,
      namespace,
      uid: `slice-${service}`,
      resourceVersion: nextVersion(),
      labels: { 'kubernetes.io/service-name': service },
      ...(options.written === undefined
        ? {}
        : { managedFields: [{ manager: 'kube-controller-manager', time: new Date(options.written).toISOString() }] }),
    },
    addressType: 'IPv4',
    endpoints: ready.map((isReady, index) => ({
      addresses: [`10.0.0.${index + 1}`],
      conditions: isReady === null ? {} : { ready: isReady },
      ...(options.withTargets === true ? target(index) : {}),
    })),
  };
}
