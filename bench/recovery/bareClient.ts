import { readFileSync } from 'node:fs';
import { Agent } from 'undici';

interface Versioned {
  readonly metadata: { readonly resourceVersion: string };
}

/** A minimal HTTP/2 client for the bare scripts. */
export interface BareClient {
  /** Returns the whole response body, regardless of the status. */
  send(method: 'DELETE' | 'PATCH', path: string, body: object, contentType?: string): Promise<string>;
  /** Lists and watches all objects with these labels. It survives no failure except the end of its stream. */
  follow<T extends Versioned>(stream: BareStream<T>): Promise<never>;
}

export interface BareStream<T> {
  readonly path: string;
  readonly labels: string;
  onEvent(type: string, object: T): void;
  /** Called after the initial list. */
  onSynced(): void;
}

/** Uses the token of the variable `BENCH_TOKEN`. */
export function bareClient(origin: string, caFile: string): BareClient {
  const authorization = `Bearer ${process.env['BENCH_TOKEN']}`;
  const agent = new Agent({ connect: { ca: readFileSync(caFile, 'utf8') }, bodyTimeout: 0 });

  async function readStream(path: string, read: (line: string) => void): Promise<void> {
    const { body } = await agent.request({ origin, path, method: 'GET', headers: { authorization } });
    let rest = '';
    for await (const chunk of body.setEncoding('utf8')) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) read(line);
    }
  }

  return {
    async send(method, path, body, contentType = 'application/json') {
      const headers = { authorization, 'content-type': contentType };
      const response = await agent.request({ origin, path, method, headers, body: JSON.stringify(body) });
      return response.body.text();
    },
    async follow<T extends Versioned>({ path, labels, onEvent, onSynced }: BareStream<T>) {
      const common = `watch=true&allowWatchBookmarks=true&timeoutSeconds=3600&labelSelector=${encodeURIComponent(labels)}`;
      let version: string | undefined;
      const read = (line: string): void => {
        const { type, object }: { type: string; object: T } = JSON.parse(line);
        if (type !== 'BOOKMARK') onEvent(type, object);
        else if (version === undefined) onSynced();
        if (type === 'BOOKMARK' || version !== undefined) version = object.metadata.resourceVersion;
      };
      // The API server ends the watch of a slow client, which on a busy machine can be any client.
      for (;;) {
        const start = version
          ? `resourceVersion=${version}`
          : 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
        try {
          await readStream(`${path}?${common}&${start}`, read);
        } catch (error) {
          // Without a resourceVersion, the watch cannot resume.
          if (version === undefined) throw error;
        }
      }
    },
  };
}
