import { createHmac } from 'node:crypto';
import { arrayOf, type JsonObject, objectOf, textOf } from '../../base/json.ts';
import { changeCauseMark } from '../../controller/restartMarks.ts';
import type { WorkloadKind } from '../../kube/objects/workloadKinds.ts';
import { alsoDependsOn } from '../../restart/model/annotations.ts';
import { podTemplateOf, templateAnnotation, templateHashOf } from '../../restart/model/podTemplate.ts';
import { noNode, workloadAnnotations } from '../../restart/model/workloadSummary.ts';
import { copyAnnotation } from '../../restart/requests/jobCopy.ts';
import { pick } from '../file/pick.ts';

/** Reduces a workload to what is recorded of it. */
export type ReduceWorkload = (object: unknown, kind: WorkloadKind) => object;

const readAnnotations = [
  workloadAnnotations.state,
  workloadAnnotations.optIn,
  workloadAnnotations.pausedUntil,
  alsoDependsOn,
  'deprecated.daemonset.template.generation',
  copyAnnotation,
  workloadAnnotations.emptied,
];
const readSpec = [
  'selector',
  'paused',
  'replicas',
  'parallelism',
  'revisionHistoryLimit',
  'managedBy',
  'persistentVolumeClaimRetentionPolicy',
];
const readStatus = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'availableReplicas',
  'currentRevision',
  'updateRevision',
  'currentNumberScheduled',
  'updatedNumberScheduled',
  'numberAvailable',
  'desiredNumberScheduled',
];

/**
 * Retains only the fields that `readWorkload` and `usesOf` read, in their places: no images, arguments or values of
 * variables, and no foreign annotations. A mark changes with every other change of the template. It is salted with a
 * number that is in no recording, so that a reader cannot guess and verify the content of the template.
 */
export function createWorkloadReducer(salt: Buffer): ReduceWorkload {
  return (object, kind) => {
    const { apiVersion, kind: itsKind, metadata, spec: givenSpec, status } = objectOf(object);
    const spec = objectOf(givenSpec);
    const template = podTemplateOf(object, kind);
    const mark = createHmac('sha256', salt).update(templateHashOf(template)).digest('base64url').slice(0, 12);
    const reduced = reduceTemplate(template, mark);
    return {
      ...pick({ apiVersion, kind: itsKind }, ['apiVersion', 'kind']),
      metadata: reduceMetadata(objectOf(metadata)),
      spec: {
        ...pick(spec, readSpec),
        ...reduceStrategy(spec),
        ...(kind === 'CronJob' ? { jobTemplate: { spec: { template: reduced } } } : { template: reduced }),
      },
      status: reduceStatus(objectOf(status)),
    };
  };
}

/** Retains only whether there is a change cause, and whether it is weeder's: a user's may be a whole command line. */
function reduceMetadata(meta: JsonObject): object {
  const annotations = objectOf(meta['annotations']);
  const cause = textOf(annotations[workloadAnnotations.changeCause]);
  const isOurs = cause?.startsWith(changeCauseMark) === true;
  const controllers = arrayOf(meta['ownerReferences'])
    .map(objectOf)
    .filter(({ controller }) => controller === true);
  return {
    ...(controllers.length === 0
      ? {}
      : { ownerReferences: controllers.map((each) => pick(each, ['kind', 'name', 'controller'])) }),
    ...pick(meta, ['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'deletionTimestamp', 'labels']),
    annotations: {
      ...pick(annotations, readAnnotations),
      ...(cause === undefined ? {} : { [workloadAnnotations.changeCause]: isOurs ? changeCauseMark : 'theirs' }),
    },
  };
}

function reduceStrategy(spec: JsonObject): JsonObject {
  return Object.fromEntries(
    ['strategy', 'updateStrategy'].flatMap((name) => {
      if (spec[name] === undefined) return [];
      const { type, rollingUpdate } = objectOf(spec[name]);
      const partition = pick(objectOf(rollingUpdate), ['partition']);
      return [[name, { ...pick({ type }, ['type']), rollingUpdate: partition }]];
    }),
  );
}

function reduceStatus(status: JsonObject): object {
  const conditions = arrayOf(status['conditions']).map((each) => pick(objectOf(each), ['type', 'status', 'reason']));
  return { ...pick(status, readStatus), conditions };
}

function reduceTemplate(template: JsonObject, mark: string): object {
  const spec = objectOf(template['spec']);
  const annotations = objectOf(objectOf(template['metadata'])['annotations']);
  return {
    mark,
    metadata: { annotations: pick(annotations, [templateAnnotation]) },
    spec: {
      containers: arrayOf(spec['containers']).map(reduceContainer),
      initContainers: arrayOf(spec['initContainers']).map(reduceContainer),
      volumes: arrayOf(spec['volumes']).map(reduceVolume),
      ...(objectOf(spec['nodeSelector'])[noNode] === undefined ? {} : { nodeSelector: { [noNode]: 'true' } }),
      imagePullSecrets: arrayOf(spec['imagePullSecrets']).map((each) => pick(objectOf(each), ['name'])),
    },
  };
}

const reference = ['name', 'key', 'optional'];

function reduceContainer(container: unknown): object {
  const { name, env, envFrom, volumeMounts } = objectOf(container);
  return {
    ...pick({ name }, ['name']),
    env: arrayOf(env).flatMap((variable) => {
      const valueFrom = references(objectOf(objectOf(variable)['valueFrom']), ['configMapKeyRef', 'secretKeyRef']);
      return Object.keys(valueFrom).length === 0 ? [] : [{ valueFrom }];
    }),
    envFrom: arrayOf(envFrom).map((each) => references(objectOf(each), ['configMapRef', 'secretRef'])),
    volumeMounts: arrayOf(volumeMounts).map((mount) => pick(objectOf(mount), ['name'])),
  };
}

function references(object: JsonObject, names: readonly string[]): JsonObject {
  const found = names.filter((name) => object[name] !== undefined);
  return Object.fromEntries(found.map((name) => [name, pick(objectOf(object[name]), reference)]));
}

function reduceVolume(volume: unknown): object {
  const { name, projected, ...sources } = objectOf(volume);
  return {
    ...pick({ name }, ['name']),
    ...reduceVolumeSources(sources),
    ...(projected === undefined
      ? {}
      : { projected: { sources: arrayOf(objectOf(projected)['sources']).map(objectOf).map(reduceVolumeSources) } }),
  };
}

function reduceVolumeSources(sources: JsonObject): JsonObject {
  const found = ['configMap', 'secret'].filter((kind) => sources[kind] !== undefined);
  return Object.fromEntries(
    found.map((kind) => {
      const source = objectOf(sources[kind]);
      const items = arrayOf(source['items']).map((item) => pick(objectOf(item), ['key']));
      return [kind, { ...pick(source, ['name', 'secretName', 'optional']), items }];
    }),
  );
}
