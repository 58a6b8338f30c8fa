import { arrayOf, type JsonObject, objectOf } from '../../../json.ts';
import { byPath, resource } from '../resource.ts';
import { fault } from '../status.ts';

export const services = resource({
  plural: 'services',
  kind: 'Service',
  fields: ['spec', 'status'],
  names: 'label',
  returnsDeleted: true,
  selectable: byPath('spec.clusterIP', 'spec.type'),
  update: { isUnconditional: true, creates: true },
  shortNames: ['svc'],
  complete: (fields, old) => ({ ...fields, spec: completeSpec(objectOf(fields['spec']), objectOf(old?.['spec'])) }),
  initialStatus: () => ({ loadBalancer: {} }),
  validate: ({ spec }) => {
    const { ports, clusterIP } = objectOf(spec);
    return arrayOf(ports).length === 0 && clusterIP !== 'None' ? [fault.required('spec.ports')] : [];
  },
});

let allocated = 0;

/** The address stays the one that the service got when it was made. */
function completeSpec(spec: JsonObject, old: JsonObject): JsonObject {
  if (spec['type'] === 'ExternalName') return spec;
  const clusterIP = spec['clusterIP'] || old['clusterIP'] || nextAddress();
  return {
    ports: arrayOf(spec['ports']).map((port) => ({
      protocol: 'TCP',
      targetPort: objectOf(port)['port'],
      ...objectOf(port),
    })),
    sessionAffinity: 'None',
    type: 'ClusterIP',
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    internalTrafficPolicy: 'Cluster',
    ...withoutPorts(spec),
    clusterIP,
    clusterIPs: [clusterIP],
  };
}

function withoutPorts({ ports: _ports, ...rest }: JsonObject): JsonObject {
  return rest;
}

function nextAddress(): string {
  allocated += 1;
  return `10.96.${(allocated >> 8) & 255}.${allocated & 255}`;
}
