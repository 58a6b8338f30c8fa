import { parseDuration } from '@weeder/kube-runtime/base';
import { z } from 'zod';
import { configFile, keysAt as configKeysAt } from '../../../src/config/schema/schema.ts';
import { replayApplication, replayEdit, replayKind, replayRefusal } from './replayObserverFormat.ts';
import {
  replaySource,
  replayWorkload,
  restartRequestKinds,
  rolloutTime,
  sourceDeleted,
} from './replayRestartFormat.ts';

/** A Go duration as milliseconds; `before` lets it lie before the start. */
function duration(before: 'never' | 'allowed' = 'never') {
  return z.string().transform((text, context) => {
    const read = parseDuration(text);
    if (read.ok && (read.value >= 0 || before === 'allowed')) return read.value;
    const message = read.ok ? `found ${text}, a time before the start` : read.error;
    context.issues.push({ code: 'custom', input: text, message });
    return z.NEVER;
  });
}

const container = z.strictObject({
  name: z.string().optional(),
  is: z.enum(['running', 'CrashLoopBackOff', 'terminated', 'waiting', 'ErrImagePull', 'ImagePullBackOff']),
  /** Why its image, which is of the service `registry` in `images`, cannot be pulled. */
  error: z.string().optional(),
  restarts: z.int().optional(),
  exitCode: z.int().optional(),
  finishedAt: duration('allowed').optional(),
  restartPolicy: z.enum(['Always', 'OnFailure', 'Never']).optional(),
});

const pod = z.strictObject({
  ...container.omit({ restartPolicy: true }).partial().shape,
  name: z.string(),
  namespace: z.string().default('shoot-1'),
  labels: z.record(z.string(), z.string()).default({ role: 'apiserver' }),
  containers: z.array(container).optional(),
  initContainers: z.array(container).default([]),
  restartPolicy: z.enum(['Always', 'OnFailure', 'Never']).default('Always'),
  phase: z.string().optional(),
  uid: z.string().optional(),
  bare: z.boolean().default(false),
  mirror: z.boolean().default(false),
  ignore: z.boolean().default(false),
  deleting: z.boolean().default(false),
  /** The uid of its controller, and its kind; default a ReplicaSet. */
  owner: z.string().default('rs-1'),
  ownerKind: z.string().default('ReplicaSet'),
  /** When it was created; default: unknown. */
  created: duration('allowed').optional(),
  gracePeriodSeconds: z.int().optional(),
  readySince: duration('allowed').optional(),
  unseen: z.boolean().default(false),
});

const slice = z.strictObject({
  service: z.string().default('etcd-main-client'),
  namespace: z.string().default('shoot-1'),
  name: z.string().optional(),
  ready: z.array(z.union([z.boolean(), z.literal('unset')])),
  family: z.enum(['IPv4', 'IPv6']).default('IPv4'),
  backed: z.boolean().default(false),
  written: duration('allowed').optional(),
});

const deleted = z.strictObject({ name: z.string(), namespace: z.string().default('shoot-1') });

const refusedPod = z.strictObject({
  name: z.string(),
  namespace: z.string().default('shop'),
  kind: z.string().default('ReplicaSet'),
  message: z.string(),
});

const answer = z.strictObject({
  to: z.enum(['deletions', ...restartRequestKinds]).default('deletions'),
  status: z.union([z.int(), z.literal('network')]),
  times: z.union([z.int(), z.literal('always')]).default(1),
  retryAfter: z.int().optional(),
  takes: duration().default(0),
});

const expectation = z.strictObject({
  endpoints: z.record(z.string(), z.string()).default({}),
  pods: z.record(z.string(), z.string()).default({}),
  workloads: z.record(z.string(), z.string()).default({}),
  rollouts: z.record(z.string(), z.int()).default({}),
  /** By `namespace/name`, and by that and the resource: `shop/web ConfigMap/settings`. */
  applications: z.record(z.string(), z.string()).default({}),
  resources: z.record(z.string(), z.string()).default({}),
  /** By `ConfigMap/settings`: a part of it; null: it does not exist. */
  objects: z.record(z.string(), z.record(z.string(), z.unknown()).nullable()).default({}),
  counts: z
    .strictObject({
      endpoints: z.int().optional(),
      windows: z.int().optional(),
      podDeletions: z.int().optional(),
      crashLoopingPods: z.int().optional(),
      queued: z.int().optional(),
      inFlight: z.int().optional(),
    })
    .default({}),
});

