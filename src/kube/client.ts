import type { ApiFailure } from './failure.ts';

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
  /** Ends the request, with a failure of kind `cancelled`. */
  readonly signal?: AbortSignal;
  /** How long the headers, and after them each next piece of the answer, may take. Default: 10,000. */
  readonly timeoutMs?: number;
}

/** The parsed answer (undefined for an empty one), or why there is none. */
export type ApiResult =
  | { readonly ok: true; readonly status: number; readonly body: unknown }
  | { readonly ok: false; readonly failure: ApiFailure };

/** An answer whose body is still coming in, or why there is none. */
export type StreamResult =
  | { readonly ok: true; readonly body: AsyncIterable<Buffer>; readonly connection: number }
  | { readonly ok: false; readonly failure: ApiFailure };

/** What a request was and how it went; for metrics. */
export interface RequestFact {
  readonly method: ApiRequest['method'];
  readonly path: string;
  readonly outcome: number | ApiFailure['kind'];
  readonly durationMs: number;
}

/** The one way to the cluster. Nothing here ever throws or rejects. */
export interface KubeClient {
  /** The server's URL, for sentences. */
  readonly server: string;
  /** One request, one answer. */
  call(request: ApiRequest): Promise<ApiResult>;
  /**
   * Opens an answer that has no end: resolves when its headers are there. Iterating over `body` throws when the
   * connection breaks; `signal` ends it.
   */
  openStream(request: ApiRequest): Promise<StreamResult>;
  /** Tells that the `connection` of a stream is dead: replaced by new ones once, however often it is told. */
  renew(connection: number): void;
  /** Ends everything that is under way and closes the connections. */
  close(): Promise<void>;
}
