import { hostname } from 'node:os';
import { systemClock } from '../clock.ts';
import type { Config } from '../config/config.ts';
import { ok, type Result } from '../errors.ts';
import type { Election } from '../kube/lease/election.ts';
import { createLogger, type Logger } from '../log.ts';
import { type Controller, type ControllerEnd, startController } from '../main.ts';
import { openRecorder, type Recorder } from '../recorder.ts';
import { loadConfig } from './configFile.ts';
import { connect } from './connect.ts';
import { electionOf } from './election.ts';
import { createObservation, type Observation } from './observe.ts';
import { exitCodes, fail } from './output.ts';
import type { RunFlags } from './runFlags.ts';
import { stopOnSignals } from './signals.ts';

/** `weeder run`: works until it is told to stop. Resolves with the exit code. */
export async function run(flags: RunFlags, meaningless: readonly string[]): Promise<number> {
  const logger = await createLogger(flags.zapLogLevel ?? flags.logLevel);
  const election = electionOf(flags);
  if (!election.ok) return fail(election.problem);
  const config = await loadConfig('run', flags.configFile);
  if (!config.ok) return fail(config.problem);
  if (meaningless.length > 0) logger.info({ flags: meaningless }, 'these flags are accepted and mean nothing here');

  const services = config.value.services.keys();
  const observation = createObservation({ services, logger, clock: systemClock });
  const recording = await startRecording(flags, config.value, logger, observation);
  if (!recording.ok) return fail(recording.problem);
  const recorder = recording.value;
  const served = await observation.serve(flags);
  if (!served.ok) {
    await recorder?.close();
    return fail(served.problem);
  }
  const stop = stopOnSignals(logger);
  const exitCode = await work(
    { flags, config: config.value, election: election.value, logger, recorder, observation },
    stop.signal,
  );
  await recorder?.close();
  stop.forget();
  await served.value.close();
  return exitCode;
}

interface Work {
  readonly flags: RunFlags;
  readonly config: Config;
  readonly election: Election | undefined;
  readonly logger: Logger;
  readonly recorder: Recorder | undefined;
  readonly observation: Observation;
}

/** From the first word with the API server to the last. */
async function work(
  { flags, config, election, logger, recorder, observation }: Work,
  stop: AbortSignal,
): Promise<number> {
  const onWaiting = (sentence: string) => logger.warn({ cause: sentence }, 'waiting for the API server');
  const { onRequest, report } = observation;
  const client = await connect({ ...flags, onWaiting, onRequest, signal: stop }, systemClock);
  if (stop.aborted) {
    if (client.ok) await client.value.close();
    return exitCodes.ok;
  }
  if (!client.ok) return fail(client.problem);
  const { dryRun, concurrentDeletions, namespaces = 'all', shard, events } = flags;
  const { server } = client.value;
  logger.info(
    { server, services: [...config.services.keys()], dryRun, shard: shard && `${shard.index}/${shard.count}` },
    'weeder started',
  );
  const end = await lead(stop, () => {
    const controller = startController({
      config,
      client: client.value,
      clock: systemClock,
      logger,
      namespaces,
      concurrentDeletions,
      isDryRun: dryRun,
      ...(events ? { eventInstance: process.env['POD_NAME'] || hostname() } : {}),
      ...(shard === undefined ? {} : { shard }),
      ...(election === undefined ? {} : { election }),
      report,
      ...(recorder === undefined ? {} : { recorder }),
    });
    observation.watch(controller);
    return controller;
  });
  await client.value.close();
  if (end !== 'broken') logger.info('weeder stopped');
  else logger.error('weeder stopped by itself');
  return end !== 'broken' ? exitCodes.ok : exitCodes.failed;
}

/**
 * One controller after the other: when one has lost leadership the next stands by, with nothing of the one before. To
 * end the process instead would only earn weeder a crash-loop back-off of its own.
 */
async function lead(stop: AbortSignal, start: () => Controller): Promise<ControllerEnd> {
  for (;;) {
    const controller = start();
    const shutdown = () => controller.shutdown();
    stop.addEventListener('abort', shutdown);
    const end = await controller.stopped;
    stop.removeEventListener('abort', shutdown);
    if (end !== 'leadershipLost' || stop.aborted) return end;
  }
}

async function startRecording(
  flags: RunFlags,
  config: Config,
  logger: Logger,
  observation: Observation,
): Promise<Result<Recorder | undefined>> {
  const { record: file, recordLimit: limit, recordFiles: oldFiles } = flags;
  const { namespaces = 'all', concurrentDeletions, dryRun: isDryRun } = flags;
  if (file === undefined) return ok(undefined);
  const onFailure = (cause: string) => {
    logger.warn({ file, cause }, 'the recording stops here; weeder goes on');
    observation.recordingFailed();
  };
  return openRecorder({
    file,
    limit,
    oldFiles,
    clock: systemClock,
    config,
    namespaces,
    concurrentDeletions,
    isDryRun,
    onFailure,
  });
}
