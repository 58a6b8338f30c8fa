import type { Clock, TimerHandle } from '@weeder/kube-runtime/base';
import { objectOf, textOf } from '@weeder/kube-runtime/base';
import { apiPath } from '@weeder/kube-runtime/objects';
import type { ClosableSink } from '@weeder/kube-runtime/watch';
import { createStreamSet, type OpenStream, type StreamSet } from '@weeder/kube-runtime/watch';

export interface KindStreamsOptions {
  readonly clock: Clock;
  /** A definition of kinds of this group has changed. Undefined: any group may have changed. */
  readonly onKindChanged: (group: string | undefined) => void;
  /** `needs` has changed. */
  readonly onChanged: () => void;
  /** The stream with this name delivers nothing more. */
  readonly onClosed: (name: string) => void;
}

/** The streams of CustomResourceDefinitions and APIServices. They are open while a caller waits for a kind. */
export interface KindStreams extends Pick<StreamSet<OpenStream>, 'needs'> {
  await(isWaiting: boolean): void;
  /** Closes no stream. Afterwards no timer keeps the process running. */
  stop(): void;
}

/** How long the streams stay open without a waiting caller, so that they are not listed repeatedly. Milliseconds. */
const idleTimeout = 60_000;

const collections = [
  { plural: 'customresourcedefinitions', kind: 'CustomResourceDefinition', apiVersion: 'apiextensions.k8s.io/v1' },
  { plural: 'apiservices', kind: 'APIService', apiVersion: 'apiregistration.k8s.io/v1' },
] as const;

/**
 * The streams request only metadata, because a definition may have a megabyte and its name contains the group. Without
 * the permission to read them, weeder finds new kinds when the discovery cache expires.
 */
export function createKindStreams({ clock, onKindChanged, onChanged, onClosed }: KindStreamsOptions): KindStreams {
  const streams = createStreamSet({ synced: () => {}, closed: onClosed });
  let closing: TimerHandle | undefined;
  let isStopped = false;

  function open(): void {
    for (const { plural, kind, apiVersion } of collections) {
      const sink = changeSink(onKindChanged);
      const need = {
        path: apiPath(apiVersion, plural),
        kind,
        as: 'metadata',
        labelSelector: '',
        isOptional: true,
        sink,
      } as const;
      streams.open({ name: plural, sink, isSynced: false }, need);
    }
    onChanged();
  }

  function close(): void {
    for (const stream of streams.all()) streams.close(stream);
    onChanged();
  }

  return {
    needs: streams.needs,
    await(isWaiting) {
      clock.clearTimeout(closing);
      closing = undefined;
      if (isStopped) return;
      if (!isWaiting) closing = clock.setTimeout(close, idleTimeout);
      else if (streams.needs.size === 0) open();
    },
    stop() {
      isStopped = true;
      clock.clearTimeout(closing);
    },
  };
}

/** The names are `widgets.example.org` and `v1.example.org`. Objects of the initial list are not changes. */
function changeSink(onChange: KindStreamsOptions['onKindChanged']): ClosableSink {
  let isListing = false;
  return {
    begin() {
      isListing = true;
    },
    apply(_type, object) {
      const name = textOf(objectOf(objectOf(object)['metadata'])['name']) ?? '';
      if (!isListing) onChange(name.slice(name.indexOf('.') + 1));
    },
    end() {
      isListing = false;
      onChange(undefined);
    },
    close: () => undefined,
  };
}
