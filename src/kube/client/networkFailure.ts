import type { ApiFailure } from './failure.ts';

/** Thrown when a connection was closed because nothing arrived on it any more: it was half-open. */
export class SilentConnectionError extends Error {
  /** The minimum time for which nothing arrived, in milliseconds. */
  readonly silentMs: number;

  constructor(silentMs: number) {
    super('the connection does not answer');
    this.silentMs = silentMs;
  }
}

const tlsCode =
  /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|EPROTO$|HOSTNAME_MISMATCH)/;

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there (connection refused)',
  ECONNRESET: 'the connection was broken off',
  ENOTFOUND: 'there is no host of this name',
  EAI_AGAIN: 'the name could not be looked up',
  EHOSTUNREACH: 'there is no way to this host',
  ENETUNREACH: 'there is no way to this network',
  UND_ERR_CONNECT_TIMEOUT: 'the connection could not be opened in time',
  UND_ERR_SOCKET: 'the connection was broken off',
};

/** Converts what a request threw before its response was complete. `reason` is `TLS` if the server was not trusted. */
export function networkFailure(thrown: unknown): ApiFailure {
  const cause = innermost(thrown);
  if (cause instanceof SilentConnectionError) {
    return { kind: 'timeout', message: cause.message, silentMs: cause.silentMs };
  }
  const { message } = cause;
  const code = codeOf(cause);
  if (tlsCode.test(code)) {
    return { kind: 'network', reason: 'TLS', message: `no trust between us and the server: ${message} (${code})` };
  }
  return { kind: 'network', message: words[code] ?? (message || code || 'the connection was lost') };
}

/** Errors wrap one another, and an AggregateError has one for each address that was tried. */
function innermost(thrown: unknown): Error {
  if (!(thrown instanceof Error)) return new Error(String(thrown));
  const [first]: readonly unknown[] = thrown instanceof AggregateError ? thrown.errors : [];
  if (first !== undefined) return innermost(first);
  return thrown.cause instanceof Error && !(codeOf(thrown) in words) ? innermost(thrown.cause) : thrown;
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
