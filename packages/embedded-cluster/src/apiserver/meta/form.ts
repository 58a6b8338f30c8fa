import { failed, ok } from '../../base/result.ts';
import { failure, type Outcome, type Status } from './status.ts';

/** The requested representation: the whole object, or its metadata, as one object or a list. */
export type Form = 'whole' | MetadataForm;

interface MetadataForm {
  readonly of: 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  readonly version: 'v1' | 'v1beta1';
}

const kinds = ['PartialObjectMetadata', 'PartialObjectMetadataList'] as const;
const versions = ['v1', 'v1beta1'] as const;

/** Parses an Accept header, and returns the first supported form in the order of `q`. Fails with 406. */
export function formOf(accept: string | undefined): Outcome<Form> {
  if (accept === undefined || accept.trim() === '') return ok('whole');
  const ranges = accept.split(',').map(mediaRangeOf);
  for (const { type, parameters } of ranges.toSorted((a, b) => b.quality - a.quality)) {
    const form = type === 'application/json' || type === '*/*' ? formBy(parameters) : undefined;
    if (form !== undefined) return ok(form);
  }
  return failed(notAcceptable);
}

/** Returns the 406 for a single object in the form of a list, and the reverse; undefined if the form matches. */
export function formError(form: Form, kind: string, isList: boolean): Status | undefined {
  if (form === 'whole' || (form.of === 'PartialObjectMetadataList') === isList) return undefined;
  const actual = isList ? `a list (*core.${kind}List)` : `not a list (*core.${kind})`;
  return failure(406, 'NotAcceptable', `you requested ${form.of}, but the requested object is ${actual}`);
}

const notAcceptable = failure(
  406,
  'NotAcceptable',
  '406: Not Acceptable\n\nAvailable representations: application/json, application/json;stream=watch',
  {},
);

function mediaRangeOf(range: string) {
  const [type = '', ...rest] = range.split(';').map((part) => part.trim());
  const parameters = new Map(rest.map((each) => [each.replace(/=.*/, ''), each.replace(/^[^=]*=?/, '')]));
  return { type, parameters, quality: Number(parameters.get('q') ?? 1) };
}

/** Tables are not supported. */
function formBy(parameters: ReadonlyMap<string, string>): Form | undefined {
  if (!parameters.has('as')) return 'whole';
  const kind = kinds.find((each) => each === parameters.get('as'));
  const version = versions.find((each) => each === parameters.get('v'));
  if (kind === undefined || version === undefined || parameters.get('g') !== 'meta.k8s.io') return undefined;
  return { of: kind, version };
}
