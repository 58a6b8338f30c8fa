import type { KubeClient } from '../src/client/client.ts';

const failure = { type: 'network', message: 'connection refused' } as const;
const refused = async () => ({ ok: false, failure }) as const;

/** A client whose requests get these responses. No test expects that it opens a stream. */
export function clientOf(call: KubeClient['call']): KubeClient {
  return {
    server: 'https://api.test',
    call,
    openStream: () => Promise.reject(new Error('this client opens no streams')),
    renew: () => {},
    failureOf: () => failure,
    close: async () => {},
  };
}

/** A client of a server that cannot be reached. */
export const unreachable: KubeClient = { ...clientOf(refused), openStream: refused };
