import { createHash } from 'node:crypto';
import type { Manifest } from '../model/identity.ts';
import type { Shape } from '../schema/shape.ts';

/** Two of one hash are applied alike. */
export type HashManifest = (manifest: Pick<Manifest, 'apiVersion' | 'object'>, shape: Shape) => string;

export const hashManifest: HashManifest = ({ apiVersion, object }, shape) => {
  const text = JSON.stringify([apiVersion, object, shape], (_key, value: unknown) =>
    value instanceof Map ? [...value.entries()] : value,
  );
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
};
