import { dnsLabel, dnsSubdomain } from '@weeder/kube-runtime/objects';
import { z } from 'zod';
import { duration } from './durationSchema.ts';
import { maintenanceWindowsFor } from './maintenanceSchema.ts';
import { nameOf, optional, withDefault } from './selectorSchema.ts';

const someNamed = { error: 'this list is empty; give a name, or leave out the key' };

const quietPeriod = duration('fromZero').describe(
  'A workload is restarted when its sources have not changed for this time, so that many changes cause one restart. A Go duration, `0s` for no delay.',
);

const quietMax = duration('fromZero').describe(
  'How long further changes can delay a restart after the first change. At least `quietPeriod`.',
);

const minInterval = duration('fromZero').describe('The shortest time between two restarts of one workload.');

const strategy = z
  .enum(['rollout', 'evict'])
  .describe(
    "`rollout` changes the pod template, and Kubernetes replaces the pods by the workload's own strategy; `evict` evicts one pod after the other through the Eviction API, and does not change the template.",
  );

const imagePullSecrets = z
  .enum(['ignore', 'hash'])
  .describe('Whether a change of a Secret that is only an image pull secret counts: `ignore` or `hash`.');

const immutableRecreated = z
  .enum(['report', 'replace'])
  .describe(
    'What happens if an `immutable` source was recreated: a rolling restart would bring back its old content on nodes where a pod still refers to it. `report` writes an Event and restarts nothing; `replace` terminates all pods of the workload before new ones start, so that the workload is unavailable for that time.',
  );

const jobs = z
  .enum(['report', 'recreate'])
  .describe(
    'What happens to a Job with old content, because its template cannot be changed: `report` writes an Event; `recreate` deletes and recreates a Job that runs with old content, so that it begins again, unless it has ended or belongs to a CronJob or another controller.',
  );

const lateSources = z
  .enum(['ignore', 'evict'])
  .describe(
    'What happens to a pod that has never started, because a ConfigMap or Secret of its volumes was missing, when all that it requires exists: `ignore` leaves it to the kubelet, which may wait up to two minutes; `evict` evicts it once, and its new pod starts at once. Not for Jobs and CronJobs.',
  );

const unstick = z
  .boolean()
  .describe(
    'Whether weeder evicts a pod of a StatefulSet that is broken at an older revision and so blocks the rollout.',
  );

const stallAfter = duration('aboveZero').describe(
  'A rollout that makes no progress for this time has stalled, and no longer delays a newer change. The time that the spec allows for a start or a termination comes on top.',
);

const progressDeadline = duration('aboveZero').describe(
  'How long a rollout may take, for kinds without a progress deadline of their own. At least `stallAfter`.',
);

/** Sources that workloads of other namespaces may use. */
const foreignSources = z
  .strictObject({
    namespace: nameOf(dnsLabel).describe('The namespace of the sources.'),
    kinds: withDefault(z.array(z.enum(['ConfigMap', 'Secret'])).min(1, someNamed), ['ConfigMap', 'Secret']).describe(
      'The kinds of source.',
    ),
    names: optional(z.array(nameOf(dnsSubdomain)).min(1, someNamed)).describe(
      'The names of the sources. Without it, all of them.',
    ),
  })
  .describe('ConfigMaps and Secrets of one namespace.');

const maintenanceWindows = maintenanceWindowsFor(
  'Restarts begin only while one of these maintenance windows is open, and otherwise stay pending. Without any, restarts begin at any time.',
);

const sources = z
  .array(foreignSources)
  .describe(
    'Sources of other namespaces that the workloads may name in `weeder.dev/also-depends-on`, in addition to those that allow it by their annotation `weeder.dev/allow-references-from`.',
  );

/** The settings of a rule for its workloads. */
export const ruleSettings = {
  quietPeriod: optional(quietPeriod),
  quietMax: optional(quietMax),
  minInterval: optional(minInterval),
  strategy: optional(strategy),
  imagePullSecrets: optional(imagePullSecrets),
  immutableRecreated: optional(immutableRecreated),
  jobs: optional(jobs),
  lateSources: optional(lateSources),
  unstick: optional(unstick),
  stallAfter: optional(stallAfter),
  progressDeadline: optional(progressDeadline),
  maintenanceWindows: optional(maintenanceWindows),
  sources: optional(sources),
};

/** The same settings at the top of the section, with their defaults. */
export const defaultSettings = {
  quietPeriod: withDefault(quietPeriod, '5s'),
  quietMax: withDefault(quietMax, '1m0s'),
  minInterval: withDefault(minInterval, '1m0s'),
  strategy: withDefault(strategy, 'rollout'),
  imagePullSecrets: withDefault(imagePullSecrets, 'ignore'),
  immutableRecreated: withDefault(immutableRecreated, 'report'),
  jobs: withDefault(jobs, 'report'),
  lateSources: withDefault(lateSources, 'ignore'),
  unstick: withDefault(unstick, false),
  stallAfter: withDefault(stallAfter, '1m0s'),
  progressDeadline: withDefault(progressDeadline, '10m0s'),
  maintenanceWindows: withDefault(maintenanceWindows, []),
  sources: withDefault(sources, []),
};
