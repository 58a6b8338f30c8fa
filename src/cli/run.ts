import { hostname } from 'node:os';
import { systemClock } from '../clock.ts';
import type { Config } from '../config/config.ts';
import { ok, type Result } from '../errors.ts';
import type { ReportProcess } from '../facts.ts';
import { connectInspector, type Inspection } from '../inspect.ts';
import type { KubeClient } from '../kube/client.ts';
import { createEventRecorder } from '../kube/events.ts';
import type { Election } from '../kube/lease/election.ts';
import { createLogger, type Logger } from '../log.ts';
import { type Controller, type ControllerEnd, startController } from '../main.ts';
import { ownPod, tellProcess } from '../processEvents.ts';
import { openRecorder, type Recorder } from '../recorder.ts';
import { createReload, type Reload } from '../reload.ts';
import { type OpenedConfig, openConfig } from './configFile.ts';
import { connect } from './connect.ts';
import { electionOf } from './election.ts';
import { followConfig } from './followConfig.ts';
import { createObservation, type Observation } from './observe.ts';
import { type OfferedPage, offerPage } from './offerPage.ts';
import { exitCodes, fail } from './output.ts';
import type { RunFlags } from './runFlags.ts';
import { ignoreHangUps, stopOnSignals } from './signals.ts';

/** `weeder run`: works until it is told to stop. Resolves with the exit code. */
export async function run(flags: RunFlags, meaningless: readonly string[]): Promise<number> {
  const logger = await createLogger(flags.zapLogLevel ?? flags.logLevel);
  const election = electionOf(flags);
  if (!election.ok) return fail(election.problem);
  const opened = await openConfig('run', flags.configFile);
  if (!opened.ok) return fail(opened.problem);
  if (meaningless.length > 0) logger.info({ flags: meaningless }, 'these flags are accepted and mean nothing here');

  const { config } = opened.value;
  let controller: Controller | undefined;
  const reload = createReload({
    config,
    clock: systemClock,
    logger,
    report: (fact) => {
      for (const tell of listeners) tell(fact);
    },
    apply: (next) => controller?.configure(next),
  });
  const listeners: ReportProcess[] = [(fact) => observation.reportProcess(fact)];
  const observation = createObservation({ reload, lease: election.value?.name, logger, clock: systemClock });
  const recording = await startRecording(flags, config, logger, observation);
  if (!recording.ok) return fail(recording.problem);
  const recorder = recording.value;
  const served = await observation.serve(flags);
  if (!served.ok) {
    await recorder?.close();
    return fail(served.problem);
  }
  const page = await offerPage(flags.uiBindAddr, logger);
  if (!page.ok) {
    await Promise.all([recorder?.close(), served.value.close()]);
    return fail(page.problem);
  }
  const inspection = await inspectionOf(flags);
  if (!inspection.ok) {
    await Promise.all([recorder?.close(), served.value.close(), page.value?.close()]);
    return fail(inspection.problem);
  }
  if (page.value !== undefined) {
    listeners.push(page.value.reportProcess);
    logger.info({ url: page.value.url }, 'the live page is served');
  }
  const stop = stopOnSignals(logger);
  const heed = ignoreHangUps();
  const exitCode = await work(
    {
      flags,
      opened: opened.value,
      reload,
      listeners,
      election: election.value,
      logger,
      recorder,
      observation,
      page: page.value,
      inspection: inspection.value,
    },
    stop.signal,
    (started) => {
      controller = started;
      observation.watch(started);
    },
  );
  await recorder?.close();
  stop.forget();
  heed();
  inspection.value?.stop();
  await page.value?.close();
  await served.value.close();
  return exitCode;
}

interface Work {
  readonly flags: RunFlags;
  readonly opened: OpenedConfig;
  readonly reload: Reload;
  /** Told of what concerns the process. */
  readonly listeners: ReportProcess[];
  readonly election: Election | undefined;
  readonly logger: Logger;
  readonly recorder: Recorder | undefined;
  readonly observation: Observation;
  readonly page: OfferedPage | undefined;
  readonly inspection: Inspection | undefined;
}

/** From the first word with the API server to the last. */
async function work(
  { flags, opened, reload, listeners, election, logger, recorder, observation, page, inspection }: Work,
  stop: AbortSignal,
  onStarted: (controller: Controller) => void,
): Promise<number> {
  const onWaiting = (sentence: string) => logger.warn({ cause: sentence }, 'waiting for the API server');
  const { onRequest, reportProcess } = observation;
  const inspect = inspection === undefined ? page?.inspect : both(inspection.inspect, page?.inspect);
  const client = await connect({ ...flags, onWaiting, onRequest, signal: stop }, systemClock);
  if (stop.aborted) {
    if (client.ok) await client.value.close();
    return exitCodes.ok;
  }
  if (!client.ok) return fail(client.problem);
  const { dryRun, concurrentDeletions, namespaces = 'all', shard, events } = flags;
  const { server } = client.value;
  logger.info(
    { server, services: [...opened.config.services.keys()], dryRun, shard: shard && `${shard.index}/${shard.count}` },
    'weeder started',
  );
  let current: Controller | undefined;
  const isDeleting = () => current !== undefined && current.counts().queued + current.counts().inFlight > 0;
  const ownEvents = events ? tellOfItself(client.value, logger, isDeleting) : undefined;
  if (ownEvents !== undefined) listeners.push(ownEvents.tell);
  const followed = followConfig(opened, reload.take, logger);
  // What is on its way out does not change its ways.
  stop.addEventListener('abort', followed.stop);
  const end = await lead(stop, () => {
    const controller = startController({
      config: reload.config(),
      client: client.value,
      clock: systemClock,
      logger,
      namespaces,
      concurrentDeletions,
      isDryRun: dryRun,
      ...(events ? { eventInstance: process.env['POD_NAME'] || hostname() } : {}),
      ...(shard === undefined ? {} : { shard }),
      ...(election === undefined ? {} : { election }),
      report: both(observation.nextReport(), page?.report),
      reportProcess: both(reportProcess, page?.reportProcess),
      ...(inspect === undefined ? {} : { inspect }),
      ...(recorder === undefined ? {} : { recorder }),
    });
    current = controller;
    onStarted(controller);
    page?.watch(controller);
    return controller;
  });
  followed.stop();
  await ownEvents?.close();
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

/** Events on weeder's own pod; undefined outside of one. */
function tellOfItself(client: KubeClient, logger: Logger, isHeldBack: () => boolean) {
  const pod = ownPod(process.env);
  if (pod === undefined) return undefined;
  const source = { controller: 'weeder.dev/weeder', instance: pod.name };
  const { record, close } = createEventRecorder({ client, clock: systemClock, log: logger, source, isHeldBack });
  return { tell: tellProcess(pod, record), close };
}

async function inspectionOf({ inspect }: RunFlags): Promise<Result<Inspection | undefined>> {
  if (inspect === undefined) return ok(undefined);
  return connectInspector(inspect === true ? 'ws://localhost:8080' : inspect);
}

/** Tells both of everything. */
function both<T>(one: (fact: T) => void, other: ((fact: T) => void) | undefined): (fact: T) => void {
  if (other === undefined) return one;
  return (fact) => {
    one(fact);
    other(fact);
  };
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
