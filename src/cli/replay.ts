import { failed, type Problem, problem, type Result } from '../errors.ts';
import { differences, tolerance } from '../replay/compare.ts';
import { type JsonLine, readJsonLines } from '../replay/jsonLines.ts';
import { isRecording, joinRecordings, type RecordingFile, readRecording } from '../replay/recordingFile.ts';
import { replayEvents } from '../replay/replayEvents.ts';
import { replayRecording } from '../replay/replayRecording.ts';
import { savings } from '../replay/savings.ts';
import { diffLines, timeline } from '../replay/timeline.ts';
import { type EventFile, readEvents } from '../replay/watchEvent.ts';
import { loadConfig } from './configFile.ts';
import { exitCodes, fail } from './output.ts';

export interface ReplayFlags {
  readonly config?: string;
}

/** `weeder replay FILE…`: what weeder does with a recording, or would have done with watch events. */
export async function replay(names: readonly string[], flags: ReplayFlags): Promise<number> {
  const files: (readonly JsonLine[])[] = [];
  for (const name of names) {
    const lines = await readJsonLines(name);
    if (!lines.ok) return fail(lines.problem);
    files.push(lines.value);
  }
  const isOfRecordings = files.some(([first]) => first !== undefined && isRecording(first));
  return isOfRecordings ? again(files, flags) : whatIf(files, flags);
}

/** Replays a recording and compares. */
async function again(files: readonly (readonly JsonLine[])[], { config }: ReplayFlags): Promise<number> {
  if (config !== undefined) {
    return fail(problem('USAGE', 'A recording is replayed with its own config, not with --config.'));
  }
  const recording = readAll(files);
  if (!recording.ok) return fail(recording.problem);
  const result = await replayRecording(recording.value);
  print(timeline(result.replayed, result.startedAt));
  const found = differences(result);
  if (found.length === 0) {
    print(['', `the same decisions as recorded, to within ${tolerance} ms`]);
    return exitCodes.ok;
  }
  const count = found.length === 1 ? '1 decision differs' : `${found.length} decisions differ`;
  print(['', `${count} from the recorded ones:`, ...diffLines(found, result.startedAt)]);
  return exitCodes.failed;
}

function readAll(files: readonly (readonly JsonLine[])[]): Result<RecordingFile> {
  const read: RecordingFile[] = [];
  for (const [first, ...rest] of files) {
    if (first === undefined) continue;
    if (!isRecording(first)) return failed(mixed(first));
    const file = readRecording(first, rest);
    if (!file.ok) return file;
    read.push(file.value);
  }
  return joinRecordings(read);
}

function mixed({ file }: JsonLine): Problem {
  return problem('RECORDING_INVALID', `${file}:1: found no recording; recordings and watch events are not mixed.`);
}

/** Asks of watch events what weeder would have done. */
async function whatIf(files: readonly (readonly JsonLine[])[], flags: ReplayFlags): Promise<number> {
  const events: EventFile[] = [];
  for (const lines of files) {
    const read = readEvents(lines);
    if (!read.ok) return fail(read.problem);
    events.push(read.value);
  }
  if (flags.config === undefined) {
    return fail(problem('USAGE', 'Watch events do not say what weeder is to do: weeder replay needs --config FILE.'));
  }
  const config = await loadConfig('replay', flags.config);
  if (!config.ok) return fail(config.problem);
  const { facts, startedAt, deleted } = await replayEvents(config.value, events);
  print([...timeline(facts, startedAt), '', ...savings(deleted)]);
  return exitCodes.ok;
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
