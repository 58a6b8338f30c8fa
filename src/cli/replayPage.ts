import { once } from 'node:events';
import { systemClock } from '../base/clock.ts';
import type { BindAddress } from '../base/http.ts';
import { createLogger } from '../base/log.ts';
import type { RecordingFile } from '../replay/recorded/recordingFile.ts';
import { replayCommand } from '../ui/replayCommand.ts';
import { createReplaying } from '../ui/replaying.ts';
import { serveLivePage } from '../ui/serve.ts';
import { exitCodes, fail } from './output.ts';
import { stopOnSignals } from './signals.ts';

/** `weeder replay FILE… --ui`: the live page on a recording, until Ctrl-C. Resolves with the exit code. */
export async function replayPage(recording: RecordingFile, address: BindAddress): Promise<number> {
  const logger = await createLogger('error', process.stderr);
  const onBroken = (error: unknown, page?: string) => logger.error({ err: error, page }, 'internal error: page failed');
  const replaying = createReplaying(recording, systemClock, onBroken);
  const { live } = replaying;
  const served = await serveLivePage(address, { live, command: replayCommand(replaying.command), onBroken });
  if (!served.ok) return fail(served.error);
  process.stdout.write(`The recording as a page, until Ctrl-C: ${served.value.url}\n`);
  const stop = stopOnSignals(logger, { onePress: 1_000 });
  if (!stop.signal.aborted) await once(stop.signal, 'abort');
  stop.forget();
  replaying.stop();
  await served.value.close();
  return exitCodes.ok;
}
