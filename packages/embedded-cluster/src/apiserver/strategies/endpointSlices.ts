import { arrayOf, type JsonObject, objectOf } from '../../base/json.ts';
import { fieldError } from '../meta/status.ts';
import { resource } from '../registry/resource.ts';

export const endpointSlices = resource({
  group: 'discovery.k8s.io',
  plural: 'endpointslices',
  kind: 'EndpointSlice',
  fields: ['addressType', 'endpoints', 'ports'],
  generation: 'content',
  owners: 'onceApplied',
  complete: (fields) => ({
    ...fields,
    endpoints: listOrNull(fields['endpoints'], (endpoint) => ({
      ...endpoint,
      conditions: objectOf(endpoint['conditions']),
    })),
    ports: listOrNull(fields['ports'], (port) => ({ name: '', protocol: 'TCP', ...port })),
  }),
  validate: ({ addressType }, old) => {
    if (!addressType) return [fieldError.required('addressType')];
    const types = ['IPv4', 'IPv6', 'FQDN'];
    if (typeof addressType !== 'string' || !types.includes(addressType)) {
      return [fieldError.unsupported('addressType', addressType, types.toSorted())];
    }
    if (old === undefined || old['addressType'] === addressType) return [];
    return [fieldError.invalid('addressType', addressType, 'field is immutable')];
  },
});

/** These lists are serialized even if they are empty, as null. */
function listOrNull(value: unknown, complete: (each: JsonObject) => JsonObject): readonly JsonObject[] | null {
  const list = arrayOf(value).map((each) => complete(objectOf(each)));
  return list.length === 0 ? null : list;
}
