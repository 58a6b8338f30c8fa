import { arrayOf, type JsonObject, objectOf } from '../../../json.ts';
import { resource } from '../resource.ts';

export const networkPolicies = resource({
  group: 'networking.k8s.io',
  plural: 'networkpolicies',
  kind: 'NetworkPolicy',
  fields: ['spec'],
  generation: 'spec',
  shortNames: ['netpol'],
  zero: { spec: {} },
  complete: (fields) => ({ ...fields, spec: completePolicy(objectOf(fields['spec'])) }),
});

/** Who names no types means ingress, and egress only by having rules for it. */
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
