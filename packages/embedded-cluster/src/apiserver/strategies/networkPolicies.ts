import { arrayOf, type JsonObject, objectOf } from '../../base/json.ts';
import { canonical } from '../managedfields/canonical.ts';
import { any } from '../managedfields/shape.ts';
import { resource } from '../registry/resource.ts';
import { shapeOf } from '../schema/types.ts';

export const networkPolicies = resource({
  group: 'networking.k8s.io',
  plural: 'networkpolicies',
  kind: 'NetworkPolicy',
  fields: ['spec'],
  generation: 'spec',
  shortNames: ['netpol'],
  zero: { spec: {} },
  canonical: (fields) => withEmptyEgress(fields, objectOf(canonical(shapeOf('NetworkPolicy') ?? any, fields))),
  // As on the real server, an empty list counts as a change, although it is not stored.
  alwaysIncrementsGeneration: ({ spec }) => isEmptyList(objectOf(spec)['egress']),
  allocate: (fields) => ({ ...fields, spec: withoutEmptyEgress(objectOf(fields['spec'])) }),
  complete: (fields) => ({ ...fields, spec: completePolicy(objectOf(fields['spec'])) }),
});

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function withEmptyEgress(given: JsonObject, fields: JsonObject): JsonObject {
  if (!isEmptyList(objectOf(given['spec'])['egress'])) return fields;
  return { ...fields, spec: { ...objectOf(fields['spec']), egress: [] } };
}

function withoutEmptyEgress({ egress, ...spec }: JsonObject): JsonObject {
  return egress === undefined || isEmptyList(egress) ? spec : { ...spec, egress };
}

/** Without policyTypes, Ingress applies, and Egress if there are egress rules. */
function completePolicy(spec: JsonObject): JsonObject {
  const types = arrayOf(spec['egress']).length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  const rules = Object.fromEntries(
    ['ingress', 'egress'].flatMap((direction) =>
      spec[direction] === undefined ? [] : [[direction, arrayOf(spec[direction]).map(completeRule)]],
    ),
  );
  return { podSelector: {}, policyTypes: types, ...spec, ...rules };
}

function completeRule(rule: unknown): JsonObject {
  const { ports, ...rest } = objectOf(rule);
  return ports === undefined
    ? rest
    : { ports: arrayOf(ports).map((port) => ({ protocol: 'TCP', ...objectOf(port) })), ...rest };
}
