import { formatPath } from '../../base/fault.ts';
import type { ApplicationFault } from './application.ts';

/** A fault in words, as it stands in the condition Invalid. */
export interface ShownFault {
  /** `spec`: nothing is applied; otherwise that resource is left as it is, and the others go on. */
  readonly of: 'spec' | 'manifest' | 'schema';
  /** `spec.manifests[2].metadata.name`. */
  readonly place: string;
  /** A clause that stands behind the place. */
  readonly message: string;
}

export function shownFault({ manifest, path, message }: ApplicationFault): ShownFault {
  return { of: manifest === undefined ? 'spec' : 'manifest', place: formatPath(path), message };
}
