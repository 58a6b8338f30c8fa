import { isWorkloadKind, type WorkloadKind, workloadKindNames } from '@weeder/kube-runtime/objects';
import type { OtherKind } from '../../config/restart.ts';
import { cloneSet } from './cloneSet.ts';
import { cronJob } from './cronJob.ts';
import { daemonSet } from './daemonSet.ts';
import { deployment } from './deployment.ts';
import { job } from './job.ts';
import type { Kind, RestartTimes } from './kind.ts';
import { rollout, restartTimes as timesOfRollouts } from './rollout.ts';
import { standard } from './standard.ts';
import { statefulSet } from './statefulSet.ts';

export const kinds: Readonly<Record<WorkloadKind, Kind>> = {
  Deployment: deployment,
  StatefulSet: statefulSet,
  DaemonSet: daemonSet,
  CronJob: cronJob,
  Job: job,
};

/** The kinds of other groups that differ from `standard`. */
const readyMade: ReadonlyMap<string, Kind> = new Map([
  ['Rollout.argoproj.io', rollout],
  ['CloneSet.apps.kruise.io', cloneSet],
]);

/** `others`: the kinds that the config names. Undefined: the config does not name the kind. */
export function kindNamed(name: string, others: readonly OtherKind[]): Kind | undefined {
  if (isWorkloadKind(name)) return kinds[name];
  const other = others.find((each) => each.name === name);
  if (other === undefined) return undefined;
  const base = readyMade.get(name) ?? standard;
  const restartTimes = timesOf(other, base);
  return {
    ...base,
    templatePath: other.templatePath?.split('.') ?? base.templatePath,
    // A change of the template is a change of the Deployment, which then is the one to restart.
    templateReference: restartTimes && base.templateReference,
    restartTimes,
  };
}

/** The kinds whose template may count for a workload that names it. */
export const sharingKinds: readonly string[] = workloadKindNames.filter((name) => kinds[name].sharesTemplate);

/** The kinds that the config names whose template may be that of another workload. */
export function referringKinds(others: readonly OtherKind[]): readonly string[] {
  return others.flatMap(({ name }) => (kindNamed(name, others)?.templateReference === undefined ? [] : name));
}

/** Whether a restart reaches the pods of later runs only. */
export function isForNextRun(name: string): boolean {
  return isWorkloadKind(name) && kinds[name].restart === 'nextRun';
}

/** Whether a restart recreates it, so that it has no rollout. */
export function isReplaced(name: string): boolean {
  return isWorkloadKind(name) && kinds[name].restart === 'recreation';
}

function timesOf({ restartBy, restartField, restartedField }: OtherKind, base: Kind): RestartTimes | undefined {
  const { requested, ended } = base.restartTimes ?? timesOfRollouts;
  if (restartBy === 'template' || (restartBy === undefined && base.restartTimes === undefined)) return undefined;
  return { requested: restartField?.split('.') ?? requested, ended: restartedField?.split('.') ?? ended };
}
