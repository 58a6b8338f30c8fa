import type { VirtualClock } from '../../base/virtualClock.ts';
import type { RestartConfig } from '../../config/restart.ts';
import { type WorkloadKind, workloadKindNames, workloadKinds } from '../../kube/objects/workloadKinds.ts';
import type { ClosableSink } from '../../kube/watch/sink.ts';
import { recordedRestartEventOf } from '../../recording/restart/recordedRestartEvent.ts';
import type { RestartInput } from '../../recording/restart/restartLines.ts';
import type { Answer } from '../../restart/model/answer.ts';
import type { SourceKind } from '../../restart/model/refs.ts';
import { createRestartControl } from '../../restart/restartControl.ts';
import type { RecordingFile } from '../recorded/recordingFile.ts';
import type { TimelineEvent } from '../recorded/timelineEvent.ts';
import { createRecordedKeys } from './recordedKeys.ts';
import { restartInputs } from './restartInputs.ts';
import { createSimulatedWorkloads } from './simulatedWorkloads.ts';
import { whatIfDigests } from './whatIfDigests.ts';

/** Restart control with another config, in a dry run against what a recording has of the cluster. */
interface WhatIfRestarts {
  take(input: RestartInput): void;
  readonly events: readonly TimelineEvent[];
  /** The `sourceKey`s of sources whose content was not read. */
  readonly unreadSources: ReadonlySet<string>;
}

const unanswered: Answer<never> = {
  is: 'refused',
  failure: 'network',
  retryAfter: 0,
  reason: 'a replay sends no requests',
};
const noAnswer = async () => unanswered;

export function createWhatIfRestarts(
  { header, lines }: RecordingFile,
  config: RestartConfig,
  clock: VirtualClock,
): WhatIfRestarts {
  const events: TimelineEvent[] = [];
  const unreadSources = new Set<string>();
  const simulated = createSimulatedWorkloads(() => clock.now());
  const keys = createRecordedKeys();
  const sinks = new Map<string, ClosableSink>();
  const control = createRestartControl({
    config,
    runtime: { clock },
    namespaces: header.namespaces,
    isDryRun: true,
    random: () => 0.5,
    hasRead: () => true,
    hasReadWorkload: () => true,
    onUsed: () => {},
    wrapDigests: whatIfDigests(restartInputs(lines), (source) => unreadSources.add(source)),
    api: {
      readSource: noAnswer,
      readWorkload: noAnswer,
      patchWorkload: noAnswer,
      listPods: async (namespace, selector) => ({
        is: 'ok',
        value: simulated.pods(namespace, JSON.stringify(selector)),
      }),
      // Whether pods of others refer to a source is in no recording of what was decided without it.
      podsUsing: async () => ({ is: 'ok', value: [] }),
      evict: noAnswer,
      storeCopy: noAnswer,
      deleteJob: noAnswer,
      recreateJob: noAnswer,
      deleteCopy: noAnswer,
    },
    report(event) {
      if (event.type === 'workload.restarted') simulated.rollOut(event.workload);
      if (event.type !== 'key.changed') events.push({ t: clock.monotonic(), ...recordedRestartEventOf(event) });
    },
  });
  keys.follow({ onKeys: control.useKeys, onChecked: () => !control.isRunning && control.start() });

  function sinkOf(stream: string, kind: WorkloadKind | SourceKind): ClosableSink {
    const known = sinks.get(stream);
    const isSource = kind === 'ConfigMap' || kind === 'Secret';
    const sink = known ?? (isSource ? control.createSourceSink(kind) : control.createWorkloadSink(kind));
    sinks.set(stream, sink);
    return sink;
  }

  function feed(input: Extract<RestartInput, { readonly stream: string }>): void {
    const kind = kindOf(input.stream);
    if (kind === undefined) return;
    const sink = sinkOf(input.stream, kind);
    if (input.in === 'begin') sink.begin();
    else if (input.in === 'end') sink.end(input.resourceVersion);
    else if (kind === 'ConfigMap' || kind === 'Secret') sink.apply(input.in, input.object);
    else sink.apply(input.in, simulated.observe(input.object, kind));
  }

  return {
    take(input) {
      if ('stream' in input) feed(input);
      else if (input.in === 'keys' || input.in === 'keysRead') keys.take(input);
    },
    events,
    unreadSources,
  };
}

/** By the plural that the name of a stream begins with. */
function kindOf(stream: string): WorkloadKind | SourceKind | undefined {
  const [plural] = stream.split(' ');
  if (plural === 'configmaps') return 'ConfigMap';
  if (plural === 'secrets') return 'Secret';
  return workloadKindNames.find((kind) => workloadKinds[kind].plural === plural);
}
