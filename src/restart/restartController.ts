import { countingClient } from '@weeder/kube-runtime/client';
import type { Controller, ControllerContext } from '../controller/controller.ts';
import { watchHashKeys } from './digest/watchHashKeys.ts';
import type { ReportRestart } from './references/events.ts';
import { logRestart, recordRestartEvents } from './report/reportRestart.ts';
import { type ReportRead, restartApi } from './requests/restartApi.ts';
import type { RestartControl } from './restartControl.ts';
import { type CreateRestartCore, createRestartCore } from './restartCore.ts';

export interface RestartControllerOptions extends ControllerContext {
  /** The namespace of the Secret with the hash key, unless the config sets it. */
  readonly ownNamespace: string;
  /** Called for every event, in addition to the log and the Kubernetes Events. */
  readonly report?: ReportRestart | undefined;
  readonly onRead?: ReportRead | undefined;
  /** Default: `createRestartCore`. A recording wraps it. */
  readonly createCore?: CreateRestartCore;
}

/**
 * Restart control with its streams, its hash key, its log and its Events. Without its section of the config it does
 * nothing.
 */
export function createRestartController(options: RestartControllerOptions): Controller<RestartControl> {
  const { runtime, logger, isDryRun, createCore = createRestartCore } = options;
  const client = countingClient(options.client);
  const { clock } = runtime;
  const log = logRestart(logger);
  const recordEvents = recordRestartEvents(options.recordEvent);
  const report: ReportRestart = (event) => {
    log(event);
    recordEvents(event);
    options.report?.(event);
  };
  const core = createCore({
    ...options,
    api: restartApi(client, options.onRead),
    report,
    random: Math.random,
    watchHashKeys: (which) => watchHashKeys({ ...which, client, clock, isDryRun, report }),
    onStarted: (streams) => logger.info({ streams }, 'caches synced, starting restart control'),
  });
  const { control } = core;
  return {
    name: 'restart control',
    needs: core.needs,
    configure: core.configure,
    start: core.start,
    stop: core.stop,
    async drained() {
      await control()?.drained();
    },
    // Some read is always in flight, and must not delay the recording of Events.
    work: () => ({ queued: 0, inFlight: client.writes }),
    actors: () => control()?.actors() ?? [],
    actorCounts: () => ({ workload: control()?.counts().workloads ?? 0 }),
    shown: control,
  };
}
