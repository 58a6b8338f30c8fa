import { resource } from '../registry/resource.ts';

export const serviceAccounts = resource({
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  fields: ['secrets', 'imagePullSecrets', 'automountServiceAccountToken'],
  returnsDeleted: true,
  shortNames: ['sa'],
});
