import { type ApiServer, type ApiServerOptions, createApiServer, seededRandom } from '@weeder/embedded-cluster';
import type { Cursor } from '@weeder/embedded-cluster/registry';
import { namespaces } from '@weeder/embedded-cluster/resources';
import type { ApiRequest, ApiResult } from '@weeder/kube-runtime/client';
import { clientOf, inProcess, type RequestFault, settled, type VirtualClock } from '@weeder/kube-runtime/testing';
import type { StreamNeed } from '@weeder/kube-runtime/watch';
import { made } from './embedded.ts';
import { openStream } from './simulatedStreams.ts';

/** The embedded API server in virtual time, without HTTP, and the client and streams of a controller. */
export type SimulatedCluster = ReturnType<typeof simulatedCluster>;

/** It has the namespace `shop`. */
export function simulatedCluster(clock: VirtualClock, options: ApiServerOptions = {}) {
  const server = createApiServer({ clock, random: seededRandom(1), ...options });
  made(server.store.create(namespaces, { metadata: { name: 'shop' } }));
  const requests = inProcess(server, clock);

  async function call(request: ApiRequest, fault: RequestFault | undefined): Promise<ApiResult> {
    await settled();
    return requests.call(request, fault);
  }

  return {
    server,
    /** `faultOf` is called before each request. */
    client: (faultOf: (request: ApiRequest) => RequestFault | undefined) =>
      clientOf((request) => call(request, faultOf(request))),
    /** Delivers the objects of these streams, and each change at once. Returns a function that closes them. */
    follow(needs: Iterable<StreamNeed>) {
      const cursors = [...needs].map((need) => open(server, need));
      return () => {
        for (const cursor of cursors) cursor?.close();
      };
    },
    /** The number of requests whose responses wait for time to pass. */
    get waiting() {
      return requests.waiting;
    },
  };
}

/** Delivers the list now, and each change as soon as it is made. */
function open({ storage }: ApiServer, need: StreamNeed): Cursor | undefined {
  const { cursor, deliverDue } = openStream(storage, need, queueMicrotask);
  need.sink.begin();
  deliverDue();
  return cursor;
}
