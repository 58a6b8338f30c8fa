import { ok, type Result, systemClock } from '@weeder/kube-runtime/base';
import { connectInspector, type Inspection } from '../../actors/inspector.ts';
import { createLogger, type Logger } from '../../base/log.ts';
import { notifyBoth } from '../../base/notifyBoth.ts';
import { namespacesInWords } from '../../controller/namespacesInWords.ts';
import { type OtlpExport, startExport } from '../../otlp/startExport.ts';
import type { Manager } from '../../process/manager.ts';
import type { ReportProcess } from '../../process/processLog.ts';
import { createReload } from '../../process/reload.ts';
import { processHeap, trimWhenIdle } from '../../process/trimHeap.ts';
import { createTelemetry, type Telemetry } from '../../telemetry/telemetry.ts';
import { openConfig } from '../configFile.ts';
import type { RunFlags } from '../flags/runFlags.ts';
import { fail } from '../output.ts';
import { serverVersion } from '../serverVersion.ts';
import { type ServedUi, serveUi } from '../serveUi.ts';
import { ignoreHangUps, stopOnSignals } from '../signals.ts';
import { electionOf, instanceName, selectionOf, startRecording } from './fromFlags.ts';
import { prepareLastResort } from './lastResort.ts';
import { type Reports, runLoop } from './runLoop.ts';

/** `weeder run`: starts the servers and runs until it is stopped. Resolves with the exit code. */
export async function run(flags: RunFlags, ignored: readonly string[]): Promise<number> {
  // This does not use `await using`, because an old Node has to parse the program to print that it is too old.
  const open = new AsyncDisposableStack();
  try {
    return await runWith(open, flags, ignored);
  } finally {
    await open.disposeAsync();
  }
}

/** Resources that have to be closed at the end are added to `open`. */
async function runWith(open: AsyncDisposableStack, flags: RunFlags, ignored: readonly string[]): Promise<number> {
  const logger = await createLogger(flags.zapLogLevel ?? flags.logLevel);
  const election = electionOf(flags);
  if (!election.ok) return fail(election.error);
  const selection = selectionOf(flags);
  if (!selection.ok) return fail(selection.error);
  const opened = await openConfig('run', flags.configFile);
  if (!opened.ok) return fail(opened.error);
  if (ignored.length > 0) logger.info({ flags: ignored }, 'ignoring unsupported flags');

  const { config } = opened.value;
  let manager: Manager | undefined;
  const listeners: ReportProcess[] = [];
  const reportProcess: ReportProcess = (event) => {
    for (const listen of listeners) listen(event);
  };
  const apply: Manager['configure'] = (next) => manager?.configure(next);
  const reload = createReload({ config, clock: systemClock, logger, report: reportProcess, apply });
  const { dryRun: isDryRun } = flags;
  const observation = createTelemetry({ reload, lease: election.value?.name, isDryRun, logger, clock: systemClock });
  listeners.push(observation.reportProcess);

  const served = await observation.serve(flags);
  if (!served.ok) return fail(served.error);
  open.defer(served.value.close);
  let cluster: string | undefined;
  let version: string | undefined;
  const identity = election.value?.identity ?? instanceName();
  const offered = await serveUi(flags.uiBindAddr, logger, {
    isDryRun,
    process: () => ({
      cluster,
      version,
      identity,
      namespaces: namespacesInWords(flags.namespaces ?? 'all', selection.value),
      config: reload.config(),
      status: reload.status(),
    }),
  });
  if (!offered.ok) return fail(offered.error);
  const page = offered.value;
  open.defer(() => page?.close());
  const collect = observation.samples;
  const otlp = await startExport({ env: process.env, instance: identity, logger, clock: systemClock, collect });
  open.defer(() => otlp?.close());
  const inspection = await inspectionOf(flags, logger);
  if (!inspection.ok) return fail(inspection.error);
  open.defer(() => inspection.value?.stop());
  const recording = await startRecording(flags, config, logger, observation.recordingFailed);
  if (!recording.ok) return fail(recording.error);
  const recorder = recording.value;
  if (page !== undefined) {
    listeners.push(page.reportProcess);
    logger.info({ url: page.url }, 'the live page is served');
  }
  open.defer(ignoreHangUps());
  const stop = stopOnSignals(logger);
  open.defer(stop.forget);
  open.defer(() => recorder?.close());
  open.defer(trimWhenIdle(systemClock, processHeap));
  prepareLastResort(logger);
  return runLoop(
    {
      flags,
      opened: opened.value,
      reload,
      election: election.value,
      selection: selection.value,
      logger,
      recorder,
      onRequest: observation.onRequest,
      reports: reportingToAll(observation, otlp, page),
      reportProcess,
      listeners,
      inspect: anyOf(inspection.value?.inspect, page?.inspect),
      onConnected(client, access) {
        cluster = access?.context ?? client.server;
        observation.connected(client);
        if (page === undefined) return;
        void serverVersion(client).then((read) => {
          version = read;
        });
      },
      onStarted(started) {
        manager = started;
        observation.watch(started);
        page?.watch(started);
      },
    },
    stop.signal,
  );
}

function reportingToAll(telemetry: Telemetry, otlp: OtlpExport | undefined, page: ServedUi | undefined): Reports {
  return {
    nextReport() {
      const count = telemetry.nextReport();
      const trace = otlp?.nextReport();
      return (of, event) => {
        count(of, event);
        trace?.(of, event);
        page?.report(of, event);
      };
    },
    onHashRead: telemetry.onHashRead,
  };
}

async function inspectionOf({ inspect: url }: RunFlags, logger: Logger): Promise<Result<Inspection | undefined>> {
  return url === undefined ? ok(undefined) : connectInspector({ url, clock: systemClock, logger });
}

/** Combines the listeners that are defined. */
function anyOf<T>(one: ((event: T) => void) | undefined, other: ((event: T) => void) | undefined) {
  if (one === undefined) return other;
  return other === undefined ? one : notifyBoth(one, other);
}
