import type { ControllerPart, PartContext } from '../controllerPart.ts';
import { inBackground } from '../kube/inBackground.ts';
import type { ObserverNotes } from '../recording/observerLines.ts';
import { recordingObserver } from '../recording/recordObserver.ts';
import { applicationApi } from './applicationApi.ts';
import { courteous } from './courteous.ts';
import type { ReportObserver } from './facts.ts';
import { watchedKinds } from './kinds.ts';
import { logObserver } from './logObserver.ts';
import { createObserverCore, type ObserverCore } from './observerCore.ts';
import { tellObserver } from './observerEvents.ts';
import { resourceRequests } from './resourceRequests.ts';

export interface ObserverPartOptions extends PartContext {
  /** Applications that name no account are applied with weeder's own rights (A15). */
  readonly mayUseOwnRights: boolean;
  /** Told of every fact, beside the log and the Events. */
  readonly report?: ReportObserver | undefined;
  /** Takes everything down, with `--record`. */
  readonly recorder?: { readonly observer: ObserverNotes } | undefined;
}

/** The application observer as one of the controllers of the process. */
export interface ObserverPart extends ControllerPart {
  /** Undefined: the config has no section `observer`, and never had. */
  core(): ObserverCore | undefined;
}

/** The observer with its streams, its log and its Events. Without its section of the config it does nothing. */
export function createObserverPart(options: ObserverPartOptions): ObserverPart {
  const { runtime, logger, recorder } = options;
  // What tenants write must not hold up the deletions of the weeder, nor the Lease.
  const client = courteous(inBackground(options.client), { clock: runtime.clock, isWeeding: options.isWeeding });
  const create = recorder === undefined ? createObserverCore : recordingObserver(recorder.observer);
  const log = logObserver(logger);
  const tell = tellObserver(options.recordEvent);
  const { onStreamsChanged: onChanged, onStreamClosed: onClosed } = options;
  const { kinds, streams } = watchedKinds(client, { clock: runtime.clock, onChanged, onClosed });
  const core = create({
    ...options,
    api: resourceRequests(client),
    kinds,
    applications: applicationApi(client),
    report(fact) {
      log(fact);
      tell(fact);
      options.report?.(fact);
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
    core: () => core,
  };
}