const stream = z.enum(['pods', 'slices']);

const actions = {
  slice: slice.optional(),
  sliceDeleted: deleted.optional(),
  pod: pod.optional(),
  podDeleted: deleted.optional(),
  failedCreate: refusedPod.optional(),
  source: replaySource.optional(),
  sourceDeleted: sourceDeleted.optional(),
  workload: replayWorkload.optional(),
  workloadDeleted: z.string().optional(),
  rollouts: rolloutTime.optional(),
  podBroken: z.string().optional(),
  undo: z.string().optional(),
  restoreTemplate: z.string().optional(),
  application: replayApplication.optional(),
  applicationDeleted: z.string().optional(),
  edit: replayEdit.optional(),
  object: z.record(z.string(), z.unknown()).optional(),
  objectDeleted: z.string().optional(),
  namespaceEnds: z.string().optional(),
  refuse: replayRefusal.optional(),
  kind: replayKind.optional(),
  requests: duration().optional(),
  watchEvents: z.boolean().optional(),
  gap: stream.optional(),
  relist: stream.optional(),
  answer: answer.optional(),
  readings: duration().optional(),
  clock: duration('allowed').optional(),
  sleep: duration().optional(),
  weeder: z.enum(['stops', 'starts']).optional(),
  config: configFile.optional(),
  crash: z.enum(['readySince', 'readLog', 'deletePod', 'podWatch']).optional(),
  expect: expectation.optional(),
};

const oneAction = 'a step says one thing that happens (beside its time)';

const step = z
  .strictObject({ at: duration(), ...actions })
  .refine((value) => Object.keys(value).length === 2, { error: oneAction });

const before = z.strictObject({
  slice: actions.slice,
  pod: actions.pod,
  source: actions.source,
  workload: actions.workload,
  application: actions.application,
  object: actions.object,
  kind: actions.kind,
  requests: actions.requests,
});

const line = z.string().transform((text, context) => {
  const [, time = '', sentence = ''] = /^(\S+)\s+(\S.*)$/.exec(text) ?? [];
  const read = parseDuration(time);
  if (read.ok && sentence !== '') return { at: read.value, sentence };
  context.issues.push({
    code: 'custom',
    input: text,
    message: `must begin with a time: ${read.ok ? '' : read.error}`,
  });
  return z.NEVER;
});

/** The format of a replay file (docs/development/replays.md). Times become milliseconds since the start. */
export const replayFormat = z.strictObject({
  title: z.string(),
  config: configFile,
  dryRun: z.boolean().default(false),
  concurrentDeletions: z.int().default(32),
  /** The services that pods declare, as `namespace/name`, if the config has a section for them. */
  declared: z.array(z.string()).default([]),
  /** The services that each webhook calls, as `namespace/name`, if the config has `podCreation`. */
  webhooks: z.record(z.string(), z.array(z.string())).default({}),
  before: z.array(before).default([]),
  recordings: z.array(z.string()).default([]),
  steps: z.array(step).default([]),
  lasts: duration().optional(),
  expected: z.array(line),
});

/** The content of a valid replay file. */
export type ReplayScript = z.output<typeof replayFormat>;
export type ReplayStep = ReplayScript['steps'][number];
export type PodStep = z.output<typeof pod>;
export type ContainerStep = z.output<typeof container>;
export type SliceStep = z.output<typeof slice>;
export type AnswerStep = z.output<typeof answer>;
export type Expectation = z.output<typeof expectation>;

const shapes: Readonly<Record<string, z.ZodObject>> = {
  slice,
  pod,
  answer,
  expect: expectation,
  sliceDeleted: deleted,
  podDeleted: deleted,
  failedCreate: refusedPod,
  source: replaySource,
  sourceDeleted,
  workload: replayWorkload,
  application: replayApplication,
  edit: replayEdit,
  refuse: replayRefusal,
  kind: replayKind,
  containers: container,
  initContainers: container,
  before,
  counts: expectation.shape.counts.unwrap(),
};

/** The keys that the mapping at a path may have, for "unknown key, allowed are …". */
export function replayKeysAt(path: readonly PropertyKey[]): readonly string[] {
  if (path.length === 0) return Object.keys(replayFormat.shape);
  const config = path.indexOf('config');
  if (config >= 0) return configKeysAt(path.slice(config + 1));
  const name = path.findLast((part) => typeof part === 'string') ?? '';
  return Object.keys(shapes[name]?.shape ?? { at: true, ...actions });
}
