import type { ApiFailure, FailureType } from './failure.ts';

const unrecoverable: ReadonlySet<FailureType> = new Set(['rejected', 'notFound', 'conflict', 'expired', 'cancelled']);

/**
 * Whether it is worthwhile to retry the same request. Network errors, timeouts, 429, 5xx, 403, 422 and 401 are
 * recoverable; 400 and 405 are not; 404, 409 and 410 are final answers, on which the caller decides.
 */
export function isRecoverable(failure: ApiFailure): boolean {
  return !unrecoverable.has(failure.type);
}

/** Whether the same request may soon succeed although nothing is changed: there was no answer, or no final one. */
export function isTransient({ type, reason }: ApiFailure): boolean {
  if (type === 'network') return reason !== 'TLS';
  return type === 'timeout' || type === 'unavailable' || type === 'throttled';
}

/** The form in which every authorizer denies a request; an admission plugin has another text in this position. */
const denial = /^(?:\S+ (?:"[^"]*" )?is forbidden: |forbidden: )?User "[^"]*" cannot /;

/**
 * Whether a permission is missing. A 403 to a write may also come from a quota, an admission policy or another
 * admission plugin; these do not apply to a read.
 */
export function isDenied({ type, message }: ApiFailure, verb?: string): boolean {
  return type === 'forbidden' && (verb === 'get' || denial.test(message));
}

/** Whether the missing permission is the one to impersonate, and not a permission of the impersonated account. */
export function isImpersonationDenied({ type, message }: ApiFailure): boolean {
  return type === 'forbidden' && /cannot impersonate(?:-on:\S+)? resource /.test(message);
}

const notReady =
  /^(?:\S+ (?:"[^"]*" )?is forbidden|forbidden): (?:not yet ready to handle request$|status unknown for quota: |error looking up service account \S+: serviceaccount "default" not found$)/;

/**
 * Whether admission refuses a write only until the control plane provides what it needs: its caches after a start, the
 * counted use of a ResourceQuota, or the ServiceAccount `default` of a new namespace.
 */
export function isAdmissionNotReady({ type, message }: ApiFailure): boolean {
  return type === 'forbidden' && notReady.test(message);
}

const ownMessages: ReadonlySet<FailureType> = new Set(['network', 'timeout', 'credentials', 'cancelled']);

/** Whether weeder itself wrote the message: it contains nothing that was received over the connection. */
export function hasOwnMessage({ type }: ApiFailure): boolean {
  return ownMessages.has(type);
}

/**
 * Whether the API server does not serve the path: it answers in plain text if it lacks the whole API group, and for
 * about 35 ms after the CustomResourceDefinition of a new kind.
 */
export function isUnservedPath({ type, status }: ApiFailure): boolean {
  return type === 'badAnswer' && status === 404;
}

/** Another object has the name now, with another uid. */
export function isOtherUid({ type, causes = [] }: ApiFailure): boolean {
  return type === 'invalid' && causes.some(({ field }) => field === 'metadata.uid');
}

/** Whether one of the causes in the server's Status has this reason, such as `NamespaceTerminating`. */
export function hasCause({ causes = [] }: ApiFailure, reason: string): boolean {
  return causes.some((cause) => cause.reason === reason);
}
