import type { Config } from '../../config/config.ts';
import { configFileOf } from '../../config/configText.ts';
import type { WorkloadKind } from '../../kube/objects/workloadKinds.ts';
import type { SourceKind } from '../../restart/model/refs.ts';
import { withoutSecrets } from '../../restart/model/sourceMeta.ts';
import {
  type CreateRestartCore,
  createRestartCore,
  type RestartCore,
  type RestartCoreOptions,
} from '../../restart/restartCore.ts';
import type { WrapRestartSink } from '../../restart/sources/restartStreams.ts';
import { watchBusyWorkloads } from './busyWorkloads.ts';
import { recordedRestartEventOf } from './recordedRestartEvent.ts';
import { recordDigests, recordRestartApi } from './recordRestartApi.ts';
import { createWorkloadReducer, type ReduceWorkload } from './reduceWorkload.ts';
import type { AppendRestart, RestartRecording } from './restartLines.ts';

/** Creates restart control whose streams, requests, responses, random values and decisions are recorded. */
export function recordingRestarts(recording: RestartRecording): CreateRestartCore {
  return (options) => recordRestart(options, recording);
}

function recordRestart(options: RestartCoreOptions, { append, onNewFile }: RestartRecording): RestartCore {
  const reduce = createWorkloadReducer();
  const core = createRestartCore({
    ...options,
    api: recordRestartApi(options.api, reduce, append),
    wrapDigests: (digests, sources) => recordDigests(digests, sources, append),
    wrapSink: recordingSinks(reduce, append),
    report(event) {
      append(recordedRestartEventOf(event));
      options.report(event);
    },
    random() {
      const value = options.random();
      append({ in: 'random', value });
      return value;
    },
    watchHashKeys: ({ where, onKeys, onChecked }) =>
      options.watchHashKeys({
        where,
        onKeys(keys) {
          append({ in: 'keys', current: keys.current.id, ids: keys.ids });
          onKeys(keys);
        },
        onChecked() {
          append({ in: 'keysRead' });
          onChecked();
        },
      }),
  });
  const busyNow = watchBusyWorkloads((workload) => append({ in: 'settled', workload }));
  onNewFile(() => busyNow(core.control()));
  let isStarted = false;
  // Without a section restartControl there is nothing to record.
  const isActive = () => core.control() !== undefined;
  const created = (its: Config) => append({ in: 'created', config: configFileOf(its) });
  if (options.config.restart !== undefined) created(options.config);
  return {
    ...core,
    configure(next) {
      if (isActive()) append({ in: 'config', config: configFileOf(next) });
      else if (next.restart !== undefined) {
        created(next);
        if (isStarted) append({ in: 'start' });
      }
      core.configure(next);
    },
    start() {
      isStarted = true;
      if (isActive()) append({ in: 'start' });
      core.start();
    },
    stop() {
      if (isActive()) append({ in: 'stop' });
      core.stop();
    },
  };
}

/** Records the reduced objects of the streams before the sinks receive them. */
function recordingSinks(reduce: ReduceWorkload, append: AppendRestart): WrapRestartSink {
  return ({ name: stream, kind }, sink) => ({
    begin() {
      append({ in: 'begin', stream });
      sink.begin();
    },
    apply(type, object) {
      append({ in: type, stream, object: isSource(kind) ? withoutSecrets(object) : reduce(object, kind) });
      sink.apply(type, object);
    },
    end(resourceVersion) {
      append({ in: 'end', stream, ...(resourceVersion === undefined ? {} : { resourceVersion }) });
      sink.end(resourceVersion);
    },
    close: () => sink.close(),
  });
}

function isSource(kind: WorkloadKind | SourceKind): kind is SourceKind {
  return kind === 'ConfigMap' || kind === 'Secret';
}
