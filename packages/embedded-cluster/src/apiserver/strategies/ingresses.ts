import { arrayOf, objectOf } from '../../base/json.ts';
import { fieldError } from '../meta/status.ts';
import { resource } from '../registry/resource.ts';

export const ingresses = resource({
  group: 'networking.k8s.io',
  plural: 'ingresses',
  kind: 'Ingress',
  fields: ['spec', 'status'],
  generation: 'spec',
  shortNames: ['ing'],
  zero: { spec: {}, status: { loadBalancer: {} } },
  complete: (fields) => ({ ...fields, spec: objectOf(fields['spec']) }),
  initialStatus: () => ({ loadBalancer: {} }),
  validate: ({ spec }) => {
    const { rules, defaultBackend } = objectOf(spec);
    const why = 'either `defaultBackend` or `rules` must be specified';
    const none = arrayOf(rules).length === 0 && defaultBackend === undefined;
    const paths = arrayOf(rules).flatMap((rule, index) =>
      arrayOf(objectOf(objectOf(rule)['http'])['paths']).map((path, at) => ({
        pathType: objectOf(path)['pathType'],
        field: `spec.rules[${index}].http.paths[${at}].pathType`,
      })),
    );
    return [
      ...(none ? [fieldError.invalid('spec', [], why)] : []),
      ...paths.flatMap(({ pathType, field }) =>
        pathType ? [] : [fieldError.required(field, 'pathType must be specified')],
      ),
    ];
  },
});
