import type { JsonObject } from '../../base/json.ts';
import type { Result } from '../../base/result.ts';

/** A metav1.Status for a failure, with its fields in kube-apiserver's order. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: JsonObject;
  readonly status: 'Failure' | 'Success';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: JsonObject;
  readonly code?: number;
}

/** The value, or the Status of the failure. */
export type Outcome<T> = Result<T, Status>;

/** The name of a resource in messages: `pods` or `leases.coordination.k8s.io`. */
interface Named {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

/** One cause of an Invalid status. */
export interface FieldError {
  readonly reason:
    | 'FieldValueInvalid'
    | 'FieldValueRequired'
    | 'FieldValueForbidden'
    | 'FieldValueNotSupported'
    | 'FieldValueTooLong'
    | 'FieldValueDuplicate'
    | 'FieldValueTypeInvalid'
    | 'FieldValueTooMany';
  /** The API's message: `Required value`, `Invalid value: "x": …`. */
  readonly message: string;
  readonly field: string;
}

export const fieldError = {
  required: (field: string, detail = ''): FieldError => ({
    reason: 'FieldValueRequired',
    message: detail === '' ? 'Required value' : `Required value: ${detail}`,
    field,
  }),
  invalid: (field: string, value: unknown, detail: string): FieldError => ({
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(value) ?? 'null'}: ${detail}`,
    field,
  }),
  forbidden: (field: string, detail: string): FieldError => ({
    reason: 'FieldValueForbidden',
    message: `Forbidden: ${detail}`,
    field,
  }),
  typeInvalid: (field: string, actual: string, expected: string): FieldError => ({
    reason: 'FieldValueTypeInvalid',
    message: `Invalid value: "${actual}": ${field} in body must be of type ${expected}: "${actual}"`,
    field,
  }),
  tooMany: (field: string, count: number, max: number): FieldError => ({
    reason: 'FieldValueTooMany',
    message: `Too many: ${count}: must have at most ${max} items`,
    field,
  }),
  tooLong: (field: string, limit: number): FieldError => ({
    reason: 'FieldValueTooLong',
    message: `Too long: may not be more than ${limit} bytes`,
    field,
  }),
  duplicate: (field: string, value: unknown): FieldError => ({
    reason: 'FieldValueDuplicate',
    message: `Duplicate value: ${JSON.stringify(value)}`,
    field,
  }),
  unsupported: (field: string, value: unknown, supported: readonly string[]): FieldError => ({
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported.map((each) => JSON.stringify(each)).join(', ')}`,
    field,
  }),
};

export function failure(code: number, reason: string | undefined, message: string, details?: JsonObject): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  };
}

export function success(details?: JsonObject, code?: number): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    ...(details === undefined ? {} : { details }),
    ...(code === undefined ? {} : { code }),
  };
}

export function notFound(about: Named, name: string): Status {
  return failure(404, 'NotFound', `${pluralOf(about)} "${name}" not found`, detailsOf(about, name));
}

export function alreadyExists(about: Named, name: string): Status {
  return failure(409, 'AlreadyExists', `${pluralOf(about)} "${name}" already exists`, detailsOf(about, name));
}

/** Returns the 409 of an update; `why` is the last part of the message. */
export function conflict(about: Named, name: string, why = modified): Status {
  const message = `Operation cannot be fulfilled on ${pluralOf(about)} "${name}": ${why}`;
  return failure(409, 'Conflict', message, detailsOf(about, name));
}

/** Returns the 409 for a failed precondition of a deletion, which names the kind instead of the resource. */
export function preconditionFailed(about: Named, name: string, why: string): Status {
  return conflict({ ...about, plural: about.kind }, name, why);
}

export function invalid(about: Named, name: string, errors: readonly FieldError[]): Status {
  const group = about.group === '' ? '' : `.${about.group}`;
  const messages = errors.map(({ field, message }) => `${field}: ${message}`);
  const list = messages.length === 1 ? messages[0] : `[${messages.join(', ')}]`;
  const details = detailsOf({ ...about, plural: about.kind }, name);
  return failure(422, 'Invalid', `${about.kind}${group} "${name}" is invalid: ${list}`, { ...details, causes: errors });
}

export function forbidden(about: Named, name: string, why: string, causes: readonly JsonObject[] = []): Status {
  const details = { ...detailsOf(about, name), ...(causes.length === 0 ? {} : { causes }) };
  return failure(403, 'Forbidden', `${pluralOf(about)} "${name}" is forbidden: ${why}`, details);
}

export function badRequest(message: string): Status {
  return failure(400, 'BadRequest', message);
}

export const unknownResource = failure(404, 'NotFound', 'the server could not find the requested resource', {});

export const methodNotAllowed = failure(
  405,
  'MethodNotAllowed',
  'the server does not allow this method on the requested resource',
  {},
);

export function expired(message: string): Status {
  return failure(410, 'Expired', message);
}

/** Returns the 504 for a resourceVersion that this server has not reached. */
export function versionTooLarge(version: number, current: number): Status {
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  const message = `Timeout: Too large resource version: ${version}, current: ${current}`;
  return failure(504, 'Timeout', message, { causes, retryAfterSeconds: 1 });
}

const modified = 'the object has been modified; please apply your changes to the latest version and try again';

function pluralOf({ plural, group }: Named): string {
  return group === '' ? plural : `${plural}.${group}`;
}

function detailsOf({ plural, group }: Named, name: string): JsonObject {
  return { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind: plural };
}
