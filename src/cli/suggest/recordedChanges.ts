import { ok, type Result } from '@weeder/kube-runtime/base';
import { isRecording } from '../../replay/recorded/recordingFile.ts';
import { changesOfEvents, changesOfRecording, type RecordedChange } from '../../suggest/recordedChanges.ts';
import { readEventFiles, readFiles, readRecordings } from '../recordingFiles.ts';

/** Reads the changes of pods and EndpointSlices in the files of a recording, or of watch events. */
export async function readRecordedChanges(names: readonly string[]): Promise<Result<RecordedChange[]>> {
  const files = await readFiles(names);
  if (!files.ok) return files;
  if (files.value.some(({ first }) => isRecording(first))) {
    const recording = readRecordings(files.value);
    return recording.ok ? ok(changesOfRecording(recording.value)) : recording;
  }
  const events = readEventFiles(files.value);
  return events.ok ? ok(changesOfEvents(events.value)) : events;
}
