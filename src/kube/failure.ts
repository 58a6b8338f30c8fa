/** Why a request did not bring what was asked for. */
export type FailureKind =
  /** 404: what was asked for does not exist. */
  | 'notFound'
  /** 409: it changed meanwhile (a precondition does not hold), or exists already. */
  | 'conflict'
  /** 410: the resourceVersion or continue token is too old. */
  | 'expired'
  /** 429: too many requests, or a PodDisruptionBudget forbids the eviction now. */
  | 'throttled'
  /** 401: the server does not know who we are. */
  | 'unauthorized'
  /** 403: it knows, and does not allow it. */
  | 'forbidden'
  /** 422: the object or a parameter is not valid, or admission refused it. */
  | 'invalid'
  /** 5xx. */
  | 'unavailable'
  /** 400, 405 and every other 4xx: the request itself is wrong. */
  | 'rejected'
  /** No connection, or it broke. */
  | 'network'
  /** No answer in time. */
  | 'timeout'
  /** An answer that is not what a Kubernetes API server says: HTML, not JSON, the wrong shape. */
  | 'badAnswer'
  /** The credentials could not be had: an unreadable token file, a failing exec plugin. */
  | 'credentials'
  /** The caller's own signal ended it. */
  | 'cancelled';

/** A request that failed, as a value. */
export interface ApiFailure {
  readonly kind: FailureKind;
  /** The HTTP status, where there was an answer. */
  readonly status?: number;
  /** `reason` of the server's Status, such as `TooManyRequests`. */
  readonly reason?: string;
  /** One sentence or part of one, the server's own where it gave one. */
  readonly message: string;
  /** How long the server asks to wait, in milliseconds. */
  readonly retryAfterMs?: number;
}
