import { createHash } from 'node:crypto';
import type { Manifest } from '../objects/identity.ts';
import type { FieldMask } from '../schema/fieldMask.ts';

/** Manifests with the same hash are applied in the same way. */
export type HashManifest = (manifest: Pick<Manifest, 'apiVersion' | 'object'>, mask: FieldMask) => string;

export const hashManifest: HashManifest = ({ apiVersion, object }, mask) => {
  const text = JSON.stringify([apiVersion, object, mask], (_key, value: unknown) =>
    value instanceof Map ? [...value.entries()] : value,
  );
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
};
