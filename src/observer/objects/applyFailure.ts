import type { ApiFailure, FailureType } from '@weeder/kube-runtime/client';
import { hasCause, isAdmissionNotReady, isDenied, isOtherUid, isUnservedPath } from '@weeder/kube-runtime/client';
import { describeApplyFailure, permanentWords, type RequestSummary } from './describeApplyFailure.ts';
import { labelPath } from './fieldManagers.ts';
import type { Identity } from './identity.ts';
import { isImmutable } from './immutable.ts';

/** Why a request about one resource failed. */
export type ApplyFailureType =
  /** The object does not exist. */
  | 'missing'
  /** The API server does not serve its kind, because its CustomResourceDefinition is missing or new. */
  | 'typeMissing'
  /**
   * The object has changed since it was read, or fields belong to other managers (`fields`). The caller decides again.
   */
  | 'conflict'
  /** Another application owns it (`by`), or another client wrote the label. */
  | 'claimed'
  /** These fields can only be set on a new object (`fields`). */
  | 'immutable'
  /** The API server would refuse the same request again. */
  | 'permanent'
  /** Its namespace is being deleted, so nothing can be created in it. */
  | 'namespaceTerminating'
  | 'forbidden'
  /** The failure may end without a change of the request. */
  | 'transient'
  /** The caller has stopped waiting. */
  | 'cancelled'
  /** Another object has its name. */
  | 'otherUid'
  /** The object is being deleted: an apply would be lost. */
  | 'terminating';

/** A failed request about one resource, as a value. For a Secret it has the code, the reason and the fields only. */
export interface ApplyFailure {
  readonly type: ApplyFailureType;
  /** One or two sentences for users. */
  readonly reason: string;
  /** The server's Retry-After in milliseconds; 0 if it has none. */
  readonly retryAfter: number;
  /** The fields, as the server writes them: for a conflict as `pathText` does, otherwise `spec.ports[0]`. */
  readonly fields: readonly string[];
  /** For `claimed`: the other application (`namespace/name`), or the field manager if the application is unknown. */
  readonly by?: string;
  /** For `transient`: an address or a port is in use by another object, or was until a moment ago. */
  readonly isTaken?: true;
  /** For `forbidden`: admission refuses the object, such as a policy or a quota. No permission is missing. */
  readonly isDenied?: true;
  /** For `transient`: an admission webhook cannot be called. */
  readonly isUncalled?: true;
  /** For `transient`: the object's managed fields name this version, which is no longer served. */
  readonly goneVersion?: string;
}

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: ApplyFailure };

export function done<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

/** Returns a failure that weeder itself has found. */
export function failed(
  type: ApplyFailureType,
  reason: string,
  more: Partial<Pick<ApplyFailure, 'fields' | 'by'>> = {},
): { readonly ok: false; readonly failure: ApplyFailure } {
  return { ok: false, failure: { type, reason, retryAfter: 0, fields: [], ...more } };
}

/** Returns the fields by which the events of the machines name a failure. */
export function refusalOf({ type: failure, reason, retryAfter }: ApplyFailure) {
  return { failure, reason, retryAfter };
}

/** Classifies the API server's failure by what can be done about it. */
export function applyFailure(
  failure: ApiFailure,
  request: RequestSummary,
  server: string,
): { readonly ok: false; readonly failure: ApplyFailure } {
  const { causes = [], retryAfterMs = 0 } = failure;
  const type = kindOf(failure, request.identity);
  const fields = [...new Set(causes.map(({ field }) => field).filter((field) => field !== ''))];
  const by = type === 'claimed' ? managerIn(failure) : undefined;
  const reason = describeApplyFailure(failure, request, server);
  return {
    ok: false,
    failure: {
      type,
      reason,
      retryAfter: retryAfterMs,
      fields,
      ...(by === undefined ? {} : { by }),
      ...(isTaken(failure) ? { isTaken: true as const } : {}),
      ...(type === 'forbidden' && !isDenied(failure, request.verb) ? { isDenied: true as const } : {}),
      ...(type === 'transient' ? serverErrorOf(failure) : {}),
    },
  };
}

const byKind: Partial<Readonly<Record<FailureType, ApplyFailureType>>> = {
  rejected: 'permanent',
  cancelled: 'cancelled',
  forbidden: 'forbidden',
  invalid: 'permanent',
};

/** The API server returns several permanent refusals as 500, and a 404 can have three different causes. */
function kindOf(failure: ApiFailure, identity: Identity): ApplyFailureType {
  const { type, message } = failure;
  if (type === 'notFound') return missingWhat(failure, identity);
  if (isUnservedPath(failure)) return 'typeMissing';
  if (type === 'conflict') return conflictKind(failure, identity);
  if (type === 'invalid') return isTaken(failure) ? 'transient' : invalidKind(failure);
  if (type === 'forbidden' && hasCause(failure, 'NamespaceTerminating')) return 'namespaceTerminating';
  if (isAdmissionNotReady(failure)) return 'transient';
  if (type === 'unavailable' && permanentWords.test(message)) return 'permanent';
  return byKind[type] ?? 'transient';
}

function missingWhat({ about }: ApiFailure, identity: Identity): ApplyFailureType {
  if (about === undefined) return 'typeMissing';
  const isItself = about.name === identity.name && about.group === identity.group;
  const isItsNamespace = about.kind === 'namespaces' && identity.kind !== 'Namespace';
  return isItself && !isItsNamespace ? 'missing' : 'transient';
}

function conflictKind({ about, causes = [], message }: ApiFailure, identity: Identity): ApplyFailureType {
  if (causes.some(({ field }) => field === labelPath)) return 'claimed';
  if (message.includes('no existing object was found')) return 'missing';
  if (message.includes('does not match the UID in record')) return 'otherUid';
  // For example a quota that other clients use at the same time.
  return about === undefined || about.name === identity.name ? 'conflict' : 'transient';
}

/** Returns what the message of a 500 tells. */
function serverErrorOf({ type, message }: ApiFailure): Pick<ApplyFailure, 'isUncalled' | 'goneVersion'> {
  if (type !== 'unavailable') return {};
  const goneVersion = /request to convert CR to an invalid group\/version: (\S+)/.exec(message)?.[1];
  if (goneVersion !== undefined) return { goneVersion };
  return message.includes('failed calling webhook') ? { isUncalled: true } : {};
}

/** The address or port of a deleted Service is released a moment or a minute after the Service was deleted. */
function isTaken({ type, causes = [] }: ApiFailure): boolean {
  return type === 'invalid' && causes.some(({ message }) => message?.includes('is already allocated') === true);
}

function invalidKind(failure: ApiFailure): ApplyFailureType {
  if (isOtherUid(failure)) return 'otherUid';
  return isImmutable(failure.causes ?? []) ? 'immutable' : 'permanent';
}

/** Returns the manager in `conflict with "weeder:1a2b" using v1`. */
function managerIn({ causes = [] }: ApiFailure): string | undefined {
  const words = causes.find(({ field }) => field === labelPath)?.message ?? '';
  return /^conflict with "([^"]+)"/.exec(words)?.[1];
}
