import { isDeepStrictEqual } from 'node:util';
import { type JsonObject, objectOf } from '../../../json.ts';
import type { KubeObject } from '../objects.ts';
import { resource } from '../resource.ts';
import { type Fault, fault } from '../status.ts';
import { completePodSpec, podSpecFaults } from './pods.ts';

export const replicaSets = resource({
  group: 'apps',
  plural: 'replicasets',
  kind: 'ReplicaSet',
  fields: ['spec', 'status'],
  generation: 'spec',
  shortNames: ['rs'],
  complete: (fields) => ({ ...fields, spec: completeWorkload(objectOf(fields['spec'])) }),
  initialStatus: () => ({ replicas: 0 }),
  validate: workloadFaults,
});

export const podDisruptionBudgets = resource({
  group: 'policy',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  fields: ['spec', 'status'],
  generation: 'spec',
  update: { isUnconditional: false, creates: false },
  shortNames: ['pdb'],
  initialStatus: () => ({ disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }),
});

function completeWorkload(spec: JsonObject): JsonObject {
  const template = objectOf(spec['template']);
  return { replicas: 1, ...spec, template: { ...template, spec: completePodSpec(objectOf(template['spec'])) } };
}

function workloadFaults(object: KubeObject, old: KubeObject | undefined): readonly Fault[] {
  const { selector, template } = objectOf(object['spec']);
  const { metadata, spec } = objectOf(template);
  const labels = objectOf(objectOf(metadata)['labels']);
  const wanted = Object.entries(objectOf(objectOf(selector)['matchLabels']));
  const isSelected = wanted.every(([key, value]) => labels[key] === value);
  return [
    ...(selector === undefined ? [fault.required('spec.selector')] : []),
    ...(isSelected
      ? []
      : [fault.invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')]),
    ...podSpecFaults(objectOf(spec), 'spec.template.spec'),
    ...(old === undefined || isDeepStrictEqual(selector, objectOf(old['spec'])['selector'])
      ? []
      : [fault.invalid('spec.selector', selector, 'field is immutable')]),
  ];
}
