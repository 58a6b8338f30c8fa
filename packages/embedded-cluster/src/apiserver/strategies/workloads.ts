import { isDeepStrictEqual } from 'node:util';
import { arrayOf, isObject, type JsonObject, objectOf } from '../../base/json.ts';
import type { KubeObject } from '../meta/objects.ts';
import { type FieldError, fieldError } from '../meta/status.ts';
import { resource } from '../registry/resource.ts';
import { completeClaimTemplate } from './persistentVolumeClaims.ts';
import { completePodSpec, podSpecErrors } from './pods.ts';

const group = 'apps';
const fields = ['spec', 'status'];
const template = { metadata: {}, spec: { containers: null } };

export const replicaSets = resource({
  group,
  plural: 'replicasets',
  kind: 'ReplicaSet',
  subresources: ['scale'],
  owners: 'onceApplied',
  zero: { spec: { selector: null, template }, status: {} },
  fields,
  generation: 'spec',
  shortNames: ['rs'],
  complete: completed(() => ({ replicas: 1 })),
  initialStatus: () => ({ replicas: 0 }),
  validate: (object, old) => [...templateErrors(object), ...selectorErrors(object, old)],
});

/** The annotations of a Deployment are copied to its ReplicaSets, so that their changes increment its generation. */
export const deployments = resource({
  group,
  plural: 'deployments',
  kind: 'Deployment',
  subresources: ['scale'],
  zero: { spec: { selector: null, template, strategy: {} }, status: {} },
  statusIgnores: ['f:spec', 'f:metadata\0f:labels'],
  fields,
  generation: 'specOrAnnotations',
  shortNames: ['deploy'],
  complete: completed(({ strategy }) => ({
    replicas: 1,
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
    strategy: strategyOf(strategy, { maxUnavailable: '25%', maxSurge: '25%' }),
  })),
  initialStatus: () => ({}),
  validate: (object, old) => [
    ...templateErrors(object),
    ...selectorErrors(object, old),
    ...strategyErrors(object, 'strategy', ['Recreate', 'RollingUpdate']),
  ],
});

export const statefulSets = resource({
  group,
  plural: 'statefulsets',
  kind: 'StatefulSet',
  subresources: ['scale'],
  zero: { spec: { selector: null, template, updateStrategy: {} }, status: {} },
  fields,
  generation: 'spec',
  shortNames: ['sts'],
  complete: completed(({ updateStrategy }) => ({
    replicas: 1,
    podManagementPolicy: 'OrderedReady',
    updateStrategy: strategyOf(updateStrategy, { partition: 0 }),
    revisionHistoryLimit: 10,
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
  })),
  initialStatus: () => ({ replicas: 0, availableReplicas: 0 }),
  validate: (object, old) => [
    ...templateErrors(object),
    ...strategyErrors(object, 'updateStrategy', ['RollingUpdate', 'OnDelete']),
    ...fixedErrors(object, old),
  ],
});

export const daemonSets = resource({
  group,
  plural: 'daemonsets',
  kind: 'DaemonSet',
  zero: { spec: { selector: null, template, updateStrategy: {} }, status: {} },
  fields,
  generation: 'spec',
  shortNames: ['ds'],
  complete: completed(({ updateStrategy }) => ({
    updateStrategy: strategyOf(updateStrategy, { maxUnavailable: 1, maxSurge: 0 }),
    revisionHistoryLimit: 10,
  })),
  initialStatus: () => ({
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    desiredNumberScheduled: 0,
    numberReady: 0,
  }),
  validate: (object, old) => [
    ...templateErrors(object),
    ...selectorErrors(object, old),
    ...strategyErrors(object, 'updateStrategy', ['RollingUpdate', 'OnDelete']),
  ],
});

/** Sets the defaults of a pod template, and omits empty labels and annotations. */
export function completeTemplate(value: unknown): JsonObject {
  const { metadata, spec } = objectOf(value);
  const given = Object.entries(objectOf(metadata));
  const nonEmpty = given.filter(([, field]) => !isObject(field) || Object.keys(field).length > 0);
  return { metadata: Object.fromEntries(nonEmpty), spec: completePodSpec(objectOf(spec)) };
}

/** Validates the template of a workload, and that the selector matches it. */
function templateErrors({ spec }: KubeObject): readonly FieldError[] {
  const { selector, template } = objectOf(spec);
  const { metadata, spec: podSpec } = objectOf(template);
  const labels = objectOf(objectOf(metadata)['labels']);
  const required = Object.entries(objectOf(objectOf(selector)['matchLabels']));
  const isSelected = selector !== undefined && required.every(([key, value]) => labels[key] === value);
  return [
    ...(selector === undefined ? [fieldError.required('spec.selector')] : []),
    ...(isSelected
      ? []
      : [
          fieldError.invalid(
            'spec.template.metadata.labels',
            objectOf(metadata)['labels'] ?? null,
            '`selector` does not match template `labels`',
          ),
        ]),
    ...podSpecErrors(objectOf(podSpec), 'spec.template.spec'),
  ];
}

function selectorErrors({ spec }: KubeObject, old: KubeObject | undefined): readonly FieldError[] {
  const { selector } = objectOf(spec);
  if (old === undefined || isDeepStrictEqual(selector, objectOf(old['spec'])['selector'])) return [];
  return [fieldError.invalid('spec.selector', selector, 'field is immutable')];
}

function strategyErrors({ spec }: KubeObject, field: string, types: readonly string[]): readonly FieldError[] {
  const { type } = objectOf(objectOf(spec)[field]);
  return types.some((each) => each === type) ? [] : [fieldError.unsupported(`spec.${field}.type`, type, types)];
}

const changeable = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

function fixedErrors({ spec }: KubeObject, old: KubeObject | undefined): readonly FieldError[] {
  if (old === undefined || isDeepStrictEqual(fixedPart(spec), fixedPart(old['spec']))) return [];
  const names = changeable.map((each) => `'${each}'`);
  const list = `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
  return [fieldError.forbidden('spec', `updates to statefulset spec for fields other than ${list} are forbidden`)];
}

function fixedPart(spec: unknown): JsonObject {
  return Object.fromEntries(Object.entries(objectOf(spec)).filter(([key]) => !changeable.includes(key)));
}

/** Sets the defaults of absent fields, also within a strategy. */
function completed(defaultsOf: (spec: JsonObject) => JsonObject) {
  return (given: JsonObject): JsonObject => {
    const spec = objectOf(given['spec']);
    const { strategy: _strategy, updateStrategy: _updateStrategy, volumeClaimTemplates, ...rest } = spec;
    const claims = arrayOf(volumeClaimTemplates).map(completeClaimTemplate);
    return {
      ...given,
      spec: {
        ...defaultsOf(spec),
        ...rest,
        template: completeTemplate(spec['template']),
        ...(claims.length === 0 ? {} : { volumeClaimTemplates: claims }),
      },
    };
  };
}

function strategyOf(value: unknown, rolling: JsonObject): JsonObject {
  const { type = 'RollingUpdate', rollingUpdate } = objectOf(value);
  return type === 'RollingUpdate' ? { type, rollingUpdate: { ...rolling, ...objectOf(rollingUpdate) } } : { type };
}
