import type { TimerHandle } from '@weeder/kube-runtime/base';
import { keyOf } from '@weeder/kube-runtime/objects';
import type { StreamNeed } from '@weeder/kube-runtime/watch';
import type { Controller, ControllerContext } from '../controller/controller.ts';
import type { OwnedNamespaces } from '../controller/ownedNamespaces.ts';
import { ownerRequestsThrough } from './creations/retryOwner.ts';
import { createDeclaredDependencies, type DeclarationProblem } from './declaredDependencies.ts';
import { deleteThrough } from './deletions/deletePod.ts';
import { readLogThrough } from './deletions/readLog.ts';
import { type ReportWeeder, withoutLeadership } from './deletions/weederEvents.ts';
import { logWeeder, recordWeederEvents } from './report/reportWeeder.ts';
import { readySinceThrough } from './services/readySince.ts';
import { describeServices, isNeverReady } from './services/serviceStatus.ts';
import { createWebhookServices } from './webhookServices.ts';
import type { Weeder } from './weeder.ts';
import { type CreateWeederCore, createWeederCore } from './weederCore.ts';

export interface WeederControllerOptions extends ControllerContext {
  readonly concurrentDeletions: number;
  /** Called with every event, in addition to the log and the Events. */
  readonly report?: ReportWeeder | undefined;
  /** Default: `createWeederCore`. A recording wraps it. */
  readonly createCore?: CreateWeederCore;
}

/** What the metrics and the live page show of the weeder. */
export type ShownWeeder = Pick<
  Weeder,
  'actors' | 'counts' | 'crashLooping' | 'dependants' | 'dependencies' | 'pod' | 'services' | 'settings'
> & {
  /** What is wrong with the declarations of pods. A replay does not know it. */
  readonly declarationProblems?: () => readonly DeclarationProblem[];
};

/** The weeder as a controller of the process. */
interface WeederController extends Controller<ShownWeeder> {
  shown(): ShownWeeder;
}

/** How long a service that is deployed together with weeder may take to appear. Milliseconds. */
const reportedAfter = 30_000;

export function createWeederController(options: WeederControllerOptions): WeederController {
  const {
    config,
    runtime,
    client,
    logger,
    namespaces,
    owned,
    isDryRun,
    concurrentDeletions,
    createCore = createWeederCore,
  } = options;
  const { clock } = runtime;
  const run = { isDryRun, now: clock.now };
  const log = logWeeder(logger, run);
  const serviceUid = (namespace: string, service: string) => weeder.slices.serviceUid(namespace, service);
  const record = recordWeederEvents({ record: options.recordEvent, serviceUid, ...run });
  const report: ReportWeeder = (reported) => {
    const event = options.isLeading() ? reported : withoutLeadership(reported);
    if (event === undefined) return;
    log(event);
    record(event);
    options.report?.(event);
  };
  const declared = createDeclaredDependencies({
    clock,
    config,
    namespaces,
    owned,
    apply(next) {
      logger.info({ services: next.declared?.services.size }, 'declared services changed');
      core.configure(webhooks.configure(next));
    },
    isHandingOver: () => streams.isHandingOver,
    existing: existingServices,
    report,
  });
  const webhooks = createWebhookServices({
    clock,
    config,
    apply(next) {
      logger.info({ webhooks: [...(next.podCreation?.webhooks.keys() ?? [])] }, 'webhooks that admit pods changed');
      core.configure(next);
    },
    onStreamsChanged: options.onStreamsChanged,
    onStreamClosed: options.onStreamClosed,
  });
  const core = createCore({
    config,
    runtime,
    deletePod: deleteThrough(client),
    readLog: readLogThrough(client, clock, (unread) =>
      logger.warn(unread, 'the log of a crashed container cannot be read: its pod is deleted without it'),
    ),
    readySince: readySinceThrough(client, (unknown) =>
      logger.warn(unknown, 'a pod of a service cannot be read: the time when the service became ready is unknown'),
    ),
    ownerRequests: ownerRequestsThrough(client, clock),
    report,
    concurrentDeletions,
    isDryRun,
    random: Math.random,
    namespaces,
    wrapStream: (stream) => declared.wrap(ofOwned(stream, owned)),
    onStreamsChanged: options.onStreamsChanged,
    onStreamClosed(name) {
      declared.closed(name);
      options.onStreamClosed(name);
    },
  });
  const { weeder, streams } = core;

  function existingServices(): ReadonlySet<string> | undefined {
    if (streams.state().some(({ kind, isSynced }) => kind === 'EndpointSlice' && !isSynced)) return undefined;
    return new Set(weeder.slices.services().map(({ namespace, service }) => keyOf(namespace, service)));
  }

  function declaringWorkloads() {
    const workloads = declared.workloads();
    return (service: string) => workloads.get(service) ?? [];
  }

  let reportTimer: TimerHandle | undefined;
  let lastReported = '';
  function reportNeverReadySoon(): void {
    clock.clearTimeout(reportTimer);
    reportTimer = clock.setTimeout(() => {
      const words = describeServices([...weeder.services()].filter(isNeverReady));
      if (words !== '' && words !== lastReported)
        logger.warn({ services: words }, 'services that have not been ready since weeder started');
      lastReported = words;
    }, reportedAfter);
  }

  const shown: ShownWeeder = {
    ...weeder,
    declarationProblems: declared.problems,
    dependencies: () => weeder.dependencies(declaringWorkloads()),
    dependants: (namespace, service) => weeder.dependants(namespace, service, declaringWorkloads()),
  };
  return {
    name: 'weeder',
    isUrgent: true,
    get needs() {
      return new Map([...core.needs, ...webhooks.needs]);
    },
    configure(next) {
      core.configure(webhooks.configure(declared.configure(next)));
      reportNeverReadySoon();
    },
    start(without = []) {
      if (without.length > 0)
        logger.warn(
          { streams: without, ...weeder.counts() },
          'starting controller without streams that cannot be read yet',
        );
      else if (core.needs.size > 0)
        logger.info({ streams: core.needs.size, ...weeder.counts() }, 'caches synced, starting controller');
      core.start();
      declared.start();
      reportNeverReadySoon();
    },
    stop() {
      clock.clearTimeout(reportTimer);
      declared.stop();
      webhooks.stop();
      core.stop();
    },
    drained: () => weeder.drained(),
    work: () => weeder.work(),
    actors: () => weeder.actors(),
    actorCounts: () => weeder.actorCounts(),
    shown: () => shown,
  };
}

/**
 * The shard that owns the namespace of a service handles the service and its dependants, in whichever of the selected
 * namespaces they are.
 */
function ofOwned(stream: StreamNeed, owned: OwnedNamespaces | undefined): StreamNeed {
  if (owned === undefined) return stream;
  return stream.kind === 'EndpointSlice' ? owned.onlyOwned(stream) : owned.onlySelected(stream);
}
