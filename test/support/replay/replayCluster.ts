import { type JsonObject, objectOf, textOf } from '../../../src/base/json.ts';
import { type Config, distinctSelectors } from '../../../src/config/config.ts';
import { matchesSelector } from '../../../src/kube/objects/selector.ts';
import type { StreamNeed } from '../../../src/kube/watch/streamNeed.ts';
import { labelsOf } from '../../../src/weeder/pods/fanOut.ts';

export type Kind = 'Pod' | 'EndpointSlice';

/** The objects of a cluster, and the streams that deliver them. */
export interface ReplayCluster {
  /** Creates or replaces; `isSeen` false: the streams are late. */
  put(object: JsonObject, isSeen?: boolean): void;
  remove(kind: Kind, namespace: string, name: string): void;
  get(kind: Kind, namespace: string, name: string): JsonObject | undefined;
  /** These streams are open from now on: new ones begin with their complete lists. */
  follow(needs: ReadonlyMap<string, StreamNeed>, config: Config): void;
  /** The streams of this kind deliver nothing until they are listed again. */
  cut(kind: Kind): void;
  relist(kind: Kind): void;
}

interface Stream {
  readonly kind: Kind;
  change(key: string, object: JsonObject | undefined): void;
  cut(): void;
  list(objects: ReadonlyMap<string, JsonObject>): void;
}

export function replayCluster(): ReplayCluster {
  const objects = { Pod: new Map<string, JsonObject>(), EndpointSlice: new Map<string, JsonObject>() };
  const streams = new Map<StreamNeed, Stream>();

  const deliver = (kind: Kind, key: string, object: JsonObject | undefined) => {
    for (const stream of [...streams.values()]) if (stream.kind === kind) stream.change(key, object);
  };
  const relist = (kind: Kind) => {
    for (const stream of [...streams.values()]) if (stream.kind === kind) stream.list(objects[kind]);
  };

  return {
    put(object, isSeen = true) {
      const kind = object['kind'] === 'Pod' ? 'Pod' : 'EndpointSlice';
      const key = keyOf(object);
      objects[kind].set(key, object);
      if (isSeen) deliver(kind, key, object);
    },
    remove(kind, namespace, name) {
      const key = `${namespace}/${name}`;
      objects[kind].delete(key);
      deliver(kind, key, undefined);
    },
    get: (kind, namespace, name) => objects[kind].get(`${namespace}/${name}`),
    follow(needs, config) {
      const open = [...needs.values()];
      for (const need of streams.keys()) if (!open.includes(need)) streams.delete(need);
      const opened = open.filter((need) => !streams.has(need));
      for (const need of opened) streams.set(need, streamOf(need, config));
      // A list may end the streams that this one replaces.
      for (const need of opened) streams.get(need)?.list(objects[need.kind === 'Pod' ? 'Pod' : 'EndpointSlice']);
    },
    cut(kind) {
      for (const stream of streams.values()) if (stream.kind === kind) stream.cut();
    },
    relist,
  };
}

/** What a watch with this selector delivers: an object that stops matching is DELETED, and so is a predecessor. */
function streamOf({ kind, labelSelector, sink }: StreamNeed, config: Config): Stream {
  const delivered = new Map<string, JsonObject>();
  let isCut = false;
  const selector = distinctSelectors(config).get(labelSelector);
  const selects = (object: JsonObject) =>
    kind === 'Pod'
      ? selector === undefined || matchesSelector(selector, labelsOf(object))
      : config.services.has(labelsOf(object)['kubernetes.io/service-name'] ?? '');

  return {
    kind: kind === 'Pod' ? 'Pod' : 'EndpointSlice',
    change(key, object) {
      if (isCut) return;
      const was = delivered.get(key);
      const is = object !== undefined && selects(object) ? object : undefined;
      const isSame = was !== undefined && is !== undefined && uidOf(was) === uidOf(is);
      if (was !== undefined && !isSame) {
        delivered.delete(key);
        sink.apply('DELETED', was);
      }
      if (is === undefined) return;
      delivered.set(key, is);
      sink.apply(isSame ? 'MODIFIED' : 'ADDED', is);
    },
    cut() {
      isCut = true;
    },
    list(objects) {
      isCut = false;
      delivered.clear();
      sink.begin();
      for (const [key, object] of objects) {
        if (!selects(object)) continue;
        delivered.set(key, object);
        sink.apply('ADDED', object);
      }
      sink.end();
    },
  };
}

function metaOf(object: JsonObject): JsonObject {
  return objectOf(object['metadata']);
}

function keyOf(object: JsonObject): string {
  return `${textOf(metaOf(object)['namespace']) ?? ''}/${textOf(metaOf(object)['name']) ?? ''}`;
}

function uidOf(object: JsonObject): unknown {
  return metaOf(object)['uid'];
}
