/**
 * Which containers of a pod the kubelet may start next, by the rules of its `computePodActions`. After a reboot or a lost
 * sandbox it begins again with the first init container, while the statuses of the others still report how they ended
 * in the sandbox before.
 */

import { arrayOf, isObject, type JsonObject, objectOf, timeOf } from '@weeder/kube-runtime/base';
import type { ContainerView } from './containerView.ts';

/** A container that nothing before it keeps from its start. */
export interface Startable {
  readonly view: ContainerView;
  /** When the last step before it was done, at the earliest: epoch milliseconds by the node's clock; 0: unknown. */
  readonly since: number;
  /** A step before it ended at a time that the status does not have: the startup probe of a sidecar succeeded. */
  readonly isVague: boolean;
}

/**
 * Kubelets before 1.36 report a new sandbox after they have started the first container in it. What began even earlier
 * is of another sandbox: the kubelet reports that until the container begins again, such as while its image is pulled.
 */
const latestReport = 10_000;

/** What the next container waits for was done. */
interface Step extends Pick<Startable, 'since' | 'isVague'> {
  /** What began earlier ran in another sandbox. */
  readonly from: number;
}

/** `views`: the init containers and sidecars come first, in the order of their starts. */
export function startable(views: readonly ContainerView[], status: JsonObject): readonly Startable[] {
  const sandbox = arrayOf(status['conditions'])
    .map(objectOf)
    .find(({ type }) => type === 'PodReadyToStartContainers');
  if (sandbox?.['status'] === 'False') return [];
  const readySince = timeOf(sandbox?.['lastTransitionTime']) ?? 0;
  // The kubelet starts no container before the init containers have succeeded: one that runs needs none of them again.
  if (views.some(({ kind, state }) => kind === 'container' && isObject(state['running'])))
    return views
      .filter(({ kind }) => kind !== 'initContainer')
      .map((view) => ({ view, since: readySince, isVague: false }));
  const found: Startable[] = [];
  let step: Step | undefined = { from: readySince - latestReport, since: readySince, isVague: false };
  for (const view of views) {
    if (step === undefined) break;
    found.push({ view, since: step.since, isVague: step.isVague });
    if (view.kind !== 'container') step = stepAfter(view, step);
  }
  return found;
}

/** Undefined: the kubelet starts nothing behind this container yet. */
function stepAfter({ kind, state, isStarted, spec }: ContainerView, { from, since, isVague }: Step): Step | undefined {
  const { running, terminated } = state;
  const { startedAt, finishedAt, exitCode } = objectOf(kind === 'sidecar' ? running : terminated);
  const began = timeOf(startedAt) ?? from;
  if (began < from) return undefined;
  if (kind === 'sidecar') {
    if (!isObject(running) || !isStarted) return undefined;
    return { from, since: Math.max(since, began), isVague: isVague || isObject(spec['startupProbe']) };
  }
  const ended = timeOf(finishedAt) ?? from;
  return exitCode === 0 ? { from: Math.max(from, ended), since: Math.max(since, ended), isVague } : undefined;
}
