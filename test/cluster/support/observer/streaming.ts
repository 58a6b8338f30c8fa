import { systemClock } from '@weeder/kube-runtime/base';
import { testSink } from '@weeder/kube-runtime/testing';
import { createStreamStatuses, provideReflector, type WatchSource } from '@weeder/kube-runtime/watch';
import { createActor } from 'xstate';
import { type Cleanup, cleanUp } from '../cleanup.ts';

import type { Cluster } from '../plane/access.ts';
import { kubeClientFor } from '../plane/kubeClient.ts';

/** A reflector of weeder on a real API server. */
export type Streaming = ReturnType<typeof startStreaming>;

export interface StreamingOptions {
  readonly path: string;
  readonly kind: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly as?: 'metadata';
  readonly reduce?: NonNullable<WatchSource['reduce']>;
  readonly user?: string;
  readonly isBoring?: (name: string) => boolean;
}

/** Starts it; it stops with the test. */
export function startStreaming(t: Cleanup, cluster: Cluster, options: StreamingOptions) {
  const client = kubeClientFor(cluster.kubeconfigFor(options.user ?? 'admin'));
  const sink = testSink(options.isBoring);
  const logged: string[] = [];
  const note = (_event: object, sentence: string) => void logged.push(sentence);
  const { user: _user, isBoring: _isBoring, labelSelector = '', ...source } = options;
  const machine = provideReflector({
    client,
    clock: systemClock,
    statuses: createStreamStatuses(systemClock),
    log: { debug: () => undefined, info: note, warn: note },
    sourceOf: () => ({ ...source, labelSelector, sink }),
  });
  const actor = createActor(machine, { clock: systemClock, input: { name: 'test' } });
  actor.start();
  cleanUp(t, async () => {
    actor.stop();
    await client.close();
  });
  return {
    client,
    sink,
    /** The sentences of its log at info and above, in order. */
    logged,
    isWatching: () => actor.getSnapshot().matches({ connected: 'watching' }),
  };
}
