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
import { createRestWatch } from '../file/restWatch.ts';
import { recordDigests, recordRestartApi } from './recordAnswers.ts';
import { createWorkloadReducer, type ReduceWorkload } from './reduceWorkload.ts';
import type { NoteRestart, RestartNotes } from './restartLines.ts';
import { toldOfRestart } from './restartTold.ts';

/** Restart control whose streams, questions, answers, chances and decisions are taken down. */
export function recordingRestarts(notes: RestartNotes): CreateRestartCore {
  return (options) => recordRestart(options, notes);
}

function recordRestart(options: RestartCoreOptions, { note, onNewFile }: RestartNotes): RestartCore {
  const reduce = createWorkloadReducer();
  const core = createRestartCore({
    ...options,
    api: recordRestartApi(options.api, reduce, note),
    wrapDigests: (digests, sources) => recordDigests(digests, sources, note),
    wrapSink: recordingSinks(reduce, note),
    report(fact) {
      note(toldOfRestart(fact));
      options.report(fact);
    },
    random() {
      const value = options.random();
      note({ in: 'random', value });
      return value;
    },
    followKeys: ({ where, onKeys, onLooked }) =>
      options.followKeys({
        where,
        onKeys(keys) {
          note({ in: 'keys', current: keys.current.id, ids: keys.ids });
          onKeys(keys);
        },
        onLooked() {
          note({ in: 'looked' });
          onLooked();
        },
      }),
  });
  const busyNow = createRestWatch((workload) => note({ in: 'rest', workload }));
  onNewFile(() => busyNow(core.control()));
  let isStarted = false;
  // Where there never was a section restartControl, there is nothing to take down.
  const isAtWork = () => core.control() !== undefined;
  const created = (its: Config) => note({ in: 'created', config: configFileOf(its) });
  if (options.config.restart !== undefined) created(options.config);
  return {
    ...core,
    configure(next) {
      if (isAtWork()) note({ in: 'config', config: configFileOf(next) });
      else if (next.restart !== undefined) {
        created(next);
        if (isStarted) note({ in: 'start' });
      }
      core.configure(next);
    },
    start() {
      isStarted = true;
      if (isAtWork()) note({ in: 'start' });
      core.start();
    },
    stop() {
      if (isAtWork()) note({ in: 'stop' });
      core.stop();
    },
  };
}

/** What comes of the streams, reduced, before it is handed on. */
function recordingSinks(reduce: ReduceWorkload, note: NoteRestart): WrapRestartSink {
  return ({ name: stream, kind }, sink) => ({
    begin() {
      note({ in: 'begin', stream });
      sink.begin();
    },
    apply(type, object) {
      note({ in: type, stream, object: isSource(kind) ? withoutSecrets(object) : reduce(object, kind) });
      sink.apply(type, object);
    },
    end(resourceVersion) {
      note({ in: 'end', stream, ...(resourceVersion === undefined ? {} : { resourceVersion }) });
      sink.end(resourceVersion);
    },
    close: () => sink.close(),
  });
}

function isSource(kind: WorkloadKind | SourceKind): kind is SourceKind {
  return kind === 'ConfigMap' || kind === 'Secret';
}
