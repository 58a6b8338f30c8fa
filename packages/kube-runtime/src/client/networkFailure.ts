import type { ApiFailure } from './failure.ts';

/** Thrown when a connection was closed because nothing arrived on it any more: it was half-open. */
export class SilentConnectionError extends Error {
  /** The minimum time for which nothing arrived, in milliseconds. */
  readonly silentMs: number;

  constructor(silentMs: number) {
    super('the connection does not respond');
    this.silentMs = silentMs;
  }
}

const tlsCode =
  /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|EPROTO$|HOSTNAME_MISMATCH)/;

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'the host name does not exist',
  EAI_AGAIN: 'the host name could not be resolved',
  EHOSTUNREACH: 'there is no route to this host',
  ENETUNREACH: 'there is no route to this network',
  UND_ERR_CONNECT_TIMEOUT: 'the connection could not be opened in time',
  UND_ERR_SOCKET: 'the connection was reset',
};

/** Converts what a request threw before its response was complete. `reason` is `TLS` if the server was not trusted. */
export function networkFailure(thrown: unknown): ApiFailure {
  const cause = innermost(thrown);
  if (cause instanceof SilentConnectionError) {
    return { type: 'timeout', message: cause.message, silentMs: cause.silentMs };
  }
  const { message } = cause;
  const code = codeOf(cause);
  if (tlsCode.test(code)) {
    return { type: 'network', reason: 'TLS', message: `the server is not trusted: ${message} (${code})` };
  }
  return { type: 'network', message: words[code] ?? (message || code || 'the connection was lost') };
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
