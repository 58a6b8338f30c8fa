import type { ControllerRecording } from '../../recording/file/controllerRecording.ts';
import type { Append } from '../../recording/file/entry.ts';
import { recordLifecycle, recordRandom } from '../../recording/file/recordLifecycle.ts';
import { recordedSink, recordSink } from '../../recording/file/recordSink.ts';
import { recordedRequests } from '../../recording/file/requests.ts';
import { watchBusy } from '../../recording/file/watchBusy.ts';
import { stateOf } from '../patches/status.ts';
import { workloadKey } from '../references/refs.ts';
import { withoutSecrets } from '../references/sourceMeta.ts';
import type { RestartControl } from '../restartControl.ts';
import {
  type CreateRestartCore,
  createRestartCore,
  type RestartCore,
  type RestartCoreOptions,
} from '../restartCore.ts';
import type { WrapRestartSink } from '../sources/restartStreams.ts';
import { recordedRestartEventOf } from './recordedRestartEvent.ts';
import { createWorkloadReducer, type ReduceWorkload } from './reduceWorkload.ts';
import { restartDigests } from './restartDigests.ts';
import { restartPort } from './restartPort.ts';

/** Creates restart control whose streams, requests, responses, random values and decisions are recorded. */
export function recordingRestart(recording: ControllerRecording): CreateRestartCore {
  return (options) => recordRestart(options, recording);
}

function recordRestart(options: RestartCoreOptions, recording: ControllerRecording): RestartCore {
  const reduce = createWorkloadReducer(recording.key, () => core.control()?.config().workloadKinds ?? []);
  const append = watchBusy(recording, options.runtime.clock, () => busyWorkloads(core.control()));
  const requests = recordedRequests(append);
  const hashes = new Map<string, string>();
  const runtime = { ...options.runtime, clock: recording.clockFor(options.runtime.clock) };
  const core: RestartCore = createRestartCore({
    ...options,
    runtime,
    api: restartPort(() => options.api, requests, reduce),
    wrapDigests: (digests, sources) =>
      restartDigests(digests, sources, requests, (request, real, workload) => {
        const hash = real();
        // Each check of a rollout requests the hash again: only changes are recorded.
        if (hashes.get(workloadKey(workload)) !== hash) append({ in: 'hash', request, hash });
        hashes.set(workloadKey(workload), hash);
        return hash;
      }),
    wrapSink: recordStreams(reduce, append),
    report(event) {
      append(recordedRestartEventOf(event));
      options.report(event);
    },
    random: recordRandom(options.random, append),
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
  const section = { config: options.config, isIn: ({ restart }: typeof options.config) => restart !== undefined };
  return { ...core, ...recordLifecycle(core, append, section) };
}

function recordStreams(reduce: ReduceWorkload, append: Append): WrapRestartSink {
  return ({ name, kind }, sink) => {
    const isSource = kind === 'ConfigMap' || kind === 'Secret';
    return recordedSink(
      recordSink(name, append, (object) => (isSource ? withoutSecrets(object) : reduce(object, kind))),
      sink,
    );
  };
}

/** How the ids of actors begin that act for a workload, beside its own. */
const forAWorkload = ['recreation ', 'latePods '];

/** Returns the workloads that have not settled. Only this process knows a state that a dry run has not written. */
function busyWorkloads(control: Pick<RestartControl, 'entries' | 'actors'> | undefined): ReadonlySet<string> {
  const busy = [...(control?.entries() ?? [])].filter(
    (entry) => stateOf(entry) !== 'current' || entry.written.inMemory !== undefined,
  );
  const others = [...(control?.actors() ?? [])].flatMap(({ id }) =>
    forAWorkload.flatMap((prefix) => (id.startsWith(prefix) ? [id.slice(prefix.length)] : [])),
  );
  return new Set([...busy.map(({ id }) => id), ...others]);
}
