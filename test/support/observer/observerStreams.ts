import { addressOf } from '@weeder/embedded-cluster/registry';
import { objectOf } from '@weeder/kube-runtime/base';
import type { StreamNeed } from '@weeder/kube-runtime/watch';
import { forwardingTo, type ObjectSink } from '@weeder/kube-runtime/watch';
import type { SimulatedCluster } from '../world/cluster.ts';

/** The streams of an observer, which open and close while it runs. */
export type ObserverStreams = ReturnType<typeof observerStreams>;

export function observerStreams() {
  const open = new Map<string, () => void>();
  const hidden = new Set<unknown>();

  function close(name: string): void {
    open.get(name)?.();
    open.delete(name);
  }

  function reporting(sink: ObjectSink): ObjectSink {
    let isListing = false;
    return {
      ...forwardingTo(sink),
      begin() {
        isListing = true;
        sink.begin();
      },
      apply(type, object) {
        const { resourceVersion } = objectOf(objectOf(object)['metadata']);
        if (isListing || !hidden.has(resourceVersion)) sink.apply(type, object);
      },
      end(resourceVersion) {
        isListing = false;
        sink.end(resourceVersion);
      },
    };
  }

  return {
    /** Opens those that are not open yet. A kind that is not served is never listed. */
    follow(cluster: SimulatedCluster, needs: ReadonlyMap<string, StreamNeed>) {
      const { resources } = cluster.server.storage;
      for (const [name, need] of needs) {
        if (open.has(name) || addressOf(resources, need.path).type !== 'resource') continue;
        // The list may close the stream.
        open.set(name, () => {});
        open.set(name, cluster.follow([{ ...need, sink: reporting(need.sink) }]));
      }
    },
    close,
    closeAll() {
      for (const name of [...open.keys()]) close(name);
    },
    /** No stream reports the change to this version, which only a list shows. */
    hide: (resourceVersion: string) => void hidden.add(resourceVersion),
  };
}
