import type { InspectionEvent } from 'xstate';
import { settled, type VirtualClock, virtualClock } from '../base/virtualClock.ts';
import type { Config } from '../config/config.ts';
import type { ReportObserver } from '../observer/model/events.ts';
import type { ObserverCore } from '../observer/observerCore.ts';
import type { RecordedLine, RecordingHeader } from '../recording/lines.ts';
import type { RecordedObserverEvent } from '../recording/observer/recordedObserverEvent.ts';
import type { RecordedRestartEvent } from '../recording/restart/recordedRestartEvent.ts';
import { evidenceKey, type WeederInput } from '../recording/weeder/weederLines.ts';
import type { ReportRestart } from '../restart/model/events.ts';
import type { RestartControl } from '../restart/restartControl.ts';
import type { DeletionAnswer } from '../weeder/deletions/deletePod.ts';
import type { ReportWeeder } from '../weeder/deletions/weederEvents.ts';
import { createStreams, type Streams } from '../weeder/streams.ts';
import { createWeeder, type Weeder } from '../weeder/weeder.ts';
import { createObserverPlayer } from './observer/observerPlayer.ts';
import { isCounted } from './recorded/comparable.ts';
import { recordedConfig } from './recorded/recordedConfig.ts';
import { createResponses } from './recorded/recordedResponses.ts';
import type { RecordingFile } from './recorded/recordingFile.ts';
import { createRestartPlayer } from './restart/restartPlayer.ts';
import { assumeReady } from './weeder/assumeReady.ts';

/** Runs the real controllers in simulated time with the recorded inputs, line by line. */
export interface Player {
  /** Its `monotonic()` is the time since the start of the recording. */
  readonly clock: VirtualClock;
  weeder(): Weeder;
  /** Undefined: no input of restart control has been recorded so far. */
  restarts(): RestartControl | undefined;
  /** Undefined: no input of the application observer has been recorded so far. */
  observer(): ObserverCore | undefined;
  /** The number of inputs that were played. */
  inputs(): number;
  /** The time of the next line in milliseconds since the start; undefined after the last. */
  nextAt(): number | undefined;
  /** Plays the next line. Returns false after the last. */
  next(): Promise<boolean>;
  /** Plays all lines up to `t`, and advances the clock to it. Milliseconds since the start. */
  playTo(t: number): Promise<void>;
}

interface PlayerOptions {
  readonly report: ReportWeeder;
  /** Called with each event and each request of restart control. */
  readonly reportRestart?: (recorded: RecordedRestartEvent) => void;
  /** Called with each of its events, including those that are excluded in a file that begins in the middle. */
  readonly onRestartEvent?: ReportRestart;
  /** Called with each event and each write of the application observer. */
  readonly reportObserver?: (event: RecordedObserverEvent) => void;
  /** Called with each of its events, including those that are excluded in a file that begins in the middle. */
  readonly onObserverEvent?: ReportObserver;
  readonly inspect?: (event: InspectionEvent) => void;
}

/** A weeder and its streams. */
interface PlayedWeeder {
  readonly weeder: Weeder;
  readonly streams: Streams;
}

