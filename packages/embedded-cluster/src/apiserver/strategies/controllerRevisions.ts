import { resource } from '../registry/resource.ts';

/** They store the templates of StatefulSets and DaemonSets. */
export const controllerRevisions = resource({
  group: 'apps',
  plural: 'controllerrevisions',
  kind: 'ControllerRevision',
  fields: ['data', 'revision'],
});
