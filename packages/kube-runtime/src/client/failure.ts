import { arrayOf, isObject, objectOf, textOf } from '../base/json.ts';

/** Why a request failed. */
export type FailureType =
  /** 404 by the API itself: the object does not exist. */
  | 'notFound'
  /** 409: a precondition does not hold because the object changed, or the object already exists. */
  | 'conflict'
  /** 410: the resourceVersion or continue token is too old, or newer than any that the server knows. */
  | 'expired'
  /** 429: too many requests, or a PodDisruptionBudget forbids the eviction now. */
  | 'throttled'
  /** 401: the server does not accept the credentials. */
  | 'unauthorized'
  /** 403: the server knows the user, who lacks the permission. */
  | 'forbidden'
  /** 422: the object or a parameter is invalid, or admission refused it. */
  | 'invalid'
  /** 5xx. */
  | 'unavailable'
  /** 400, 405 and every other 4xx: the request itself is wrong. */
  | 'rejected'
  /** No connection could be made, or it broke. */
  | 'network'
  /** No response arrived in time. */
  | 'timeout'
  /** Not a response of a Kubernetes API server: HTML, no JSON, or the wrong shape. */
  | 'badAnswer'
  /** The credentials are unavailable: an unreadable token file, a failing exec plugin. */
  | 'credentials'
  /** The caller's signal ended the request, or the client is closed. */
  | 'cancelled';

/** A request that failed, as a value. */
export interface ApiFailure {
  readonly type: FailureType;
  /** The HTTP status, if there was a response. */
  readonly status?: number;
  /** `reason` of the server's Status, such as `TooManyRequests`. */
  readonly reason?: string;
  /** The message without a full stop: the server's own, if there is one. */
  readonly message: string;
  /** The `details.causes` of the server's Status, if there are any. */
  readonly causes?: readonly FailureCause[];
  /** The object that the server's Status names, if it names one: a 404 without a name is about the type. */
  readonly about?: FailureSubject;
  /** The delay that the server requested, in milliseconds; at most an hour. */
  readonly retryAfterMs?: number;
  /** The response was longer than the request allows. */
  readonly isTooLong?: boolean;
  /** For a half-open connection: how long nothing arrived on it, in milliseconds. */
  readonly silentMs?: number;
}

/** `details` of a Status: for 404 and 409 `kind` is the plural (`configmaps`), for 422 the kind. */
interface FailureSubject {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** One of the `details.causes` of a Status: such as `DisruptionBudget`, or `FieldValueInvalid` of `metadata.uid`. */
export interface FailureCause {
  readonly reason: string;
  /** The path of the field; empty: none. */
  readonly field: string;
  /** The server's message, if there is one. It may quote the value. */
  readonly message?: string;
}

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

const kindByStatus: Readonly<Record<number, FailureType>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'notFound',
  409: 'conflict',
  410: 'expired',
  422: 'invalid',
  429: 'throttled',
};

/** The maximum time to wait because of a Retry-After, so that a misconfigured proxy cannot stop weeder for days. */
const longestWaitMs = 3_600_000;

/** The message of etcd, which older API servers pass on. */
const futureRevision = 'required revision is a future revision';

/**
 * Converts a response other than 2xx into a failure. `now` (epoch milliseconds) is needed for a `Retry-After` that is a
 * date. Of a confidential response only the message of a Status is quoted.
 */
export function classify(
  status: number,
  headers: ResponseHeaders,
  body: string,
  now: number,
  isConfidential = false,
): ApiFailure {
  const shown = isConfidential ? 'a body that is not shown' : describeBody(body);
  const statusBody = statusObject(body);
  if (statusBody === undefined && isForeign(status)) {
    return { type: 'badAnswer', status, message: `the response was ${status} with ${shown}` };
  }
  return failureFrom(status, statusBody, retryAfter(headers['retry-after'], now), shown);
}

