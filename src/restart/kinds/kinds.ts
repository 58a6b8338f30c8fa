import type { WorkloadKind } from '@weeder/kube-runtime/objects';
import { cronJob } from './cronJob.ts';
import { daemonSet } from './daemonSet.ts';
import { deployment } from './deployment.ts';
import { job } from './job.ts';
import type { Kind } from './kind.ts';
import { statefulSet } from './statefulSet.ts';

export const kinds: Readonly<Record<WorkloadKind, Kind>> = {
  Deployment: deployment,
  StatefulSet: statefulSet,
  DaemonSet: daemonSet,
  CronJob: cronJob,
  Job: job,
};
