import type { KubeClient } from './client.ts';

/**
 * The same client for what may wait: where nothing else is said, its requests come after the usual ones, and have
 * connections of their own, so that neither their number nor a request that hangs is felt by anybody else.
 */
export function inBackground(client: KubeClient): KubeClient {
  return {
    ...client,
    call: (request) => client.call({ rank: 'background', ...request }),
    openStream: (request) => client.openStream({ rank: 'background', ...request }),
  };
}
