import { arrayOf, type JsonObject, objectOf } from '../../base/json.ts';
import { type FieldError, fieldError } from '../meta/status.ts';
import { byPath, resource } from '../registry/resource.ts';

export const services = resource({
  plural: 'services',
  kind: 'Service',
  zero: { spec: {}, status: { loadBalancer: {} } },
  fields: ['spec', 'status'],
  names: 'label',
  returnsDeleted: true,
  selectable: byPath('spec.clusterIP', 'spec.type'),
  update: { isUnconditional: true, creates: true },
  shortNames: ['svc'],
  complete: (fields) => ({ ...fields, spec: completeSpec(objectOf(fields['spec'])) }),
  allocate: (fields, old) => ({ ...fields, spec: withAddress(objectOf(fields['spec']), objectOf(old?.['spec'])) }),
  initialStatus: () => ({ loadBalancer: {} }),
  validate: ({ spec }) => {
    const { ports, clusterIP } = objectOf(spec);
    if (arrayOf(ports).length === 0 && clusterIP !== 'None') return [fieldError.required('spec.ports')];
    return portErrors(arrayOf(ports).map(objectOf));
  },
});

/** Several ports need unique names, and must differ in port or protocol. */
function portErrors(ports: readonly JsonObject[]): readonly FieldError[] {
  const [names, numbers] = [new Set<unknown>(), new Set<string>()];
  return ports.flatMap(({ name, port, protocol }, index) => {
    const at = `spec.ports[${index}]`;
    const number = JSON.stringify({ port, protocol });
    const [isNameTaken, isTaken] = [names.has(name), numbers.has(number)];
    names.add(name);
    numbers.add(number);
    return [
      ...(name || ports.length === 1 ? [] : [fieldError.required(`${at}.name`)]),
      ...(name && isNameTaken ? [fieldError.duplicate(`${at}.name`, name)] : []),
      ...(isTaken ? [fieldError.duplicate(at, { port, protocol })] : []),
    ];
  });
}

let allocated = 0;

function completeSpec(spec: JsonObject): JsonObject {
  const sessionAffinity = spec['sessionAffinity'] ?? 'None';
  if (spec['type'] === 'ExternalName') return { ...spec, sessionAffinity };
  return {
    ports: arrayOf(spec['ports']).map((port) => ({
      protocol: 'TCP',
      targetPort: objectOf(port)['port'],
      ...objectOf(port),
    })),
    sessionAffinity,
    type: 'ClusterIP',
    internalTrafficPolicy: 'Cluster',
    ...withoutPorts(spec),
  };
}

/** Sets the cluster IP, which does not change. */
function withAddress(spec: JsonObject, old: JsonObject): JsonObject {
  if (spec['type'] === 'ExternalName') return spec;
  const clusterIP = spec['clusterIP'] || old['clusterIP'] || nextAddress();
  return { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack', ...spec, clusterIP, clusterIPs: [clusterIP] };
}

function withoutPorts({ ports: _ports, ...rest }: JsonObject): JsonObject {
  return rest;
}

function nextAddress(): string {
  allocated += 1;
  return `10.96.${(allocated >> 8) & 255}.${allocated & 255}`;
}
