import { uidOf } from '@weeder/kube-runtime/objects';
import type { ChangeType, StreamNeed } from '@weeder/kube-runtime/watch';
import { storedConfigOf } from '../../config/configText.ts';
import type { ControllerRecording } from '../../recording/file/controllerRecording.ts';
import type { Append, Entry } from '../../recording/file/entry.ts';
import { recordLifecycle, recordRandom } from '../../recording/file/recordLifecycle.ts';
import { recordedSink, recordSink } from '../../recording/file/recordSink.ts';
import { recordedRequests } from '../../recording/file/requests.ts';
import { watchBusy } from '../../recording/file/watchBusy.ts';
import { mayConcernPulls } from '../declared/declaringPod.ts';
import { crashLooping } from '../pods/crashLooping.ts';
import { isOfDeclarations } from '../streamPlan.ts';
import { type CreateWeederCore, createWeederCore, type WeederCore, type WeederCoreOptions } from '../weederCore.ts';
import { recordedWeederEventOf } from './recordedWeederEvent.ts';
import { reduceWeederObject } from './reduceObject.ts';
import { isReadySince, weederPort } from './weederPort.ts';

/** Creates a weeder whose streams, requests, responses, random values and decisions are recorded. */
export function recordingWeeder(recording: ControllerRecording): CreateWeederCore {
  let isFirst = true;
  return (options) => {
    // The first file begins with the config of the first weeder.
    if (!isFirst) recording.append({ in: 'created', ...storedConfigOf(options.config) });
    isFirst = false;
    return recordWeeder(options, recording);
  };
}

function recordWeeder(options: WeederCoreOptions, recording: ControllerRecording): WeederCore {
  const { wrapStream = (need) => need } = options;
  const { append } = recording;
  let { config } = options;
  const windows = createBusyServices();
  const requested: Append = (entry) => {
    windows.take(entry);
    append(entry);
  };
  // Only a stream settles a service: what the weeder decides next is then an effect of its change, in a replay as well.
  const busy = () => windows.busy().union(new Set(core.weeder.unsettled()));
  const appendStream = watchBusy(recording, options.runtime.clock, busy);
  const isWhole = () => config.declared?.siblingEvidence !== undefined;
  const core = createWeederCore({
    ...options,
    runtime: { ...options.runtime, clock: recording.clockFor(options.runtime.clock) },
    ...weederPort(() => options, recordedRequests(requested)),
    random: recordRandom(options.random, append),
    report(event) {
      requested(recordedWeederEventOf(event));
      options.report(event);
    },
    wrapStream: (need) => wrapStream(recordWeederStream(need, appendStream, isWhole)),
    onStreamClosed(name) {
      append({ in: 'closed', stream: name });
      options.onStreamClosed(name);
    },
  });
  recording.beforeNewFile({
    isUnfinished: () => windows.isAwaitingResponse() || core.streams.isHandingOver,
    header() {
      const { config: _file, ...found } = storedConfigOf(config);
      return { ...found, streams: core.streams.state() };
    },
  });
  const lifecycle = recordLifecycle(core, append);
  return {
    ...core,
    ...lifecycle,
    configure(next) {
      config = next;
      lifecycle.configure(next);
    },
  };
}

/** The services whose windows a new file would not know. */
function createBusyServices() {
  /** By service: the number of its open windows. */
  const open = new Map<string, number>();
  /** Services whose window has closed while a response was pending, which may open another one. */
  let closing = new Set<string>();
  let pending = 0;

  function countWindow(service: string, change: number): void {
    const count = (open.get(service) ?? 0) + change;
    if (count > 0) open.set(service, count);
    else open.delete(service);
    if (count <= 0 && pending > 0) closing.add(service);
  }

  function countRequest(change: number): void {
    pending += change;
    if (pending === 0) closing = new Set();
  }

  return {
    take(entry: Entry) {
      if ('request' in entry && isReadySince(entry.request)) countRequest('out' in entry ? 1 : -1);
      else if ('about' in entry && entry.out === 'window.opened') countWindow(entry.about, 1);
      else if ('about' in entry && entry.out === 'window.closed') countWindow(entry.about, -1);
    },
    busy: () => new Set([...open.keys(), ...closing]),
    isAwaitingResponse: () => pending > 0,
  };
}

/**
 * Records a stream. Of a pod that does not crash-loop, only the first update after a crash-loop is recorded, as a
 * deletion; with `isWhole`, all that the weeder reads of pods that declare services.
 */
function recordWeederStream(need: StreamNeed, append: Append, isWhole: () => boolean): StreamNeed {
  const { name, kind, sink } = need;
  const unfiltered = recordSink(name, append, (object) => reduceWeederObject(kind, object));
  const { isIrrelevant } = sink;
  const isRecorded = (pod: unknown) =>
    crashLooping(pod) !== undefined || mayConcernPulls(pod) || (isOfDeclarations(name) && isWhole());
  const recorded = recordedSink(kind === 'Pod' ? onlyThose(isRecorded, unfiltered) : unfiltered, sink);
  return {
    ...need,
    sink: { ...recorded, ...(isIrrelevant === undefined ? {} : { isIrrelevant: isIrrelevant.bind(sink) }) },
  };
}

function onlyThose(
  isRecorded: (pod: unknown) => boolean,
  recording: ReturnType<typeof recordSink>,
): ReturnType<typeof recordSink> {
  let recordedKeys = new Set<string>();
  let listed: Set<string> | undefined;
  return {
    ...recording,
    begin() {
      listed = new Set();
      recording.begin();
    },
    apply(type: ChangeType, object: unknown) {
      const uid = uidOf(object);
      if (type !== 'DELETED' && isRecorded(object)) {
        recordedKeys.add(uid);
        listed?.add(uid);
        recording.apply(type, object);
      } else if (recordedKeys.delete(uid)) recording.apply('DELETED', object);
    },
    end(resourceVersion) {
      recordedKeys = listed ?? recordedKeys;
      listed = undefined;
      recording.end(resourceVersion);
    },
  };
}
