import type { Clock, TimerHandle } from '@weeder/kube-runtime/base';
import { objectOf } from '@weeder/kube-runtime/base';
import { createStreamSet, type OpenStream, type StreamNeed } from '@weeder/kube-runtime/watch';
import type { Config, Webhooks } from '../config/config.ts';
import { withWebhooks } from '../config/serviceLookup.ts';
import { type PodWebhook, podWebhooksOf, servicesByWebhook, webhookStreams } from './owners/webhooks.ts';

/** Watches the services of the webhooks without which no pod can be created, in addition to those of the config. */
interface WebhookServices {
  /** The streams of webhook configurations: none without the section `podCreation`. */
  readonly needs: ReadonlyMap<string, StreamNeed>;
  /** Returns the new config with the webhooks that the cluster has now. */
  configure(config: Config): Config;
  stop(): void;
}

interface WebhookServicesOptions {
  readonly clock: Clock;
  readonly config: Config;
  /** Puts the config with other webhooks into force. */
  readonly apply: (config: Config) => void;
  readonly onStreamsChanged: () => void;
  readonly onStreamClosed: (name: string) => void;
}

/** Changes within this time are applied together. Milliseconds. */
const batchTime = 1000;

export function createWebhookServices(options: WebhookServicesOptions): WebhookServices {
  const { clock, apply, onStreamsChanged, onStreamClosed } = options;
  let config = options.config;
  let applied: Webhooks = new Map();
  let timer: TimerHandle | undefined;
  let isStopped = false;
  /** By the kind and name of the configuration. */
  const found = new Map<string, readonly PodWebhook[]>();
  const streams = createStreamSet<OpenStream>({ synced: applyNow, closed: onStreamClosed });

  function applySoon(): void {
    if (!isStopped) timer ??= clock.setTimeout(applyNow, batchTime);
  }

  function applyNow(): void {
    clock.clearTimeout(timer);
    timer = undefined;
    const webhooks = servicesByWebhook([...found.values()].flat());
    if (isStopped || config.podCreation === undefined || textOf(webhooks) === textOf(applied)) return;
    applied = webhooks;
    apply(withWebhooks(config, applied));
  }

  function open({ name, kind, ...need }: (typeof webhookStreams)[number]): void {
    let listed: Set<string> | undefined;
    const ofKind = () => [...found.keys()].filter((key) => key.startsWith(`${kind}/`));
    const sink: OpenStream['sink'] = {
      begin() {
        listed = new Set();
      },
      apply(type, object) {
        const key = `${kind}/${String(objectOf(objectOf(object)['metadata'])['name'])}`;
        listed?.add(key);
        if (type === 'DELETED') found.delete(key);
        else found.set(key, podWebhooksOf(objectOf(object)));
        if (listed === undefined) applySoon();
      },
      end() {
        for (const key of ofKind()) if (listed?.has(key) !== true) found.delete(key);
        listed = undefined;
        streams.synced(stream);
      },
      close() {
        for (const key of ofKind()) found.delete(key);
      },
    };
    const stream: OpenStream = { name, sink, isSynced: false };
    // They may lack their permission, which is one of its own, and nothing else waits for them.
    streams.open(stream, { ...need, kind, sink, isOptional: true, isAwaited: false });
  }

  function arrange(): boolean {
    const isOn = config.podCreation !== undefined;
    if (isOn === streams.all().length > 0) return false;
    if (isOn) for (const need of webhookStreams) open(need);
    else for (const stream of streams.all()) streams.close(stream);
    return true;
  }

  arrange();
  return {
    needs: streams.needs,
    configure(next) {
      config = next;
      if (arrange()) onStreamsChanged();
      applied = config.podCreation === undefined ? new Map() : applied;
      return withWebhooks(config, applied);
    },
    stop() {
      isStopped = true;
      clock.clearTimeout(timer);
    },
  };
}

function textOf(webhooks: Webhooks): string {
  return JSON.stringify([...webhooks].map(([name, services]) => [name, [...services].sort()]).sort());
}
