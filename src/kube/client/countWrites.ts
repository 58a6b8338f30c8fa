import type { KubeClient } from './client.ts';

/** A client that knows how many of its requests that may change something are under way. */
interface CountingClient extends KubeClient {
  readonly writes: number;
}

export function countWrites(client: KubeClient): CountingClient {
  let writes = 0;
  return {
    ...client,
    async call(request) {
      if (request.method === 'GET') return client.call(request);
      writes += 1;
      try {
        return await client.call(request);
      } finally {
        writes -= 1;
      }
    },
    get writes() {
      return writes;
    },
  };
}
