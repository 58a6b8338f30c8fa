import { type JsonObject, numberOf, objectOf } from '../../base/json.ts';
import { fieldError } from '../meta/status.ts';
import { resource } from '../registry/resource.ts';

/** They are stored and validated, but have no controller. */
export const horizontalPodAutoscalers = resource({
  group: 'autoscaling',
  version: 'v2',
  plural: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  fields: ['spec', 'status'],
  shortNames: ['hpa'],
  zero: { spec: { scaleTargetRef: {} }, status: {} },
  complete: (fields) => ({ ...fields, spec: completeSpec(objectOf(fields['spec'])) }),
  initialStatus: () => ({ desiredReplicas: 0, currentMetrics: null }),
  validate: ({ spec }) => {
    const { maxReplicas, minReplicas } = objectOf(spec);
    const [max, min] = [numberOf(maxReplicas) ?? 0, numberOf(minReplicas) ?? 1];
    const tooFew = 'must be greater than or equal to `minReplicas`';
    return [
      ...(max > 0 ? [] : [fieldError.required('spec.maxReplicas', 'must be set and greater than 0')]),
      ...(max >= min ? [] : [fieldError.invalid('spec.maxReplicas', max, tooFew)]),
    ];
  },
});

const byCpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } };

function completeSpec(spec: JsonObject): JsonObject {
  return { minReplicas: 1, metrics: [byCpu], ...spec };
}
