import { backgroundClient } from '@weeder/kube-runtime/client';
import type { Controller, ControllerContext } from '../controller/controller.ts';
import { resourceRequests } from './apply/resourceRequests.ts';
import { namingVersions } from './kinds/namingVersions.ts';
import { watchedRestMapper } from './kinds/restMapper.ts';
import type { ReportObserver } from './objects/events.ts';
import { type CreateObserverCore, createObserverCore, type ObserverCore } from './observerCore.ts';
import { logObserver, recordObserverEvents } from './report/reportObserver.ts';
import { applicationApi } from './status/applicationApi.ts';
import { yieldToWeeder } from './yieldToWeeder.ts';

export interface ObserverControllerOptions extends ControllerContext {
  /** Applications without a ServiceAccount are applied with weeder's own permissions. */
  readonly mayUseOwnRights: boolean;
  /** Called for every event, in addition to the log and the Events. */
  readonly report?: ReportObserver | undefined;
  /** Default: `createObserverCore`. A recording wraps it. */
  readonly createCore?: CreateObserverCore;
}

/** Creates the observer with its streams, its log and its Events. Without its section of the config it does nothing. */
export function createObserverController(options: ObserverControllerOptions): Controller<ObserverCore> {
  const { runtime, logger, createCore = createObserverCore } = options;
  // Writes for tenants must not delay the deletions of weeder or the Lease.
  const client = yieldToWeeder(backgroundClient(options.client), {
    clock: runtime.clock,
    hasUrgentWork: options.hasUrgentWork,
  });
  const log = logObserver(logger);
  const record = recordObserverEvents(options.recordEvent);
  const { onStreamsChanged: onChanged, onStreamClosed: onClosed } = options;
  const { restMapper, streams } = watchedRestMapper(client, { clock: runtime.clock, onChanged, onClosed });
  const core = createCore({
    ...options,
    api: namingVersions(resourceRequests(client), restMapper),
    kinds: restMapper,
    applications: applicationApi(client),
    report(event) {
      log(event);
      record(event);
      options.report?.(event);
    },
    random: Math.random,
    onStarted: (applications) => logger.info({ applications }, 'the application observer starts'),
  });
  return {
    name: 'the application observer',
    get needs() {
      return new Map([...core.needs, ...streams.needs]);
    },
    configure: core.configure,
    start: core.start,
    stop() {
      core.stop();
      streams.stop();
    },
    drained: core.drained,
    work: core.work,
    actors: core.actors,
    actorCounts() {
      const { applications, resources } = core.actorCounts();
      return { application: applications, resource: resources };
    },
    shown: () => core,
  };
}
