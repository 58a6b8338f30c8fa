import { formatPath } from '../config/fault.ts';
import type { ApplicationFault } from './application.ts';
import type { ConditionSaid } from './conditions.ts';
import { sentenceOf } from './wording.ts';

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

const reasons = { spec: 'SpecInvalid', manifest: 'ManifestInvalid', schema: 'SchemaInvalid' } as const;

/** The condition Invalid: named after the fault that concerns most. */
export function faultsCondition(faults: readonly ShownFault[]): Omit<ConditionSaid, 'type'> {
  if (faults.length === 0) return { status: 'False', reason: 'Valid', message: 'The spec has no faults.' };
  const worst = (['spec', 'manifest', 'schema'] as const).find((each) => faults.some(({ of }) => of === each));
  const texts = faults.map(({ place, message }) => `${place}: ${message}`);
  const heading = faults.length === 1 ? 'One fault' : `${faults.length} faults`;
  return { status: 'True', reason: reasons[worst ?? 'spec'], message: sentenceOf(heading, texts) };
}
