import type { IncomingHttpHeaders } from 'node:http';
import type { Response } from './exchange.ts';

/** A request that reaches the server without HTTP. */
export interface PlainRequest {
  readonly method: string;
  /** With the query string, and without a host. */
  readonly url: string;
  /** With lower-case names. */
  readonly headers?: IncomingHttpHeaders;
  readonly body?: string;
}

export interface PlainResponse {
  readonly status: number;
  /** With lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Collects the response to a finite request. Watches need another response, or the `watch` of the store. */
export function plainResponse(): { readonly response: Response; readonly collected: () => PlainResponse } {
  const sent = new Map<string, string>();
  let status = 0;
  let text: string | undefined;
  const response: Response = {
    get headersSent() {
      return status !== 0;
    },
    get writableEnded() {
      return text !== undefined;
    },
    destroyed: false,
    flushHeaders: endless,
    write: endless,
    once: endless,
    setHeader: (name, value) => sent.set(name.toLowerCase(), value),
    writeHead(code, more) {
      status = code;
      for (const [name, value] of Object.entries(more)) sent.set(name.toLowerCase(), String(value));
    },
    end(content = '') {
      text = content.toString();
    },
  };
  return {
    response,
    collected: () => ({ status, headers: Object.fromEntries(sent), body: text ?? '' }),
  };
}

function endless(): never {
  throw new Error('`request` does not serve watches: use `respond` or `store.watch`');
}
