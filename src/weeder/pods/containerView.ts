import { arrayOf, isObject, type JsonObject, numberOf, objectOf, timeOf } from '@weeder/kube-runtime/base';
import { nameIn } from '@weeder/kube-runtime/objects';

/** One container with its status, as the kubelet reports it. */
export interface ContainerView {
  readonly name: string;
  readonly kind: 'container' | 'initContainer' | 'sidecar';
  readonly state: JsonObject;
  readonly lastState: JsonObject;
  readonly restarts: number;
  /** False: it does not run, or its startup probe has not succeeded. */
  readonly isStarted: boolean;
  readonly spec: JsonObject;
  readonly podPolicy: unknown;
}

/** The init containers and sidecars come first, in the order in which the kubelet starts them. */
export function containersOf(spec: JsonObject, status: JsonObject): ContainerView[] {
  const podPolicy = spec['restartPolicy'] ?? 'Always';
  const view = (specs: unknown, kind: 'container' | 'initContainer') => (containerStatus: unknown) => {
    const { name, state, lastState, restartCount, started } = objectOf(containerStatus);
    const own = objectOf(arrayOf(specs).find((each) => objectOf(each)['name'] === name));
    return {
      name: nameIn(name) ?? '',
      kind: kind === 'initContainer' && own['restartPolicy'] === 'Always' ? ('sidecar' as const) : kind,
      state: objectOf(state),
      lastState: objectOf(lastState),
      restarts: numberOf(restartCount) ?? 0,
      isStarted: started !== false,
      spec: own,
      podPolicy,
    };
  };
  return [
    ...arrayOf(status['initContainerStatuses']).map(view(spec['initContainers'], 'initContainer')),
    ...arrayOf(status['containerStatuses']).map(view(spec['containers'], 'container')),
  ];
}

/** Waiting reasons of a failed start. The kubelet leaves them in place while it delays the next start. */
const failedStarts: readonly unknown[] = ['RunContainerError', 'PostStartHookError'];

/** How the last run ended, if the status says that the next one has not begun. */
function endOf(view: ContainerView): JsonObject | undefined {
  return terminatedOf(failedStarts.includes(waitingReason(view)) ? view.lastState : view.state);
}

export function terminatedOf({ terminated }: JsonObject): JsonObject | undefined {
  return isObject(terminated) ? terminated : undefined;
}

export function hasEnded(view: ContainerView): boolean {
  return endOf(view) !== undefined;
}

export function finishedAtOf(terminated: JsonObject | undefined): number | undefined {
  return timeOf(terminated?.['finishedAt']);
}

export function waitingReason(view: ContainerView): unknown {
  return objectOf(view.state['waiting'])['reason'];
}

/**
 * Whether the kubelet would restart this terminated container: by the container's own rules and policy, or by the
 * pod's.
 */
export function isRestarted(view: ContainerView): boolean {
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
