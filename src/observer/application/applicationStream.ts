import { objectOf, textOf } from '@weeder/kube-runtime/base';
import { placeSuffix, placesOf } from '@weeder/kube-runtime/objects';
import type { ClosableSink, StreamNeed } from '@weeder/kube-runtime/watch';
import { createSharedObjects } from '@weeder/kube-runtime/watch';
import type { OwnedNamespaces } from '../../controller/ownedNamespaces.ts';
import { applicationsPath } from '../status/applicationApi.ts';

/** Receives Application objects. `id`: `namespace/name`. */
export interface ApplicationListener {
  take(id: string, object: unknown): void;
  /** The known version says nothing about later ones: the same generation may have another spec. */
  rewound(id: string): void;
  remove(id: string): void;
}

/** Wraps the sink of the stream with this name. */
export type WrapApplicationSink = (name: string, sink: ClosableSink) => ClosableSink;

interface ApplicationStreamsOptions {
  readonly namespaces: 'all' | readonly string[];
  /** Undefined: all namespaces. */
  readonly owned: Pick<OwnedNamespaces, 'onlyOwned'> | undefined;
  readonly listener: ApplicationListener;
  /** Wraps the sink behind this filter: it does not receive objects of other namespaces. */
  readonly wrap?: WrapApplicationSink;
  /** Called each time a stream has read its complete list. */
  readonly onSynced: (name: string) => void;
}

const whenMissing =
  'The API server has no kind applications.weeder.dev: apply deploy/components/observer-named/crd.yaml, or take the section observer out of the config.';

/** Returns the streams of applications, one for each watched namespace or for the cluster, by name. */
export function applicationStreams(options: ApplicationStreamsOptions): ReadonlyMap<string, StreamNeed> {
  const { namespaces, owned, listener, wrap = (_name, sink) => sink, onSynced } = options;
  return new Map(
    placesOf(namespaces).map((namespace) => {
      const name = `applications${placeSuffix(namespace)}`;
      const sink = wrap(
        name,
        applicationSink(listener, () => onSynced(name)),
      );
      const need: StreamNeed = {
        name,
        path: applicationsPath(namespace),
        kind: 'Application',
        labelSelector: '',
        whenMissing,
        sink,
      };
      return [name, owned?.onlyOwned(need) ?? need] as const;
    }),
  );
}

function applicationSink({ take, rewound, remove }: ApplicationListener, onSynced: () => void): ClosableSink {
  const objects = createSharedObjects().stream();
  return {
    begin: objects.begin,
    apply(type, object) {
      const { namespace, name } = objectOf(objectOf(object)['metadata']);
      const [place, application] = [textOf(namespace), textOf(name)];
      if (place === undefined || application === undefined) return;
      const id = `${place}/${application}`;
      if (type !== 'DELETED') {
        objects.add(id);
        take(id, object);
      } else if (objects.remove(id)) remove(id);
    },
    end() {
      for (const id of objects.end()) remove(id);
      onSynced();
    },
    rewound() {
      for (const id of objects.keys()) rewound(id);
    },
    close() {
      for (const id of objects.close()) remove(id);
    },
  };
}
