import { objectOf, textOf } from '../../base/json.ts';
import type { ChangeType } from '../../kube/watch/metadataFastPath.ts';
import type { ObjectSink } from '../../kube/watch/sink.ts';
import type { StreamNeed } from '../../kube/watch/streamNeed.ts';
import { crashLooping } from '../../weeder/pods/crashLooping.ts';
import { reduceWeederObject } from './reduceObject.ts';
import type { AppendWeeder } from './weederLines.ts';

/**
 * Wraps the sink of a stream, and records each change before it is passed on. Of a pod that does not crash-loop, only
 * the first update after a crash-loop is recorded, as a deletion.
 */
export function recordWeederSink({ name: stream, kind, sink }: StreamNeed, append: AppendWeeder): ObjectSink {
  let crashLoopingPods = new Set<string>();
  let listed: Set<string> | undefined;

  function recordPod(type: ChangeType, object: unknown): void {
    const uid = textOf(objectOf(objectOf(object)['metadata'])['uid']) ?? '';
    if (type !== 'DELETED' && crashLooping(object) !== undefined) {
      crashLoopingPods.add(uid);
      listed?.add(uid);
      append({ in: type, stream, object: reduceWeederObject(kind, object) });
    } else if (crashLoopingPods.delete(uid)) {
      append({ in: 'DELETED', stream, object: reduceWeederObject(kind, object) });
    }
  }

  return {
    begin() {
      listed = new Set();
      append({ in: 'begin', stream });
      sink.begin();
    },
    apply(type, object) {
      if (kind === 'Pod') recordPod(type, object);
      else append({ in: type, stream, object: reduceWeederObject(kind, object) });
      sink.apply(type, object);
    },
    end(resourceVersion) {
      crashLoopingPods = listed ?? crashLoopingPods;
      listed = undefined;
      append({ in: 'end', stream, ...(resourceVersion === undefined ? {} : { resourceVersion }) });
      sink.end(resourceVersion);
    },
    ...(sink.isIrrelevant === undefined ? {} : { isIrrelevant: sink.isIrrelevant.bind(sink) }),
  };
}
