import { systemClock } from '../base/clock.ts';
import { ok, type Result } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { Config } from '../config/config.ts';
import { openRecorder, type Recorder } from '../recording/recorder.ts';
import type { RunFlags } from './runFlags.ts';

type RecordingFlags = Pick<
  RunFlags,
  'record' | 'recordLimit' | 'recordFiles' | 'namespaces' | 'concurrentDeletions' | 'dryRun'
>;

/** Opens the recording that --record asks for; undefined: none. A recording that breaks off later is told to `onFailure`. */
export async function startRecording(
  flags: RecordingFlags,
  config: Config,
  logger: Logger,
  onFailure: () => void,
): Promise<Result<Recorder | undefined>> {
  const { record: file, recordLimit: limit, recordFiles: oldFiles } = flags;
  const { namespaces = 'all', concurrentDeletions, dryRun: isDryRun } = flags;
  if (file === undefined) return ok(undefined);
  return openRecorder({
    file,
    limit,
    oldFiles,
    clock: systemClock,
    config,
    namespaces,
    concurrentDeletions,
    isDryRun,
    onFailure(cause) {
      logger.warn({ file, cause }, 'the recording stops here; weeder goes on');
      onFailure();
    },
  });
}
