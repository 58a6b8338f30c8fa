import { createHmac } from 'node:crypto';
import { type JsonObject, objectOf, textOf, timeOf } from '@weeder/kube-runtime/base';
import { mergePatch } from '@weeder/kube-runtime/objects';
import type { OtherKind } from '../../config/restart.ts';
import { changeCauseMark } from '../../controller/restartMarks.ts';
import { only, reduceTo, type Shape, texts } from '../../recording/file/shape.ts';
import { noNode } from '../kinds/daemonSet.ts';
import { at, below } from '../kinds/kind.ts';
import { kindNamed } from '../kinds/kinds.ts';
import { alsoDependsOn } from '../references/annotations.ts';
import { podTemplateOf, templateAnnotation, templateHashOf } from '../references/podTemplate.ts';
import { workloadAnnotations } from '../references/workloadSummary.ts';
import { copyAnnotation } from '../requests/jobCopy.ts';

/** Reduces a workload to what is recorded of it. */
export type ReduceWorkload = (object: unknown, kind: string) => object;

const { state, optIn, pausedUntil, emptied, changeCause } = workloadAnnotations;
const strategy: Shape = { ...only('type', 'partition', 'paused'), rollingUpdate: only('partition') };

const workload: Shape = {
  ...only('apiVersion', 'kind'),
  metadata: {
    ...only('name', 'namespace', 'uid', 'resourceVersion', 'generation', 'deletionTimestamp', 'labels'),
    ownerReferences: { ...texts('kind', 'name', 'uid'), ...only('controller') },
    annotations: {
      ...only(state, optIn, pausedUntil, emptied, alsoDependsOn, copyAnnotation),
      ...only('deprecated.daemonset.template.generation'),
    },
  },
  spec: {
    ...only('selector', 'paused', 'replicas', 'parallelism', 'revisionHistoryLimit'),
    ...texts('managedBy'),
    ...only('persistentVolumeClaimRetentionPolicy', 'minReadySeconds'),
    volumeClaimTemplates: {},
    strategy,
    updateStrategy: strategy,
  },
  status: {
    ...only('observedGeneration', 'replicas', 'updatedReplicas', 'availableReplicas', 'currentRevision'),
    ...only('updateRevision', 'currentNumberScheduled', 'updatedNumberScheduled', 'numberAvailable'),
    ...only('desiredNumberScheduled'),
    conditions: { ...only('type', 'status'), ...texts('reason') },
  },
};

const reference = { ...texts('name', 'key'), ...only('optional') };
const probe = only('initialDelaySeconds', 'periodSeconds', 'failureThreshold', 'successThreshold');
const container: Shape = {
  ...texts('name'),
  startupProbe: probe,
  readinessProbe: probe,
  livenessProbe: probe,
  env: { valueFrom: { configMapKeyRef: reference, secretKeyRef: reference } },
  envFrom: { configMapRef: reference, secretRef: reference },
  volumeMounts: only('name'),
};
const source: Shape = { ...texts('name', 'secretName'), ...only('optional'), items: texts('key') };
const sources: Shape = { configMap: source, secret: source };

/** The fields of a pod spec that `usesOf` reads, apart from image pull secrets. */
export const podReferences: Shape = {
  containers: container,
  initContainers: container,
  volumes: { ...only('name'), ...sources, projected: { sources } },
};

const podTemplate: Shape = {
  metadata: { annotations: only(templateAnnotation) },
  spec: {
    ...podReferences,
    nodeSelector: only(noNode),
    ...only('terminationGracePeriodSeconds'),
    imagePullSecrets: texts('name'),
  },
};

/**
 * Retains only the fields that `readWorkload` and `usesOf` read, in their places: no images, arguments or values of
 * variables, and no foreign annotations. A mark changes with every other change of the template. Its key is in no
 * recording, so that a reader cannot guess and verify the content of the template.
 */
export function createWorkloadReducer(key: Buffer, otherKinds: () => readonly OtherKind[] = () => []): ReduceWorkload {
  return (object, name) => {
    const kind = kindNamed(name, otherKinds());
    if (kind === undefined) return reduceTo(workload, object);
    const whole = podTemplateOf(object, kind);
    const mark = createHmac('sha256', key).update(templateHashOf(whole)).digest('base64url').slice(0, 12);
    const template = { mark, ...reduceTo(podTemplate, whole) };
    const { metadata, spec, ...rest } = reduceTo(workload, object);
    const reduced = {
      ...rest,
      metadata: withCause(objectOf(metadata), object),
      spec: { ...objectOf(spec), ...objectOf(below(kind.templatePath, template)['spec']) },
    };
    const { requested = [], ended = [] } = kind.restartTimes ?? {};
    const timed = [requested, ended].reduce<JsonObject>((all, path) => withTime(all, path, object), reduced);
    return kind.templateReference === undefined ? timed : withReference(timed, kind.templateReference, object);
  };
}

function withTime(reduced: JsonObject, path: readonly string[], object: unknown): JsonObject {
  const time = textOf(at(path, object));
  return time === undefined || timeOf(time) === undefined ? reduced : mergePatch(reduced, below(path, time));
}

function withReference(reduced: JsonObject, path: readonly string[], object: unknown): JsonObject {
  const reference = at(path, object);
  if (reference === undefined) return reduced;
  return mergePatch(reduced, below(path, objectOf(reduceTo(texts('kind', 'name'), reference))));
}

/** Retains only whether there is a change cause, and whether it is weeder's: a user's may be a whole command line. */
function withCause(metadata: JsonObject, object: unknown): JsonObject {
  const cause = textOf(objectOf(objectOf(objectOf(object)['metadata'])['annotations'])[changeCause]);
  if (cause === undefined) return metadata;
  const mark = cause.startsWith(changeCauseMark) ? changeCauseMark : 'theirs';
  return { ...metadata, annotations: { ...objectOf(metadata['annotations']), [changeCause]: mark } };
}