export function createPlayer(
  { header, config, lines }: RecordingFile,
  {
    report,
    reportRestart = () => {},
    onRestartEvent: reportRestartEvent,
    reportObserver = () => {},
    ...its
  }: PlayerOptions,
): Player {
  const { inspect } = its;
  const startedAt = Date.parse(header.startedAt);
  const clock = virtualClock(startedAt);
  clock.suspend(lines[0]?.t ?? 0);
  let played = 0;
  let inputs = 0;
  const answers = createResponses<DeletionAnswer>(
    count(lines, (line) => (line.in === 'response' ? line.uid : undefined)),
  );
  const ages = createResponses<number | undefined>(
    count(lines, (line) => (line.in === 'readySince' ? line.evidence : undefined)),
  );
  const randoms = lines.flatMap((line) => ('in' in line && line.in === 'random' ? line.value : []));
  const isContinued = header.part > 1;
  const restart = createRestartPlayer({
    header,
    lines,
    clock,
    report: reportRestart,
    reportEvent: reportRestartEvent,
    ...(inspect === undefined ? {} : { inspect }),
  });
  const observer = createObserverPlayer({
    header,
    lines,
    clock,
    report: reportObserver,
    reportEvent: its.onObserverEvent,
    ...(inspect === undefined ? {} : { inspect }),
  });
  function begin(config: Config, resumed?: RecordingHeader['streams']): PlayedWeeder {
    const weeder = createWeeder({
      config,
      runtime: { clock, ...(inspect === undefined ? {} : { inspect }) },
      concurrentDeletions: header.concurrentDeletions,
      isDryRun: header.isDryRun,
      random: () => randoms.shift() ?? 0.5,
      report,
      deletePod: ({ uid }) => answers.request(uid, { type: 'delete.accepted' }),
      readySince: (evidence) => ages.request(evidenceKey(evidence), undefined),
    });
    return { weeder, streams: createStreams({ weeder, config, namespaces: header.namespaces, resumed }) };
  }
  let stage = begin(isContinued ? assumeReady(config) : config, header.streams);
  async function take(line: WeederInput): Promise<void> {
    if (line.in === 'created') stage = begin(recordedConfig(line.config));
    else if (line.in === 'response') answers.respond(line.uid, line.response);
    else if (line.in === 'readySince') ages.respond(line.evidence, line.since ?? undefined);
    else feed(line, stage);
    // The state at the beginning of the file is complete: from now on the config of the services themselves applies.
    if (line.in === 'snapshotEnd') stage.weeder.configure(config);
    // A response was handled before the next input came, even if both have the same time.
    if (line.in === 'response' || line.in === 'readySince') await settled();
  }

  async function next(): Promise<boolean> {
    const line = lines[played];
    if (line === undefined) return false;
    played += 1;
    await moveTo(clock, line.t);
    if (line.wall !== undefined) clock.jumpWallClock(startedAt + line.t + line.wall - clock.now());
    if (isCounted(line)) inputs += 1;
    if ('in' in line) await take(line);
    if ('restart' in line && 'in' in line.restart) await restart.take(line.restart);
    if ('observer' in line && 'in' in line.observer) await observer.take(line.observer);
    return true;
  }

  const nextAt = () => lines[played]?.t;
  return {
    clock,
    weeder: () => stage.weeder,
    restarts: restart.control,
    observer: observer.core,
    inputs: () => inputs,
    nextAt,
    next,
    async playTo(t) {
      while ((nextAt() ?? Number.POSITIVE_INFINITY) <= t) await next();
      await clock.pass(Math.max(0, t - clock.monotonic()));
    },
  };
}

async function moveTo(clock: VirtualClock, t: number): Promise<void> {
  const ms = t - clock.monotonic();
  if (ms > 0) await clock.pass(ms);
}

function feed(line: WeederInput, { weeder, streams }: PlayedWeeder): void {
  const sink = 'stream' in line ? streams.needs.get(line.stream)?.sink : undefined;
  if (line.in === 'start' || (line.in === 'snapshotEnd' && line.isRunning)) weeder.start();
  else if (line.in === 'stop') weeder.stop();
  else if (line.in === 'config') configure(line.config, { weeder, streams });
  else if (line.in === 'begin') sink?.begin();
  else if (line.in === 'end') sink?.end(line.resourceVersion);
  else if ('object' in line) sink?.apply(line.in, line.object);
}

function configure(file: object, { weeder, streams }: PlayedWeeder): void {
  const config = recordedConfig(file);
  weeder.configure(config);
  streams.configure(config);
}

function count(
  lines: readonly RecordedLine[],
  keyOf: (line: WeederInput) => string | undefined,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) {
    const key = 'in' in line ? keyOf(line) : undefined;
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
