import { type JsonObject, objectOf } from '../../../json.ts';
import { resource } from '../resource.ts';
import { fault } from '../status.ts';

/** Nothing scales by it: it is kept, as far as its form goes. */
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
    const { maxReplicas } = objectOf(spec);
    if (typeof maxReplicas === 'number' && maxReplicas > 0) return [];
    return [fault.invalid('spec.maxReplicas', maxReplicas ?? 0, 'must be greater than 0')];
  },
});

const byCpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } };

function completeSpec(spec: JsonObject): JsonObject {
  return { minReplicas: 1, metrics: [byCpu], ...spec };
}
