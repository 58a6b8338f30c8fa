import { type CodedError, failed, ok, type Result } from '@weeder/kube-runtime/base';
import { codedError } from '../base/errors.ts';
import { type JsonFile, type JsonLine, readJsonLines } from '../replay/recorded/jsonLines.ts';
import { isRecording, joinRecordings, type RecordingFile, readRecording } from '../replay/recorded/recordingFile.ts';
import { type EventFile, readEvents } from '../replay/recorded/watchEvent.ts';

/** Reads files of recordings, or of watch events. */
export async function readFiles(names: readonly string[]): Promise<Result<JsonFile[]>> {
  const files: JsonFile[] = [];
  for (const name of names) {
    const file = await readJsonLines(name);
    if (!file.ok) return file;
    files.push(file.value);
  }
  return ok(files);
}

/** The files of one recording. */
export function readRecordings(files: readonly JsonFile[]): Result<RecordingFile> {
  const read: RecordingFile[] = [];
  for (const { first, rest, cut } of files) {
    if (!isRecording(first)) return failed(mixed(first));
    const file = readRecording(first, rest);
    if (!file.ok) return file;
    if (cut !== undefined) return failed(cut);
    read.push(file.value);
  }
  return joinRecordings(read);
}

function mixed({ file }: JsonLine): CodedError {
  return codedError('RECORDING_INVALID', `${file}:1: found no recording; recordings and watch events are not mixed.`);
}

/** The watch events of each file. */
export function readEventFiles(files: readonly JsonFile[]): Result<EventFile[]> {
  const events: EventFile[] = [];
  for (const { first, rest } of files) {
    const read = readEvents([first, ...rest]);
    if (!read.ok) return read;
    events.push(read.value);
  }
  return ok(events);
}
