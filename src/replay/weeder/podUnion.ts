import { isObject, type JsonObject } from '@weeder/kube-runtime/base';
import { uidOf } from '@weeder/kube-runtime/objects';
import type { ChangeType, ClosableSink } from '@weeder/kube-runtime/watch';

/** The pods of several recorded streams as one stream: a pod is deleted when none of them has it. */
export interface PodUnion {
  createSink(): ClosableSink;
}

/** Calls `notify` with each change. */
export function createPodUnion(notify: (type: ChangeType, pod: JsonObject) => void): PodUnion {
  const streams = new Set<Map<string, JsonObject>>();

  function remove(pods: Map<string, JsonObject>, uid: string, pod: JsonObject): void {
    if (pods.delete(uid) && ![...streams].some((others) => others.has(uid))) notify('DELETED', pod);
  }

  return {
    createSink() {
      const pods = new Map<string, JsonObject>();
      let listed: Set<string> | undefined;
      streams.add(pods);
      return {
        begin() {
          listed = new Set();
        },
        apply(type, object) {
          if (!isObject(object)) return;
          const uid = uidOf(object);
          if (type === 'DELETED') {
            remove(pods, uid, object);
            return;
          }
          listed?.add(uid);
          pods.set(uid, object);
          notify(type, object);
        },
        end() {
          for (const [uid, pod] of [...pods]) if (listed?.has(uid) === false) remove(pods, uid, pod);
          listed = undefined;
        },
        close() {
          for (const [uid, pod] of [...pods]) remove(pods, uid, pod);
          streams.delete(pods);
        },
      };
    },
  };
}
