import { type CodedError, failed, ok, type Result } from '@weeder/kube-runtime/base';
import { codedError } from '../../base/errors.ts';
import { formatFieldError } from '../../base/fieldError.ts';
import type { Config } from '../../config/config.ts';
import type { StoredConfig } from '../../config/configText.ts';
import type { ControllerName } from '../../controllers/controllers.ts';
import { type RecordedLine, type RecordingHeader, recordingVersion } from '../../recording/file/lines.ts';
import { parseStoredConfig } from '../played/recordedConfig.ts';
import { invalid, type JsonLine } from './jsonLines.ts';
import { recordedLine, recordingHeader } from './recordingSchema.ts';

/** A validated file of a recording. */
export interface RecordingFile {
  readonly name: string;
  readonly header: RecordingHeader;
  readonly config: Config;
  readonly lines: readonly RecordedLine<ControllerName>[];
}

export function isRecording({ value }: JsonLine): boolean {
  return value['weeder'] === 'recording';
}

/** Reads the lines of one file whose first line is the header of a recording. */
export function readRecording(first: JsonLine, rest: readonly JsonLine[]): Result<RecordingFile> {
  const header = readHeader(first);
  if (!header.ok) return header;
  const config = readConfig(header.value, first);
  if (!config.ok) return config;
  const lines: RecordedLine<ControllerName>[] = [];
  for (const jsonLine of rest) {
    if (isRecording(jsonLine))
      return failed(invalid(jsonLine, 'another file of a recording begins here; give each as one file'));
    const line = recordedLine.safeParse(jsonLine.value);
    if (!line.success) return failed(invalid(jsonLine, 'the line is garbled: it is not a line of a recording'));
    const before = lines.at(-1)?.t ?? 0;
    if (line.data.t < before) return failed(outOfOrder(jsonLine, line.data.t, before));
    const changed = 'config' in line.data ? readConfig(line.data, jsonLine) : undefined;
    if (changed?.ok === false) return changed;
    lines.push(line.data);
  }
  return ok({ name: first.file, header: header.value, config: config.value, lines });
}

function readConfig(stored: StoredConfig, line: JsonLine): Result<Config> {
  const config = parseStoredConfig(stored, line.file);
  if (config.ok) return config;
  const [error] = config.error;
  return failed(invalid(line, `its config cannot be used: ${error === undefined ? '' : formatFieldError(error)}`));
}

function readHeader(first: JsonLine): Result<RecordingHeader> {
  const { version, weederVersion } = first.value;
  if (typeof version === 'number' && version !== recordingVersion) {
    const writer = typeof weederVersion === 'string' ? ` (weeder ${weederVersion})` : '';
    const hint =
      version < recordingVersion
        ? `since its release, 0.1.0 reads version ${recordingVersion} only: record again`
        : `this weeder reads version ${recordingVersion}`;
    return failed(invalid(first, `the recording has version ${version}${writer}; ${hint}`));
  }
  const header = recordingHeader.safeParse(first.value);
  return header.success ? ok(header.data) : failed(invalid(first, 'the header of the recording is garbled'));
}

function outOfOrder(line: JsonLine, is: number, was: number): CodedError {
  return invalid(line, `the line is out of order: its time is ${is} ms, and the line before has ${was} ms`);
}

/** The lines up to this one repeat the file before. Each controller has such a line of its own. */
function isSnapshotEnd(line: RecordedLine): boolean {
  return 'in' in line && line.in === 'snapshotEnd';
}

/** Puts the files of one recording in order, and leaves out the lines that only repeat an earlier file. */
export function joinRecordings(files: readonly RecordingFile[]): Result<RecordingFile> {
  const [first, ...later] = files.toSorted((a, b) => a.header.part - b.header.part);
  if (first === undefined) return failed(codedError('RECORDING_INVALID', 'There is nothing to replay.'));
  let last = first;
  const lines = [...first.lines];
  for (const file of later) {
    const isNext = file.header.part === last.header.part + 1 && file.header.startedAt === last.header.startedAt;
    if (!isNext) {
      const message = `this file does not continue ${last.name}; only the files of one recording are replayed together`;
      return failed(invalid({ file: file.name, line: 1 }, message));
    }
    const snapshotEnd = file.lines.findLastIndex(isSnapshotEnd);
    for (const line of file.lines.slice(snapshotEnd + 1)) lines.push(line);
    last = file;
  }
  return ok({ ...first, lines });
}
