import type { Config } from '../config/config.ts';
import { withDeclared } from '../config/serviceLookup.ts';
import type { Input } from '../recording/file/entry.ts';
import type { RecordedLine, RecordingHeader } from '../recording/file/lines.ts';
import { weederRequests } from '../weeder/recording/weederPort.ts';
import { assumeReady } from '../weeder/replay/assumeReady.ts';
import { isOfSomeServices } from '../weeder/streamPlan.ts';
import { createStreams, type StreamSinks } from '../weeder/streams.ts';
import type { Weeder } from '../weeder/weeder.ts';
import { deliverTo } from './played/played.ts';
import { recordedConfig, recordedConfigs } from './played/recordedConfig.ts';
import type { RecordingFile } from './recorded/recordingFile.ts';
import { createPodUnion, type PodUnion } from './weeder/podUnion.ts';
import { createWhatIfWeeder, restOf, type WhatIfResult } from './weeder/whatIfWeeder.ts';

/**
 * Runs the real weeder in simulated time with another config and the recorded inputs. The time since when a service is
 * ready is the recorded one. If there is none, the service counts as ready for long, so that no window is assumed.
 */
export async function replayWhatIf(recording: RecordingFile, given: Config): Promise<WhatIfResult> {
  const { header, config: recorded, lines } = recording;
  const config = withDeclared(given, declaredIn(recording));
  const startedAt = Date.parse(header.startedAt);
  const ages = responsesIn(lines);
  const stage = createWhatIfWeeder({
    config: header.part > 1 ? assumeReady(config) : config,
    startedAt,
    concurrentDeletions: header.concurrentDeletions,
    readySince: async (evidence) => {
      const since = ages.get(weederRequests.readySince(evidence));
      if (since === undefined) return 0;
      return typeof since === 'number' ? since : undefined;
    },
  });
  const { clock } = stage;
  const begin = (begun: Config, resumed?: RecordingHeader['streams']) => {
    const { weeder } = stage;
    const sinks = unfiltered(weeder, createPodUnion(stage.pod));
    return createStreams({ weeder, sinks, config: begun, namespaces: header.namespaces, resumed });
  };
  let streams = begin(recorded, header.streams);
  const feed = (line: Input) => {
    const { weeder } = stage;
    if (line.in === 'created') {
      stage.renew(config);
      streams = begin(recordedConfig(line));
    } else if (line.in === 'config') streams.configure(recordedConfig(line));
    else if (line.in === 'start') weeder.start();
    else if ('stream' in line) deliverTo(streams.needs.get(line.stream)?.sink, line);
    if (line.in === 'snapshotEnd') weeder.configure(config);
  };

  clock.suspend(lines[0]?.t ?? 0);
  for (const line of lines) {
    const ms = line.t - clock.monotonic();
    if (ms > 0) await clock.pass(ms);
    if (line.wall !== undefined) clock.jumpWallClock(startedAt + line.t + line.wall - clock.now());
    if (line.of === 'weeder' && 'in' in line) feed(line);
  }
  // Until the end of the last window.
  await clock.pass(restOf(config));
  return stage.result();
}

/** The services that pods declared at any time. */
function declaredIn(recording: RecordingFile): ReadonlySet<string> {
  return new Set(recordedConfigs(recording).flatMap(({ declared }) => [...(declared?.services ?? [])]));
}

/**
 * Delivers everything that the recorded streams have, including services and pods that the recorded config does not
 * name.
 */
function unfiltered({ slices, owners }: Weeder, pods: PodUnion): StreamSinks {
  return {
    slices: ({ covers, labelSelector }, options) =>
      slices.createSink(isOfSomeServices(labelSelector) ? { names: covers, ...options } : options),
    pods: () => pods.createSink(),
    failedCreates: owners.createSink,
  };
}

/** Returns the recorded responses of the weeder, by request. */
function responsesIn(lines: readonly RecordedLine[]): ReadonlyMap<string, unknown> {
  return new Map(
    lines.flatMap((line) =>
      line.of === 'weeder' && 'in' in line && line.in === 'response' ? [[line.request, line.response] as const] : [],
    ),
  );
}
