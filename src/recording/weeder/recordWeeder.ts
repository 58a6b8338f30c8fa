import { objectOf, textOf } from '../../base/json.ts';
import type { ChangeType } from '../../kube/watch/metadataFastPath.ts';
import type { StreamNeed } from '../../kube/watch/streamNeed.ts';
import { crashLooping, isSameStay } from '../../weeder/pods/crashLooping.ts';
import { createWeeder, type Weeder, type WeederOptions } from '../../weeder/weeder.ts';
import type { Append, ControllerRecording } from '../file/entry.ts';
import { recordLifecycle, recordRandom } from '../file/recordLifecycle.ts';
import { recordedSink, recordSink } from '../file/recordSink.ts';
import { recordedRequests } from '../file/requests.ts';
import { createSnapshot } from '../file/snapshot.ts';
import { recordedEventsOf } from './recordedWeederEvent.ts';
import { reduceWeederObject } from './reduceObject.ts';
import { isReadySince, weederPort } from './weederPort.ts';

/** A weeder whose requests, responses, random values and decisions are recorded. */
interface RecordedWeeder {
  readonly weeder: Weeder;
  /** A response is pending that determines whether a window opens: a new file would lack its request. */
  isAwaitingResponse(): boolean;
}

export function recordWeeder(
  options: WeederOptions,
  { append: write, onNewFile }: ControllerRecording,
): RecordedWeeder {
  const windows = new Set<string>();
  let pending = 0;
  const append: Append = (entry) => {
    if ('out' in entry && 'request' in entry && isReadySince(entry.request)) pending += 1;
    if ('in' in entry && entry.in === 'response' && isReadySince(entry.request)) pending -= 1;
    write(entry);
  };
  const weeder = createWeeder({
    ...options,
    ...weederPort(() => options, recordedRequests(append)),
    random: recordRandom(options.random, append),
    report(event) {
      for (const recorded of recordedEventsOf(event)) {
        if (recorded.out === 'window.opened') windows.add(windowKey(recorded.about, recorded.window));
        if (recorded.out === 'window.closed') windows.delete(windowKey(recorded.about, recorded.window));
        append(recorded);
      }
      options.report(event);
    },
  });
  onNewFile(() => [...windows]);
  return {
    weeder: { ...weeder, ...recordLifecycle(weeder, append) },
    isAwaitingResponse: () => pending > 0,
  };
}

/** The key of a window: `namespace/service#window`. */
export function windowKey(about: string, window: number | undefined): string {
  return `${about}#${window ?? 0}`;
}

/** The state of the weeder at the beginning of a new file. Since when a pod is known matters, but not for a slice. */
export function createWeederSnapshot() {
  return createSnapshot({
    isDated: (stream) => !stream.startsWith('endpointslices'),
    isSame(before, now) {
      const [was, is] = [crashLooping(before), crashLooping(now)];
      return was !== undefined && is !== undefined && isSameStay(was, is);
    },
  });
}

/**
 * Records a stream. Of a pod that does not crash-loop, only the first update after a crash-loop is recorded, as a
 * deletion.
 */
export function recordWeederStream(need: StreamNeed, append: Append): StreamNeed {
  const { name, kind, sink } = need;
  const all = recordSink(name, append, (object) => reduceWeederObject(kind, object));
  const { isIrrelevant } = sink;
  const recorded = recordedSink(kind === 'Pod' ? onlyCrashLooping(all) : all, sink);
  return {
    ...need,
    sink: { ...recorded, ...(isIrrelevant === undefined ? {} : { isIrrelevant: isIrrelevant.bind(sink) }) },
  };
}

function onlyCrashLooping(recording: ReturnType<typeof recordSink>): ReturnType<typeof recordSink> {
  let known = new Set<string>();
  let listed: Set<string> | undefined;
  return {
    ...recording,
    begin() {
      listed = new Set();
      recording.begin();
    },
    apply(type: ChangeType, object: unknown) {
      const uid = textOf(objectOf(objectOf(object)['metadata'])['uid']) ?? '';
      if (type !== 'DELETED' && crashLooping(object) !== undefined) {
        known.add(uid);
        listed?.add(uid);
        recording.apply(type, object);
      } else if (known.delete(uid)) recording.apply('DELETED', object);
    },
    end(resourceVersion) {
      known = listed ?? known;
      listed = undefined;
      recording.end(resourceVersion);
    },
  };
}
