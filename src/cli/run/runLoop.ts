import type { ClusterAccess } from '@weeder/kube-runtime/access';
import { systemClock } from '@weeder/kube-runtime/base';
import type { KubeClient } from '@weeder/kube-runtime/client';
import { createEventRecorder } from '@weeder/kube-runtime/events';
import type { Election } from '@weeder/kube-runtime/lease';
import { selectorToString } from '@weeder/kube-runtime/objects';
import type { InspectionEvent } from 'xstate';
import type { ManagerEnd } from '../../../machines/process/manager.ts';
import type { Logger } from '../../base/log.ts';
import { notifyBoth } from '../../base/notifyBoth.ts';
import type { NamespaceSelection } from '../../controller/ownedNamespaces.ts';
import type { ProcessControllers } from '../../controllers/controllers.ts';
import { loadControllers } from '../../controllers/createControllers.ts';
import { type Manager, startManager } from '../../process/manager.ts';
import { ownPod, recordProcessEvents } from '../../process/processEvents.ts';
import { logIfNeutral, type ReportProcess } from '../../process/processLog.ts';
import type { Reload } from '../../process/reload.ts';
import type { Recorder } from '../../recording/recorder.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import type { OpenedConfig } from '../configFile.ts';
import { connect } from '../connect.ts';
import type { RunFlags } from '../flags/runFlags.ts';
import { exitCodes, fail } from '../output.ts';
import { followConfig } from './followConfig.ts';
import { instanceName } from './fromFlags.ts';

/** The listeners for the events of the controllers. */
export type Reports = Pick<Telemetry, 'nextReport' | 'onHashRead'>;

/** The dependencies of the process, once its servers are running. */
interface Work {
  readonly flags: RunFlags;
  readonly opened: OpenedConfig;
  readonly reload: Reload;
  readonly election: Election | undefined;
  readonly selection: NamespaceSelection | undefined;
  readonly logger: Logger;
  readonly recorder: Recorder | undefined;
  readonly onRequest: Telemetry['onRequest'];
  readonly reports: Reports;
  /** The listener for events about the process. */
  readonly reportProcess: ReportProcess;
  readonly listeners: ReportProcess[];
  readonly inspect: ((event: InspectionEvent) => void) | undefined;
  /** Called when the API server has been reached. */
  readonly onConnected: (client: KubeClient, access: ClusterAccess | undefined) => void;
  /** Called when this manager has started. */
  readonly onStarted: (manager: Manager<ProcessControllers>) => void;
}

/** Runs from the first request to the API server to the last. Resolves with the exit code. */
export async function runLoop({ flags, opened, reload, ...options }: Work, stop: AbortSignal): Promise<number> {
  const { election, selection, logger, recorder, listeners, inspect, onRequest } = options;
  const onWaiting = (cause: string) => logger.warn({ cause }, 'waiting for the API server');
  let access: ClusterAccess | undefined;
  const onAccess = (chosen: ClusterAccess) => {
    access = chosen;
  };
  const client = await connect({ ...flags, onAccess, onWaiting, onRequest, signal: stop }, systemClock);
  if (stop.aborted) {
    if (client.ok) await client.value.close();
    return exitCodes.ok;
  }
  if (!client.ok) return fail(client.error);
  options.onConnected(client.value, access);
  const { dryRun, concurrentDeletions, namespaces = 'all', shard, events } = flags;
  const { server } = client.value;
  logger.info(
    {
      server,
      credentials: access?.source,
      context: access?.context,
      user: access?.userName,
      namespaces,
      namespaceSelector: selection?.selector && selectorToString(selection.selector),
      exceptNamespaces: flags.exceptNamespaces,
      services: [...opened.config.services.keys()],
      declaredDependencies: opened.config.declared === undefined ? undefined : true,
      podCreation: opened.config.podCreation === undefined ? undefined : true,
      restartRules: opened.config.restart?.rules.length,
      observer: opened.config.observer === undefined ? undefined : true,
      dryRun,
      shard: shard && `${shard.index}/${shard.count}`,
    },
    'weeder started',
  );
  logIfNeutral(logger, opened.config);
  const { reports } = options;
  const create = await loadControllers(opened.config, {
    options: {
      weeder: { concurrentDeletions },
      restart: { ownNamespace: process.env['POD_NAMESPACE'] || 'default', onRead: reports.onHashRead },
      observer: { mayUseOwnRights: !flags.observerImpersonate },
    },
    nextReport: reports.nextReport,
    recordingOf: recorder?.of,
  });
  let current: Manager | undefined;
  const isBusy = () => current?.isBusy() === true;
  const notify: Manager['notify'] = (occurrence) => current?.notify(occurrence);
  const ownEvents = reportOwnEvents(events ? client.value : undefined, logger, isBusy, notify);
  if (ownEvents !== undefined) listeners.push(ownEvents.report);
  const followed = followConfig(opened, reload.take, logger);
  // A manager that is stopping ignores a new config.
  stop.addEventListener('abort', followed.stop);
  const end = await runManagers(stop, () => {
    const started = startManager({
      create,
      config: reload.config(),
      client: client.value,
      clock: systemClock,
      logger,
      namespaces,
      isDryRun: dryRun,
      ...(events ? { eventInstance: instanceName() } : {}),
      ...(shard === undefined ? {} : { shard }),
      ...(selection === undefined ? {} : { selection }),
      ...(election === undefined ? {} : { election }),
      reportProcess: options.reportProcess,
      ...(inspect === undefined ? {} : { inspect }),
    });
    current = started;
    options.onStarted(started);
    return started;
  });
  followed.stop();
  await ownEvents?.close();
  await client.value.close();
  if (end !== 'broken') logger.info('weeder stopped');
  else logger.error('weeder stopped unexpectedly');
  return end !== 'broken' ? exitCodes.ok : exitCodes.failed;
}

/**
 * Runs one manager after the other: when one has lost leadership, the next becomes a standby without any of the old
 * state. Ending the process instead would only put weeder itself into a crash-loop back-off.
 */
async function runManagers(stop: AbortSignal, start: () => Manager): Promise<ManagerEnd> {
  for (;;) {
    const manager = start();
    const shutdown = () => manager.shutdown();
    stop.addEventListener('abort', shutdown);
    const end = await manager.stopped;
    stop.removeEventListener('abort', shutdown);
    if (end !== 'leadershipLost' || stop.aborted) return end;
  }
}

/** Records Events on weeder's own pod if there is a client for them, and notifies of them; undefined outside of a pod. */
function reportOwnEvents(
  client: KubeClient | undefined,
  logger: Logger,
  mustWait: () => boolean,
  notify: Manager['notify'],
) {
  const pod = ownPod(process.env);
  if (pod === undefined) return undefined;
  const source = { controller: 'weeder.dev/weeder', instance: pod.name };
  const recorder = client && createEventRecorder({ client, clock: systemClock, log: logger, source, mustWait });
  const record = recorder === undefined ? notify : notifyBoth(recorder.record, notify);
  return { report: recordProcessEvents(pod, record), close: async () => recorder?.close() };
}
