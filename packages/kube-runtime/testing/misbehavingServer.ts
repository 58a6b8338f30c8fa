import { type ApiServer, createApiServer } from '@weeder/embedded-cluster';
import { type Clock, systemClock } from '../src/base/clock.ts';
import { type FaultyServer, faultyServer, type Protocol, type Serve, type ServerAnswer } from './faultyServer.ts';
import { type PodStore, podStore } from './podStore.ts';

/** An embedded API server behind a server with faults that tests inject. */
export interface MisbehavingServer extends FaultyServer {
  readonly store: PodStore;
}

/** Starts the server on a free port of 127.0.0.1. Watches end by `clock`. */
export async function misbehavingServer(protocol: Protocol, clock: Clock = systemClock): Promise<MisbehavingServer> {
  const api = createApiServer({ clock });
  const server = await faultyServer(protocol, serveBy(api));
  return Object.assign(server, { store: podStore(api.storage) });
}

function serveBy(api: ApiServer): Serve {
  return ({ method, path, query, headers, body }, answer) => {
    const url = query.size === 0 ? path : `${path}?${query}`;
    void api.respond({ method, url, headers, body }, responseOver(answer));
  };
}

/** A response that is never full, however slowly the client reads. */
function responseOver(answer: ServerAnswer): Parameters<ApiServer['respond']>[1] {
  const sent = new Map<string, string>();
  const state = { headersSent: false, destroyed: false, writableEnded: false };
  answer.onClose(() => {
    state.destroyed = true;
  });
  return Object.assign(state, {
    flushHeaders() {},
    setHeader: (name: string, value: string) => sent.set(name, value),
    writeHead(code: number, headers: Readonly<Record<string, string | number>>) {
      state.headersSent = true;
      for (const [name, value] of Object.entries(headers)) sent.set(name, String(value));
      answer.head(code, Object.fromEntries(sent));
    },
    write(text: string) {
      answer.write(text);
      return true;
    },
    end(content?: string | Buffer) {
      state.writableEnded = true;
      answer.end(content);
    },
    once(event: 'close' | 'drain', listener: () => void) {
      if (event === 'close') answer.onClose(listener);
    },
  });
}
