import { objectOf } from '../../base/json.ts';
import { byPath, resource } from '../registry/resource.ts';

export const namespaces = resource({
  plural: 'namespaces',
  kind: 'Namespace',
  zero: { spec: {}, status: {} },
  fields: ['spec', 'status'],
  isNamespaced: false,
  names: 'label',
  returnsDeleted: true,
  hasCollectionDeletion: false,
  selectable: byPath('status.phase'),
  shortNames: ['ns'],
  complete: (fields) => ({ ...fields, spec: objectOf(fields['spec']) }),
  allocate: (fields) => ({ ...fields, spec: { finalizers: ['kubernetes'], ...objectOf(fields['spec']) } }),
  initialStatus: () => ({ phase: 'Active' }),
});
