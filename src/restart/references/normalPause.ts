import { arrayOf, type JsonObject, numberOf, objectOf } from '@weeder/kube-runtime/base';

/** What `stallAfter` covers already, as it covers scheduling and the pull of an image: Kubernetes' default. Seconds. */
const defaultGracePeriod = 30;

/**
 * Returns for how much longer than `stallAfter` a healthy rollout of this workload may make no progress, by its spec: a
 * new pod starts and has to stay ready, or an old one terminates. Each of these steps is progress, so the longer of the
 * two counts. Milliseconds.
 */
export function normalPauseOf(spec: JsonObject, template: JsonObject): number {
  const pod = objectOf(template['spec']);
  const start = startUpOf(pod) + secondsIn(spec, 'minReadySeconds', 0);
  const termination = secondsIn(pod, 'terminationGracePeriodSeconds', defaultGracePeriod) - defaultGracePeriod;
  return Math.max(0, start, termination) * 1_000;
}

/** Sidecars start one after the other, and then all containers together. Other init containers have no probes. */
function startUpOf(pod: JsonObject): number {
  const before = budgetsIn(pod['initContainers']).reduce((sum, budget) => sum + budget, 0);
  return before + budgetsIn(pod['containers']).reduce((most, budget) => Math.max(most, budget), 0);
}

function budgetsIn(containers: unknown): number[] {
  return arrayOf(containers).map((container) => budgetOf(objectOf(container)));
}

/** How long a container may take to be ready before a probe gives it up, from its start. */
function budgetOf(container: JsonObject): number {
  const liveness = secondsIn(objectOf(container['livenessProbe']), 'initialDelaySeconds', 0);
  return Math.max(liveness, probeTime(container['startupProbe']) + probeTime(container['readinessProbe']));
}

/** The defaults are those of Kubernetes. */
function probeTime(given: unknown): number {
  if (given === undefined) return 0;
  const probe = objectOf(given);
  const times = Math.max(secondsIn(probe, 'failureThreshold', 3), secondsIn(probe, 'successThreshold', 1));
  return secondsIn(probe, 'initialDelaySeconds', 0) + secondsIn(probe, 'periodSeconds', 10) * times;
}

function secondsIn(object: JsonObject, name: string, otherwise: number): number {
  return Math.max(0, numberOf(object[name]) ?? otherwise);
}
