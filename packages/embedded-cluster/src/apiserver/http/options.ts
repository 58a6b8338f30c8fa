import { type JsonObject, numberOf, objectOf, textOf } from '../../base/json.ts';
import { failed, ok } from '../../base/result.ts';
import { parseBody } from '../meta/decode.ts';
import { badRequest, type FieldError, fieldError, invalid, type Outcome, type Status } from '../meta/status.ts';
import type { ApplyOptions } from '../registry/apply.ts';
import type { WriteOptions } from '../registry/assemble.ts';
import type { DeleteOptions } from '../registry/delete.ts';
import { bodyOf, type Exchange } from './exchange.ts';

/**
 * Reads DeleteOptions from the body, or from the query if there is no body; even an empty body takes precedence. Fails
 * with 400, 422.
 */
export async function deleteOptions(exchange: Exchange): Promise<Outcome<DeleteOptions>> {
  const text = await bodyOf(exchange);
  if (!text.ok) return text;
  const given =
    text.value === '' ? ok(queryOptions(exchange.query)) : parseBody(text.value, "couldn't get version/kind");
  if (!given.ok) return given;
  const body = objectOf(given.value);
  if (body['kind'] !== undefined && body['kind'] !== 'DeleteOptions') {
    return failed(
      badRequest(`no kind "${String(body['kind'])}" is registered for version "${String(body['apiVersion'])}"`),
    );
  }
  const error = policyError(body['propagationPolicy']) ?? dryRunError('Delete', dryRunOf(body));
  return error === undefined ? ok(readDeleteOptions(body)) : failed(error);
}

function queryOptions(query: URLSearchParams): JsonObject {
  const grace = query.get('gracePeriodSeconds');
  return {
    ...(grace === null ? {} : { gracePeriodSeconds: Number(grace) }),
    ...(query.has('propagationPolicy') ? { propagationPolicy: query.get('propagationPolicy') } : {}),
    dryRun: query.getAll('dryRun'),
  };
}

/** Parses metav1.DeleteOptions; values of the wrong type are ignored. */
export function readDeleteOptions(body: JsonObject): DeleteOptions {
  const { uid, resourceVersion } = objectOf(body['preconditions']);
  return {
    gracePeriodSeconds: numberOf(body['gracePeriodSeconds']),
    propagationPolicy: textOf(body['propagationPolicy']),
    uid: textOf(uid),
    resourceVersion: textOf(resourceVersion),
    dryRun: dryRunOf(body).length > 0,
  };
}

function policyError(policy: unknown): Status | undefined {
  const policies = ['Foreground', 'Background', 'Orphan'];
  if (policy === undefined || policy === null || policies.some((each) => each === policy)) return undefined;
  const unsupported = fieldError.unsupported('propagationPolicy', policy, [...policies, 'nil']);
  return invalid(optionsOf('Delete'), '', [unsupported]);
}

function dryRunOf(body: JsonObject): readonly string[] {
  const { dryRun } = body;
  return Array.isArray(dryRun) ? dryRun.map(String) : [];
}

function dryRunError(verb: string, values: readonly string[]): Status | undefined {
  if (values.every((each) => each === 'All')) return undefined;
  return invalid(optionsOf(verb), '', [fieldError.unsupported('dryRun', values, ['All'])]);
}

function optionsOf(verb: string) {
  const kind = `${verb}Options`;
  return { group: 'meta.k8s.io', kind, plural: kind.toLowerCase() };
}

/** Parses the query of a create, an update or a patch. Fails with 422. */
export function writeOptions(
  { query, headers }: Exchange,
  verb: 'Create' | 'Update' | 'Patch',
  subresource: string | undefined,
): Outcome<WriteOptions> {
  const values = query.getAll('dryRun');
  const manager = query.get('fieldManager') ?? '';
  const refused = dryRunError(verb, values) ?? managerError(verb, manager) ?? forceError(verb, query);
  if (refused !== undefined) return failed(refused);
  const agent = (headers['user-agent'] ?? 'unknown').split('/', 1)[0];
  return ok({
    dryRun: values.length > 0,
    manager: manager || agent || 'unknown',
    subresource: subresource === 'status' ? 'status' : undefined,
  });
}

/** Parses the query of an apply, in which fieldManager is required. Fails with 422. */
export function applyOptions({ query }: Exchange, subresource: string | undefined): Outcome<ApplyOptions> {
  const values = query.getAll('dryRun');
  const manager = query.get('fieldManager') ?? '';
  const missing = manager === '' ? [fieldError.required('fieldManager', 'is required for apply patch')] : [];
  const refused = dryRunError('Patch', values) ?? managerError('Patch', manager, missing);
  if (refused !== undefined) return failed(refused);
  return ok({
    dryRun: values.length > 0,
    manager,
    isForced: query.has('force') && query.get('force') !== 'false' && query.get('force') !== '0',
    subresource: subresource === 'status' ? 'status' : undefined,
  });
}

const maxManagerBytes = 128;

function managerError(verb: string, manager: string, more: readonly FieldError[] = []): Status | undefined {
  const tooLong =
    Buffer.byteLength(manager) > maxManagerBytes ? [fieldError.tooLong('fieldManager', maxManagerBytes)] : [];
  const errors = [...more, ...tooLong];
  return errors.length === 0 ? undefined : invalid(optionsOf(verb), '', errors);
}

function forceError(verb: string, query: URLSearchParams): Status | undefined {
  if (verb !== 'Patch' || !query.has('force')) return undefined;
  return invalid(optionsOf(verb), '', [fieldError.forbidden('force', 'may not be specified for non-apply patch')]);
}
