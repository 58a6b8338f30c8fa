import { readFileSync } from 'node:fs';
import { Agent } from 'undici';

interface Versioned {
  readonly metadata: { readonly resourceVersion: string };
}

/** HTTP/2 and nothing around it: for the scripts that weeder is measured beside. */
export interface BareClient {
  /** The whole answer, whatever its status. */
  send(method: 'DELETE' | 'PATCH', path: string, body: object, contentType?: string): Promise<string>;
  /** Everything with these labels, first as it is, then each change; survives no fault but the end of its stream. */
  follow<T extends Versioned>(stream: BareStream<T>): Promise<never>;
}

export interface BareStream<T> {
  readonly path: string;
  readonly labels: string;
  take(type: string, object: T): void;
  /** Called when everything that was there has been taken. */
  onSynced(): void;
}

/** The token is that of the variable `BENCH_TOKEN`. */
export function bareClient(origin: string, caFile: string): BareClient {
  const authorization = `Bearer ${process.env['BENCH_TOKEN']}`;
  const agent = new Agent({ connect: { ca: readFileSync(caFile, 'utf8') }, bodyTimeout: 0 });

  async function readStream(path: string, read: (line: string) => void): Promise<void> {
    const { body } = await agent.request({ origin, path, method: 'GET', headers: { authorization } });
    let rest = '';
    for await (const piece of body.setEncoding('utf8')) {
      const lines = `${rest}${piece}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) read(line);
    }
  }

  return {
    async send(method, path, body, contentType = 'application/json') {
      const headers = { authorization, 'content-type': contentType };
      const answer = await agent.request({ origin, path, method, headers, body: JSON.stringify(body) });
      return answer.body.text();
    },
    async follow<T extends Versioned>({ path, labels, take, onSynced }: BareStream<T>) {
      const common = `watch=true&allowWatchBookmarks=true&timeoutSeconds=3600&labelSelector=${encodeURIComponent(labels)}`;
      let version: string | undefined;
      const read = (line: string): void => {
        const { type, object }: { type: string; object: T } = JSON.parse(line);
        if (type !== 'BOOKMARK') take(type, object);
        else if (version === undefined) onSynced();
        if (type === 'BOOKMARK' || version !== undefined) version = object.metadata.resourceVersion;
      };
      // The API server ends the watch of a client that is slow to read: on a busy machine that is any client.
      for (;;) {
        const start = version
          ? `resourceVersion=${version}`
          : 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
        try {
          await readStream(`${path}?${common}&${start}`, read);
        } catch (error) {
          // Without a position there is nothing to go on from.
          if (version === undefined) throw error;
        }
      }
    },
  };
}
