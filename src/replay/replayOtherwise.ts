import type { Config } from '../config/config.ts';
import type { ObjectSink } from '../kube/sink.ts';
import { evidenceKey, isOfSlices, type RecordedInput, type RecordedLine } from '../recording/lines.ts';
import { createPodUnion } from './podUnion.ts';
import type { RecordingFile } from './recordingFile.ts';
import { startingQuietly } from './startingQuietly.ts';
import { type WhatIf, whatIfStage } from './whatIf.ts';

/** Service ages that a question found: epoch milliseconds; null: it could not be known. */
type Ages = ReadonlyMap<string, number | null>;

/**
 * Runs the real wiring in simulated time with another config against what a recording has. Since when a service was
 * ready is what was recorded of it; where nothing was, it counts as long ago, so that nothing is made up.
 */
export async function replayOtherwise({ header, lines }: RecordingFile, config: Config): Promise<WhatIf> {
  const startedAt = Date.parse(header.startedAt);
  const ages = agesOf(lines);
  const stage = whatIfStage({
    config: header.part > 1 ? startingQuietly(config) : config,
    startedAt,
    concurrentDeletions: header.concurrentDeletions,
    readySince: async (evidence) => {
      const since = ages.get(evidenceKey(evidence));
      return since === undefined ? 0 : (since ?? undefined);
    },
  });
  const { clock, weeder } = stage;
  const pods = createPodUnion(stage.pod);
  const sinks = new Map<string, ObjectSink>();
  const sinkOf = (name: string): ObjectSink => {
    // A stream of slices that took the place of another, when the config changed, reads its list again.
    const before = name.replace(/ \d+$/, '');
    const stream = isOfSlices(name) && sinks.has(before) ? before : name;
    const sink = sinks.get(stream) ?? (isOfSlices(stream) ? weeder.slices.createSink() : pods.createSink());
    sinks.set(stream, sink);
    return sink;
  };
  const feed = (line: RecordedInput) => {
    if (line.in === 'start' || (line.in === 'resume' && line.isRunning)) weeder.start();
    else if (line.in === 'begin') sinkOf(line.stream).begin();
    else if (line.in === 'end') sinkOf(line.stream).end();
    else if ('object' in line) sinkOf(line.stream).apply(line.in, line.object);
  };

  clock.standStill(lines[0]?.t ?? 0);
  for (const line of lines) {
    const ms = line.t - clock.monotonic();
    if (ms > 0) await clock.pass(ms);
    if (line.wall !== undefined) clock.jumpWallClock(startedAt + line.t + line.wall - clock.now());
    if ('in' in line) feed(line);
  }
  return stage.end();
}

function agesOf(lines: readonly RecordedLine[]): Ages {
  return new Map(
    lines.flatMap((line) => ('in' in line && line.in === 'readySince' ? [[line.evidence, line.since] as const] : [])),
  );
}
