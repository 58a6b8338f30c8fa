import type { Rank } from './rateLimit.ts';

/** One request to the API server. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute and without the query: `/api/v1/pods`. */
  readonly path: string;
  /** Undefined values are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** For PATCH, where it says which kind of patch it is. Default: `application/json`. */
  readonly contentType?: string;
  /**
   * Who is to ask in our place, such as `system:serviceaccount:shop:default`: `Impersonate-User` and nothing else, for
   * the server itself adds a ServiceAccount's groups, and saying them takes one more right over the whole cluster.
   */
  readonly impersonate?: string;
  /** In which form the answer is wanted, as `acceptOf` gives it. Default: `application/json`. */
  readonly accept?: string;
  /** `If-None-Match`: where the answer would still be the one of this `etag`, its status is 304 and its body undefined. */
  readonly etag?: string;
  /** Its answer may hold secrets: no failure quotes from it, but for the message of a Status. */
  readonly isConfidential?: boolean;
  /** Ends the request, with a failure of kind `cancelled`. */
  readonly signal?: AbortSignal;
  /** Asked at the moment in which it would be sent: false = it is not, and fails as `cancelled`. */
  readonly isWanted?: () => boolean;
  /**
   * How long the headers, and after them each next piece of the answer, may take; all of an answer that ends may take
   * three times as long. Default: 10,000.
   */
  readonly timeoutMs?: number;
  /** Whether it succeeds is all that is asked: it ends with the headers of a success, and its body is undefined. */
  readonly onlyStatus?: boolean;
  /**
   * `urgent`: the client's own limit does not hold it up. `background`: it lets usual ones go first, and has connections
   * of its own. `last`: it lets it go only when it is not needed for anything else. Default: `usual`.
   */
  readonly rank?: Rank | 'urgent';
  /** Told of the headers (0) and of each piece of the answer as it comes in, with its bytes. */
  readonly onHeard?: (bytes: number) => void;
}
