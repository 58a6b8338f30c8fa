import { once } from 'node:events';
import { failed, type Result, systemClock } from '@weeder/kube-runtime/base';
import { codedError } from '../base/errors.ts';
import type { BindAddress } from '../base/listen.ts';
import { createLogger } from '../base/log.ts';
import type { Config } from '../config/config.ts';
import { limitationsOf } from '../replay/limitations.ts';
import type { Playable } from '../replay/playable.ts';
import { dryRunOf } from '../replay/playableEvents.ts';
import { tolerance } from '../replay/played/recordedValues.ts';
import { differences, isDeviation, lateness } from '../replay/recorded/compare.ts';
import type { JsonFile } from '../replay/recorded/jsonLines.ts';
import { isRecording, type RecordingFile } from '../replay/recorded/recordingFile.ts';
import { diffLines, timeline } from '../replay/recorded/timeline.ts';
import type { EventFile } from '../replay/recorded/watchEvent.ts';
import { playableRecording, replayRecording } from '../replay/replayRecording.ts';
import { playableEvents, replayEvents } from '../replay/weeder/replayEvents.ts';
import { savings } from '../replay/weeder/savings.ts';
import type { WhatIfResult } from '../replay/weeder/whatIfWeeder.ts';
import { replayWhatIf } from '../replay/whatIf.ts';
import { replayCommand } from '../ui/replayCommand.ts';
import { createReplaying } from '../ui/replaying.ts';
import { serveLivePage } from '../ui/serve.ts';
import { loadConfig } from './configFile.ts';
import { exitCodes, fail, printLines } from './output.ts';
import { readEventFiles, readFiles, readRecordings } from './recordingFiles.ts';
import { uiAddressOf } from './serveUi.ts';
import { stopOnSignals } from './signals.ts';

export interface ReplayFlags {
  readonly configFile?: string;
  readonly ui?: boolean;
  readonly uiBindAddr?: BindAddress | 'none';
}

/**
 * `weeder replay FILE…`: replays a recording and compares, or shows what weeder would have done with another config or
 * with watch events.
 */
export async function replay(names: readonly string[], flags: ReplayFlags): Promise<number> {
  const read = await readFiles(names);
  if (!read.ok) return fail(read.error);
  const files = read.value;
  const address = uiAddressOf(flags);
  if (!files.some(({ first }) => isRecording(first))) return ofEvents(files, flags, address);
  const recording = readRecordings(files);
  if (!recording.ok) return fail(recording.error);
  if (address !== 'none') {
    if (flags.configFile !== undefined)
      return fail(codedError('USAGE', 'The live page shows a recording with its own config.'));
    return replayPage(await playableRecording(recording.value), address);
  }
  return flags.configFile === undefined ? again(recording.value) : otherwise(recording.value, flags.configFile);
}

/** Replays a recording and compares the results. */
async function again(recording: RecordingFile): Promise<number> {
  const result = await replayRecording(recording);
  printLines(timeline(result.replayed, result.startedAt));
  const compared = differences(result);
  const { count: late, max } = lateness(compared);
  const deviations = compared.filter(isDeviation);
  const delayed = `${late === 1 ? '1 of them was' : `${late} of them were`} recorded late, by up to ${(max / 1_000).toFixed(1)} s: the machine was busy`;
  const remark = late === 0 ? [] : [delayed];
  if (deviations.length === 0) {
    printLines(['', `the same decisions as recorded, to within ${tolerance} ms`, ...remark]);
    return exitCodes.ok;
  }
  const count = deviations.length === 1 ? '1 decision differs' : `${deviations.length} decisions differ`;
  printLines(['', `${count} from the recorded ones:`, ...diffLines(deviations, result.startedAt), ...remark]);
  return exitCodes.failed;
}

/** Replays a recording with another config. */
async function otherwise(recording: RecordingFile, name: string): Promise<number> {
  const config = await loadConfig('replay', name);
  if (!config.ok) return fail(config.error);
  const result = await replayWhatIf(recording, config.value);
  printWhatIf(result);
  const unknown = limitationsOf(recording, config.value);
  if (unknown.length > 0) printLines(['', 'not known from the recording:', ...unknown.map((each) => `  ${each}`)]);
  return exitCodes.ok;
}

/** Replays watch events, on the live page if it has an address. */
async function ofEvents(
  files: readonly JsonFile[],
  { configFile: name }: ReplayFlags,
  address: BindAddress | 'none',
): Promise<number> {
  const events = readEventFiles(files);
  if (!events.ok) return fail(events.error);
  const config = await configOf(name);
  if (!config.ok) return fail(config.error);
  if (address === 'none') printWhatIf(await replayEvents(config.value, events.value));
  const unreported = unknownFromEvents(config.value, events.value);
  if (unreported.length > 0) printLines(['', 'not known from watch events:', ...unreported.map((each) => `  ${each}`)]);
  const cuts = files.flatMap(({ cut }) => cut ?? []);
  if (cuts.length > 0) printLines(['', ...cuts.map(({ message }) => `left out: ${message}`)]);
  return address === 'none' ? exitCodes.ok : replayPage(dryRunOf(playableEvents(config.value, events.value)), address);
}

/** Watch events contain only EndpointSlices and pods, or one of the two. */
function unknownFromEvents({ restart, observer }: Config, files: readonly EventFile[]): string[] {
  const kinds = new Set(files.flatMap(({ listed, changes }) => [...listed, ...changes].map(({ kind }) => kind)));
  return [
    ...(kinds.has('EndpointSlice') ? [] : ['services are unknown: add a file with the events of endpointslices']),
    ...(kinds.has('Pod') ? [] : ['pods are unknown: add a file with the events of pods']),
    ...(restart === undefined ? [] : ['workloads are unknown: use a recording of weeder run --record']),
    ...(observer === undefined ? [] : ['applications are unknown: use a recording of weeder run --record']),
  ];
}

async function configOf(name: string | undefined): Promise<Result<Config>> {
  if (name !== undefined) return loadConfig('replay', name);
  return failed(codedError('USAGE', 'Watch events contain no config: weeder replay needs --config-file FILE.'));
}

function printWhatIf({ events, startedAt, deleted }: WhatIfResult): void {
  printLines([...timeline(events, startedAt), '', ...savings(deleted)]);
}

/** `weeder replay FILE… --ui`: shows it on the live page, until Ctrl-C. Resolves with the exit code. */
async function replayPage(playable: Playable, address: BindAddress): Promise<number> {
  const logger = await createLogger('error', process.stderr);
  const onBroken = (error: unknown, page?: string) => logger.error({ err: error, page }, 'internal error: page failed');
  const replaying = await createReplaying(playable, systemClock, onBroken);
  const { live } = replaying;
  const command = replayCommand(replaying.command);
  const served = await serveLivePage(address, { live, command, onBroken, onRefused: onBroken });
  if (!served.ok) return fail(served.error);
  process.stdout.write(`The live page shows the replay until Ctrl-C: ${served.value.url}\n`);
  const stop = stopOnSignals(logger, { onePress: 1_000 });
  if (!stop.signal.aborted) await once(stop.signal, 'abort');
  stop.forget();
  replaying.stop();
  await served.value.close();
  return exitCodes.ok;
}