/** Whether the server has not reached the resourceVersion of the request, for example because it was restored. */
export function isFromTheFuture({ causes = [], message }: ApiFailure): boolean {
  return causes.some(isTooLarge) || message.includes(futureRevision);
}

function isTooLarge({ reason }: FailureCause): boolean {
  return reason === 'ResourceVersionTooLarge';
}

/** Converts the Status object of an ERROR event in a watch into a failure. */
export function classifyStatus(object: unknown): ApiFailure {
  const statusBody = isObject(object) && object['kind'] === 'Status' ? object : undefined;
  const code = statusBody?.['code'];
  if (typeof code !== 'number')
    return { type: 'badAnswer', message: 'the watch reported an error without saying which' };
  return failureFrom(code, statusBody, undefined, describeBody(''));
}

/** Describes the body of a response for a message: its first line, shortened, or that it is HTML. */
export function describeBody(body: string): string {
  const text = body.trimStart();
  if (text === '') return 'an empty body';
  if (/^<(!doctype|html|head|body|\?xml)/i.test(text)) {
    const title = /<title>([^<]{1,80})/i.exec(text)?.[1]?.trim();
    return title === undefined ? 'HTML' : `HTML ("${title}")`;
  }
  const firstLine = text.split('\n', 1)[0] ?? '';
  return JSON.stringify(firstLine.length > 120 ? `${firstLine.slice(0, 120)}…` : firstLine);
}

function failureFrom(
  status: number,
  statusBody: Readonly<Record<string, unknown>> | undefined,
  retryAfterMs: number | undefined,
  shown: string,
): ApiFailure {
  const reason = statusBody?.['reason'];
  const message = statusBody?.['message'];
  const requested = retryAfterMs ?? secondsOf(statusBody);
  const wait = requested === undefined ? undefined : Math.min(requested, longestWaitMs);
  const causes = causesOf(statusBody);
  const about = subjectOf(statusBody);
  return {
    type: causes.some(isTooLarge) ? 'expired' : kindOf(status),
    status,
    ...(typeof reason === 'string' ? { reason } : {}),
    message: typeof message === 'string' && message !== '' ? message : `the response was ${status} with ${shown}`,
    ...(causes.length === 0 ? {} : { causes }),
    ...(about === undefined ? {} : { about }),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  };
}

function kindOf(status: number): FailureType {
  if (status >= 500) return 'unavailable';
  return kindByStatus[status] ?? 'rejected';
}

/**
 * Without a Status, these statuses come from something in front of the API server, and say nothing about the object.
 */
function isForeign(status: number): boolean {
  return status < 400 || status === 404 || status === 410;
}

function causesOf(statusBody: Readonly<Record<string, unknown>> | undefined): readonly FailureCause[] {
  return arrayOf(objectOf(statusBody?.['details'])['causes'])
    .map(objectOf)
    .map(({ reason, field, message }) => ({
      reason: textOf(reason) ?? '',
      field: textOf(field) ?? '',
      ...(typeof message === 'string' ? { message } : {}),
    }));
}

function subjectOf(statusBody: Readonly<Record<string, unknown>> | undefined): FailureSubject | undefined {
  const { group, kind, name } = objectOf(statusBody?.['details']);
  if (typeof name !== 'string' || name === '') return undefined;
  return { group: textOf(group) ?? '', kind: textOf(kind) ?? '', name };
}

function secondsOf(statusBody: Readonly<Record<string, unknown>> | undefined): number | undefined {
  const details = statusBody?.['details'];
  const seconds = isObject(details) ? details['retryAfterSeconds'] : undefined;
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1_000 : undefined;
}

/** RFC 9110: seconds, or an HTTP date. */
function retryAfter(header: string | string[] | undefined, now: number): number | undefined {
  const value = Array.isArray(header) ? header[0] : header;
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1_000;
  // `Date.parse` reads "-1" as a year.
  const date = /^[A-Z][a-z]+,? /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function statusObject(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return isObject(parsed) && parsed['kind'] === 'Status' ? parsed : undefined;
  } catch {
    return undefined;
  }
}
