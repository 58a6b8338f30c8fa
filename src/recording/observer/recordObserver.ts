import { objectOf, textOf } from '../../base/json.ts';
import type { Config } from '../../config/config.ts';
import { configFileOf } from '../../config/configText.ts';
import type { ClosableSink } from '../../kube/watch/sink.ts';
import {
  type CreateObserverCore,
  createObserverCore,
  type ObserverCore,
  type ObserverCoreOptions,
} from '../../observer/observerCore.ts';
import { hashManifest } from '../../observer/plan/manifestHash.ts';
import { watchBusyApplications } from './busyApplications.ts';
import type { ObserverRecording } from './observerLines.ts';
import { recordedObserverEventOf } from './recordedObserverEvent.ts';
import { recordObserverApi } from './recordObserverApi.ts';
import { reduceObserved } from './reduceObserved.ts';
import { secretMask } from './secretMask.ts';

/** Creates an application observer whose streams, requests, responses, random values and decisions are recorded. */
export function recordingObserver(recording: ObserverRecording): CreateObserverCore {
  return (options) => recordObserver(options, recording);
}

function recordObserver(options: ObserverCoreOptions, recording: ObserverRecording): ObserverCore {
  const mask = secretMask(recording.key);
  const reduce = reduceObserved(mask);
  const settling = watchBusyApplications(
    (application) => recording.append({ in: 'settled', application }),
    options.runtime.clock,
  );
  const append: ObserverRecording['append'] = (entry) => {
    // The observer has not handled this entry yet.
    settling.check(core);
    recording.append(entry);
  };
  const hashes = new Map<string, string>();

  /** The hash is in the status of applications, where a replay has to recognise it. */
  function hashOf(...[manifest, fieldMask]: Parameters<typeof hashManifest>): string {
    const hash = hashManifest(manifest, fieldMask);
    const { apiVersion, object } = manifest;
    const of = hashManifest({ apiVersion, object: objectOf(mask.object(object)) }, fieldMask);
    const mark = mask.mark(hash);
    if (hashes.get(of) !== mark) append({ in: 'hash', of, hash: mark });
    hashes.set(of, mark);
    return hash;
  }

  function recordingSink(stream: string, sink: ClosableSink, reduced: (object: object) => object): ClosableSink {
    return {
      begin() {
        append({ in: 'begin', stream });
        sink.begin();
      },
      apply(type, object) {
        append({ in: type, stream, object: reduced(objectOf(object)) });
        sink.apply(type, object);
      },
      end(resourceVersion) {
        append({ in: 'end', stream, ...(resourceVersion === undefined ? {} : { resourceVersion }) });
        sink.end(resourceVersion);
      },
      close() {
        append({ in: 'closed', stream });
        sink.close();
      },
    };
  }

  const specs = new Map<string, number>();
  /** A spec may have a megabyte, so it is recorded only when the generation changes. */
  function applicationOf(object: object): object {
    const reduced = reduce.application(object);
    const { uid, generation } = objectOf(reduced['metadata']);
    const id = textOf(uid) ?? '';
    if (typeof generation === 'number' && specs.get(id) === generation) {
      const { spec: _known, ...rest } = reduced;
      return rest;
    }
    if (typeof generation === 'number') specs.set(id, generation);
    return reduced;
  }

  const core: ObserverCore = createObserverCore({
    ...options,
    ...recordObserverApi(options, reduce, append),
    hashManifest: hashOf,
    wrapApplications: (name, sink) => recordingSink(name, sink, applicationOf),
    wrapResources: ({ name: stream }, sink) => ({
      ...recordingSink(stream, sink, (object) => reduce.resource(objectOf(object))),
      lost: () => append({ in: 'lost', stream }),
      resumed: () => append({ in: 'resumed', stream }),
    }),
    report(event) {
      append(recordedObserverEventOf(event));
      options.report(event);
    },
    random() {
      const value = options.random();
      append({ in: 'random', value });
      return value;
    },
  });
  recording.onNewFile(() => settling.busyNow(core));
  // Without a section observer there is nothing to record.
  let isActive = false;
  let isStarted = false;
  const begin = (config: Config) => {
    isActive = true;
    append({ in: 'created', config: configFileOf(config) });
    if (isStarted) append({ in: 'start' });
  };
  if (options.config.observer !== undefined) begin(options.config);
  return {
    get needs() {
      return core.needs;
    },
    configure(next) {
      if (isActive) append({ in: 'config', config: configFileOf(next) });
      else if (next.observer !== undefined) begin(next);
      core.configure(next);
    },
    start() {
      isStarted = true;
      if (isActive) append({ in: 'start' });
      core.start();
    },
    stop() {
      if (isActive) append({ in: 'stop' });
      core.stop();
    },
    drained: core.drained,
    counts: core.counts,
    work: core.work,
    actorCounts: core.actorCounts,
    actors: core.actors,
    entries: core.entries,
  };
}
