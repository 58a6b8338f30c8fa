import type { Config } from '../config/config.ts';
import type { ObjectSink } from '../kube/watch/sink.ts';
import type { RecordedLine, RecordingHeader } from '../recording/lines.ts';
import { evidenceKey, type WeederInput } from '../recording/weeder/weederLines.ts';
import { isOfSomeServices } from '../weeder/streamPlan.ts';
import { createStreams, type StreamSinks } from '../weeder/streams.ts';
import type { Weeder } from '../weeder/weeder.ts';
import { recordedConfig } from './recorded/recordedConfig.ts';
import type { RecordingFile } from './recorded/recordingFile.ts';
import { assumeReady } from './weeder/assumeReady.ts';
import { createPodUnion, type PodUnion } from './weeder/podUnion.ts';
import { createWhatIfWeeder, type WhatIfResult } from './weeder/whatIfWeeder.ts';

/** Service ages that a question found: epoch milliseconds; null: it could not be known. */
type Ages = ReadonlyMap<string, number | null>;

/**
 * Runs the real wiring in simulated time with another config against what a recording has. Since when a service was
 * ready is what was recorded of it; where nothing was, it counts as long ago, so that nothing is made up.
 */
export async function replayWhatIf(recording: RecordingFile, config: Config): Promise<WhatIfResult> {
  const { header, config: recorded, lines } = recording;
  const startedAt = Date.parse(header.startedAt);
  const ages = agesOf(lines);
  const stage = createWhatIfWeeder({
    config: header.part > 1 ? assumeReady(config) : config,
    startedAt,
    concurrentDeletions: header.concurrentDeletions,
    readySince: async (evidence) => {
      const since = ages.get(evidenceKey(evidence));
      return since === undefined ? 0 : (since ?? undefined);
    },
  });
  const { clock } = stage;
  const begin = (its: Config, resumed?: RecordingHeader['streams']) => {
    const { weeder } = stage;
    const sinks = unfiltered(weeder, createPodUnion(stage.pod));
    return createStreams({ weeder, sinks, config: its, namespaces: header.namespaces, resumed });
  };
  let streams = begin(recorded, header.streams);
  const feed = (line: WeederInput) => {
    const { weeder } = stage;
    if (line.in === 'created') {
      stage.renew(config);
      streams = begin(recordedConfig(line.config));
    } else if (line.in === 'config') streams.configure(recordedConfig(line.config));
    else if (line.in === 'start' || (line.in === 'snapshotEnd' && line.isRunning)) weeder.start();
    else if ('stream' in line) pass(line, streams.needs.get(line.stream)?.sink);
    if (line.in === 'snapshotEnd') weeder.configure(config);
  };

  clock.suspend(lines[0]?.t ?? 0);
  for (const line of lines) {
    const ms = line.t - clock.monotonic();
    if (ms > 0) await clock.pass(ms);
    if (line.wall !== undefined) clock.jumpWallClock(startedAt + line.t + line.wall - clock.now());
    if ('in' in line) feed(line);
  }
  return stage.end();
}

/** What came of a stream goes to its sink. */
function pass(line: Extract<WeederInput, { stream: string }>, sink: ObjectSink | undefined): void {
  if (line.in === 'begin') sink?.begin();
  else if (line.in === 'end') sink?.end(line.resourceVersion);
  else sink?.apply(line.in, line.object);
}

/** All that the recorded streams brought, of services and pods that the recorded config did not name, too. */
function unfiltered({ slices }: Weeder, pods: PodUnion): StreamSinks {
  return {
    slices: ({ covers, labelSelector }, options) =>
      slices.createSink(isOfSomeServices(labelSelector) ? { names: covers, ...options } : options),
    pods: () => pods.createSink(),
  };
}

function agesOf(lines: readonly RecordedLine[]): Ages {
  return new Map(
    lines.flatMap((line) => ('in' in line && line.in === 'readySince' ? [[line.evidence, line.since] as const] : [])),
  );
}
