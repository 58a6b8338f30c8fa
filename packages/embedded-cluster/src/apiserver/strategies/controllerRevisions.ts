import { resource } from '../registry/resource.ts';

/** The templates that a StatefulSet or DaemonSet had. */
export const controllerRevisions = resource({
  group: 'apps',
  plural: 'controllerrevisions',
  kind: 'ControllerRevision',
  fields: ['data', 'revision'],
});
