import type { Clock } from '@weeder/kube-runtime/base';
import { ok, type Result } from '@weeder/kube-runtime/base';
import type { KubeClient, RequestOutcome } from '@weeder/kube-runtime/client';
import { debugPage } from '../actors/debugActors.ts';
import { onLoopback, type Page, servePages } from '../base/http.ts';
import { type BindAddress, type Certificate, type Listening, listen } from '../base/listen.ts';
import type { Logger } from '../base/log.ts';
import {
  type ControllerName,
  contributions,
  controllerNames,
  makeEach,
  type ProcessControllers,
  type Report,
} from '../controllers/controllers.ts';
import { countLeadership } from '../metrics/countLeadership.ts';
import { countRequests } from '../metrics/countRequests.ts';
import { countTotals } from '../metrics/countTotals.ts';
import { measure, measureConfig } from '../metrics/measure.ts';
import { type MetricSamples, readSamples } from '../metrics/metricSamples.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { metricsPage } from '../metrics/metricsPage.ts';
import type { Manager } from '../process/manager.ts';
import type { ReportProcess } from '../process/processLog.ts';
import type { Reload } from '../process/reload.ts';
import { countHashReads } from '../restart/contribution/countRestart.ts';
import type { ReportRead } from '../restart/requests/restartApi.ts';
import { createAuthorized } from './authorized.ts';
import { certificateOf } from './certificate.ts';
import { configCheck, dryRunCheck, healthPage, livenessChecks, readinessChecks } from './health.ts';

/** A probe has a timeout of three seconds (deploy/base/deployment.yaml). */
const firstReadiness = 2_000;

/** The endpoints of a process: health, metrics, actors. */
export interface Telemetry {
  /** The listener for the events of the next manager. */
  nextReport(): Report;
  readonly reportProcess: ReportProcess;
  /** Called for each source that is read for hashing. */
  readonly onHashRead: ReportRead;
  readonly onRequest: (event: RequestOutcome) => void;
  recordingFailed(): void;
  /** Authorizes the clients of /metrics by this connection. */
  connected(client: KubeClient): void;
  /** Shows this manager from now on; the counters of the previous ones remain. */
  watch(manager: Manager<ProcessControllers>): void;
  /** Reads what /metrics serves. */
  samples(): Promise<readonly MetricSamples[]>;
  /** Serves /healthz, /readyz and /debug/actors on one address, and /metrics on the other. */
  serve(addresses: ServedAddresses): Promise<Result<Served>>;
}

/** `none`: not served. */
interface ServedAddresses {
  readonly healthBindAddr: BindAddress | 'none';
  readonly metricsBindAddr: BindAddress | 'none';
  /** Which connections may read /debug/actors. */
  readonly debugActors: 'loopback' | 'all' | 'none';
  /** Serves /metrics over TLS, to authorized clients only. */
  readonly metricsSecure: boolean;
  /** The files of its certificate, which may change; undefined: a self-signed one. */
  readonly metricsTlsCert?: string;
  readonly metricsTlsKey?: string;
}

/** The ports; undefined: not served. */
interface Served {
  readonly healthPort: number | undefined;
  readonly metricsPort: number | undefined;
  close(): Promise<void>;
}

interface TelemetryOptions {
  /** The services of its config: their series start at 0. */
  readonly reload: Pick<Reload, 'config' | 'status'>;
  /** The name of the Lease for leader election. */
  readonly lease?: string | undefined;
  /** Nothing is changed in the cluster. Default: false. */
  readonly isDryRun?: boolean;
  readonly logger: Logger;
  readonly clock: Clock;
}

export function createTelemetry(options: TelemetryOptions): Telemetry {
  const { reload, lease = '', isDryRun = false, logger, clock } = options;
  let manager: Manager<ProcessControllers> | undefined;
  let client: KubeClient | undefined;
  const dryRun = isDryRun ? [dryRunCheck] : [];
  const readiness = () => [...readinessChecks(manager), ...dryRun, configCheck(reload.status())];
  const isReady = () => readiness().every((check) => check.isOk);
  const metrics = createMetrics();
  const counters = makeEach<'counter'>((of) => contributions[of].countEvents(metrics, clock));
  const begin = (services: Iterable<string>) => {
    for (const of of controllerNames) counters[of].begin?.(services);
  };
  begin(reload.config().services.keys());
  const countChange = countLeadership(metrics);
  const takeTotals = countTotals(metrics);
  function measureController<K extends ControllerName>(of: K): void {
    contributions[of].measure(metrics, manager?.controllers[of]?.shown());
  }
  const update = () => {
    metrics.dryRun.set(isDryRun ? 1 : 0);
    measure(metrics, { manager, isReady: isReady(), lease });
    for (const of of controllerNames) measureController(of);
    measureConfig(metrics, reload.status());
    if (manager !== undefined) takeTotals(manager);
  };

  const healthPages = {
    '/healthz': healthPage('healthz', () => livenessChecks(manager)),
    '/readyz': healthPage('readyz', readiness, { patience: firstReadiness }),
  };
  const actorsPage = debugPage({
    actors: () => manager?.actors() ?? [],
    since: (actor) => manager?.since(actor),
    startedAt: (timer) => manager?.startedAt(timer),
  });
  const debugPages = {
    all: { '/debug/actors': actorsPage },
    loopback: { '/debug/actors': onLoopback(actorsPage, 'use kubectl port-forward, or set --debug-actors=all') },
    none: {},
  };
  const measured = metricsPage(metrics.registry, update);
  const authorized = createAuthorized({ client: () => client, clock, logger });

  async function serveAt(
    flag: string,
    address: BindAddress | 'none',
    pages: Readonly<Record<string, Page>>,
    certificate?: Certificate,
  ) {
    if (address === 'none') return ok(undefined);
    const onBroken = (error: unknown, page: string) =>
      logger.error({ err: error, page }, 'internal error: page failed');
    const onRefused = (error: Error) => logger.warn({ flag, cause: error.message }, 'a connection cannot be accepted');
    return listen({ flag, address, listener: servePages(pages, onBroken), certificate, onRefused });
  }

  async function serveMetrics(addresses: ServedAddresses): Promise<Result<Listening | undefined>> {
    const { metricsBindAddr, metricsSecure } = addresses;
    if (!metricsSecure) return serveAt('--metrics-bind-addr', metricsBindAddr, { '/metrics': measured });
    const certificate = await certificateOf(addresses.metricsTlsCert, addresses.metricsTlsKey, { clock, logger });
    if (!certificate.ok) return certificate;
    return serveAt('--metrics-bind-addr', metricsBindAddr, { '/metrics': authorized(measured) }, certificate.value);
  }

  return {
    nextReport() {
      const reports = makeEach<'report'>((of) => counters[of].next());
      return (of, event) => reports[of](event);
    },
    reportProcess(event) {
      countChange(event);
      if (event.type === 'config.applied') begin(event.added);
    },
    onHashRead: countHashReads(metrics),
    onRequest: countRequests(metrics),
    recordingFailed: () => metrics.recordingFailures.inc(),
    connected(connection) {
      client = connection;
    },
    watch(started) {
      if (manager !== undefined) takeTotals(manager);
      manager = started;
    },
    samples() {
      update();
      return readSamples(metrics.registry);
    },
    async serve(addresses) {
      const { healthBindAddr, debugActors } = addresses;
      const pages = { ...healthPages, ...debugPages[debugActors] };
      const health = await serveAt('--health-bind-addr', healthBindAddr, pages);
      if (!health.ok) return health;
      const scraped = await serveMetrics(addresses);
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
