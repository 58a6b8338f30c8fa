import { isDeepStrictEqual } from 'node:util';
import { arrayOf, type JsonObject, objectOf } from '../../base/json.ts';
import type { KubeObject } from '../meta/objects.ts';
import { type FieldError, fieldError } from '../meta/status.ts';
import { resource } from '../registry/resource.ts';

/** There are no volumes, so that a claim remains pending. */
export const persistentVolumeClaims = resource({
  plural: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
  fields: ['spec', 'status'],
  returnsDeleted: true,
  shortNames: ['pvc'],
  zero: { spec: { resources: {} }, status: {} },
  complete: (fields) => ({ ...fields, spec: { resources: {}, volumeMode: 'Filesystem', ...objectOf(fields['spec']) } }),
  initialStatus: () => ({ phase: 'Pending' }),
  validate: ({ spec }, old) => [
    ...(arrayOf(objectOf(spec)['accessModes']).length > 0
      ? []
      : [fieldError.required('spec.accessModes', 'at least 1 access mode is required')]),
    ...changeErrors(objectOf(spec), old),
  ],
});

function changeErrors(spec: JsonObject, old: KubeObject | undefined): readonly FieldError[] {
  if (old === undefined || isDeepStrictEqual(fixedPart(spec), fixedPart(objectOf(old['spec'])))) return [];
  return [
    fieldError.forbidden(
      'spec',
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
    ),
  ];
}

function fixedPart({ volumeName: _volumeName, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** Completes a claim template of a StatefulSet, which is serialized like a PersistentVolumeClaim. */
export function completeClaimTemplate(value: unknown): JsonObject {
  const { spec, ...rest } = objectOf(value);
  const whole = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...rest };
  return {
    ...whole,
    spec: { resources: {}, volumeMode: 'Filesystem', ...objectOf(spec) },
    status: { phase: 'Pending' },
  };
}
