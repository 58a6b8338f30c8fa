import type { Rank } from './rateLimit.ts';

/** One request to the API server. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute, without the query: `/api/v1/pods`. */
  readonly path: string;
  /** Undefined values are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** The kind of patch, for PATCH. Default: `application/json`. */
  readonly contentType?: string;
  /**
   * The user to impersonate, such as `system:serviceaccount:shop:default`. Only `Impersonate-User` is sent: the server
   * itself adds the groups of a ServiceAccount, and to send them would require one more cluster-wide permission.
   */
  readonly impersonate?: string;
  /** The `Accept` header, as `acceptOf` gives it. Default: `application/json`. */
  readonly accept?: string;
  /** `If-None-Match`: if the response would still have this `etag`, its status is 304 and its body is undefined. */
  readonly etag?: string;
  /** The response may contain secrets: failures quote nothing of it except the message of a Status. */
  readonly isConfidential?: boolean;
  /** Ends the request, with a failure of kind `cancelled`. */
  readonly signal?: AbortSignal;
  /**
   * Called when the request is about to be sent: if it returns false, the request is not sent and fails as `cancelled`.
   */
  readonly isNeeded?: () => boolean;
  /**
   * How long the headers, and then each next part of the response, may take, in milliseconds; a whole finite response
   * may take three times as long. Default: 10,000.
   */
  readonly timeoutMs?: number;
  /** The response body is text and not JSON. */
  readonly isText?: boolean;
  /**
   * Only the last `keep` bytes of the body are kept, default all, and a body of more than `limit` bytes is a failure with
   * `isTooLong`. Default: 128 MiB.
   */
  readonly tail?: { readonly keep?: number; readonly limit: number };
  /** Only the success matters: the request ends with the headers of a success, and its body is undefined. */
  readonly onlyStatus?: boolean;
  /**
   * `urgent`: exempt from the client-side limit. `background`: usual requests go first, and it has its own connections.
   * `last`: sent only if the token is not needed for anything else. Default: `usual`.
   */
  readonly rank?: Rank | 'urgent';
  /** Called with 0 for the headers, and with the number of bytes of each part of the response. */
  readonly onReceived?: (bytes: number) => void;
}
