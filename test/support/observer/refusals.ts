import type { Refusal } from '@weeder/kube-runtime/testing';
import type { ApplyFailure } from '../../../src/observer/objects/applyFailure.ts';
import { labelPath } from '../../../src/observer/objects/fieldManagers.ts';

/** What the API server can respond with. It has no response for `terminating`: see `terminate` of the world. */
type Refused = Exclude<ApplyFailure['type'], 'otherUid' | 'cancelled' | 'terminating'>;

/** The response of the API server that the observer takes for this failure, with a text that users read. */
export function refusal(is: Refused, text = 'No.'): Refusal {
  return by[is](text);
}

const by: Readonly<Record<Refused, (text: string) => Refusal>> = {
  permanent: (text) => caused(422, 'FieldValueInvalid', '', text),
  immutable: (text) => caused(422, 'FieldValueInvalid', 'data', `${text} field is immutable`),
  transient: (text) => ({ status: 503, message: text }),
  forbidden: (text) => ({ status: 403, message: `User "someone" cannot do that: ${text}` }),
  namespaceTerminating: (text) => caused(403, 'NamespaceTerminating', 'metadata.namespace', text),
  typeMissing: (text) => ({ status: 404, message: text }),
  missing: (text) => ({ status: 404, message: text, details: {} }),
  conflict: (text) => ({ status: 409, message: text }),
  claimed: () => caused(409, 'FieldManagerConflict', labelPath, 'conflict with "weeder:other" using v1'),
};

function caused(status: number, reason: string, field: string, message: string): Refusal {
  return { status, message, details: { causes: [{ reason, field, message }] } };
}

/** The value as JSON, without the times of the next checks. */
export function withoutTimes(value: unknown): string {
  return (JSON.stringify(value) ?? '').replaceAll(/; as of [^)"]*/g, '');
}
