import { debugPage } from '../actors/debugActors.ts';
import type { Clock } from '../base/clock.ts';
import { ok, type Result } from '../base/errors.ts';
import { type BindAddress, type Listening, listen, type Page, servePages } from '../base/http.ts';
import type { Logger } from '../base/log.ts';
import type { RequestOutcome } from '../kube/client/client.ts';
import { countEvents } from '../metrics/countEvents.ts';
import { countLeadership } from '../metrics/countLeadership.ts';
import { countObserver } from '../metrics/countObserver.ts';
import { countRequests } from '../metrics/countRequests.ts';
import { countHashReads, countRestarts } from '../metrics/countRestarts.ts';
import { countTotals } from '../metrics/countTotals.ts';
import { measure, measureConfig } from '../metrics/measure.ts';
import { measureObserver } from '../metrics/measureObserver.ts';
import { measureRestarts } from '../metrics/measureRestarts.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { metricsPage } from '../metrics/metricsPage.ts';
import type { ReportObserver } from '../observer/model/facts.ts';
import type { ObserverPart } from '../observer/observerPart.ts';
import type { Manager } from '../process/manager.ts';
import type { ReportProcess } from '../process/processLog.ts';
import type { Reload } from '../process/reload.ts';
import type { ReportRestart } from '../restart/model/events.ts';
import type { ReportRead } from '../restart/requests/restartApi.ts';
import type { RestartPart } from '../restart/restartPart.ts';
import type { ReportWeeder } from '../weeder/deletions/weederEvents.ts';
import { configCheck, dryRunCheck, healthPage, livenessChecks, readinessChecks } from './health.ts';

/** A probe has three seconds (deploy/base/deployment.yaml). */
const firstReadiness = 2_000;

/** What a process shows of itself: health, metrics, actors. */
export interface Telemetry {
  /** Whom the next controller tells what it does. */
  nextReport(): ReportWeeder;
  readonly reportProcess: ReportProcess;
  readonly reportRestart: ReportRestart;
  readonly reportObserver: ReportObserver;
  /** Told of each source that is read to be hashed. */
  readonly onHashRead: ReportRead;
  readonly onRequest: (fact: RequestOutcome) => void;
  recordingFailed(): void;
  /** From now on this one is to be seen; what those before it did stays counted. */
  watch(controller: Manager, parts?: WatchedControllers): void;
  /** Shows /healthz, /readyz and /debug/actors on one address, /metrics on the other. */
  serve(addresses: ServedAddresses): Promise<Result<Served>>;
}

/** `none`: nowhere. */
interface ServedAddresses {
  readonly healthBindAddr: BindAddress | 'none';
  readonly metricsBindAddr: BindAddress | 'none';
}

/** The controllers beside the weeder, as far as they are measured. */
interface WatchedControllers {
  readonly restarts?: Pick<RestartPart, 'control'> | undefined;
  readonly observer?: Pick<ObserverPart, 'core'> | undefined;
}

/** Where it can be seen; undefined: nowhere. */
export interface Served {
  readonly healthPort: number | undefined;
  readonly metricsPort: number | undefined;
  close(): Promise<void>;
}

interface TelemetryOptions {
  /** The services that its config has: their series begin at 0. */
  readonly reload: Pick<Reload, 'config' | 'status'>;
  /** The name of the Lease by which a leader is elected. */
  readonly lease?: string | undefined;
  /** Nothing is changed. Default: false. */
  readonly isDryRun?: boolean;
  readonly logger: Logger;
  readonly clock: Clock;
}

export function createTelemetry(options: TelemetryOptions): Telemetry {
  const { reload, lease = '', isDryRun = false, logger, clock } = options;
  let controller: Manager | undefined;
  let parts: WatchedControllers = {};
  const dryRun = isDryRun ? [dryRunCheck] : [];
  const readiness = () => [...readinessChecks(controller), ...dryRun, configCheck(reload.status())];
  const isReady = () => readiness().every((check) => check.isOk);
  const metrics = createMetrics();
  const facts = countEvents(metrics, clock);
  facts.begin(reload.config().services.keys());
  const countChange = countLeadership(metrics);
  const takeTotals = countTotals(metrics);
  const update = () => {
    metrics.dryRun.set(isDryRun ? 1 : 0);
    measure(metrics, { controller, isReady: isReady(), lease });
    measureRestarts(metrics, parts.restarts?.control()?.counts());
    measureObserver(metrics, parts.observer?.core()?.counts());
    measureConfig(metrics, reload.status());
    if (controller !== undefined) takeTotals(controller);
  };

  const healthPages = {
    '/healthz': healthPage('healthz', () => livenessChecks(controller)),
    '/readyz': healthPage('readyz', readiness, { patience: firstReadiness }),
    '/debug/actors': debugPage({
      actors: () => controller?.actors() ?? [],
      since: (actor) => controller?.since(actor),
      startedAt: (timer) => controller?.startedAt(timer),
    }),
  };
  const metricsPages = {
    '/metrics': metricsPage(metrics.registry, update),
  };

  async function serveAt(flag: string, address: BindAddress | 'none', pages: Readonly<Record<string, Page>>) {
    if (address === 'none') return ok(undefined);
    const onBroken = (error: unknown, page: string) =>
      logger.error({ err: error, page }, 'internal error: page failed');
    return listen(flag, address, servePages(pages, onBroken));
  }

  return {
    nextReport: facts.next,
    reportProcess(fact) {
      countChange(fact);
      if (fact.type === 'config.applied') facts.begin(fact.added);
    },
    reportRestart: countRestarts(metrics),
    reportObserver: countObserver(metrics),
    onHashRead: countHashReads(metrics),
    onRequest: countRequests(metrics),
    recordingFailed: () => metrics.recordingFailures.inc(),
    watch(started, startedParts = {}) {
      if (controller !== undefined) takeTotals(controller);
      controller = started;
      parts = startedParts;
    },
    async serve({ healthBindAddr, metricsBindAddr }) {
      const health = await serveAt('--health-bind-addr', healthBindAddr, healthPages);
      if (!health.ok) return health;
      const scraped = await serveAt('--metrics-bind-addr', metricsBindAddr, metricsPages);
      if (!scraped.ok) {
        await health.value?.close();
        return scraped;
      }
      return ok(servedBy(health.value, scraped.value));
    },
  };
}

function servedBy(health: Listening | undefined, scraped: Listening | undefined): Served {
  return {
    healthPort: health?.port,
    metricsPort: scraped?.port,
    async close() {
      await Promise.all([health?.close(), scraped?.close()]);
    },
  };
}
