import { systemClock } from '@weeder/kube-runtime/base';
import { pino } from 'pino';
import { createReload } from '../../../src/process/reload.ts';
import { createTelemetry } from '../../../src/telemetry/telemetry.ts';
import { scraped } from '../api/scraped.ts';
import { serviceConfig } from '../world/simulation.ts';

const anyPort = { host: '127.0.0.1', port: 0 };

/** The observability servers of a process on two free ports. */
export type Observed = Awaited<ReturnType<typeof observed>>;

export async function observed(
  services: readonly string[] = ['etcd-main-client'],
  debugActors: 'loopback' | 'none' = 'loopback',
) {
  const errors: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line: string) => void errors.push(line) });
  const config = { services: new Map(services.map((name) => [name, serviceConfig({ name })])), restart: undefined };
  const reload = createReload({
    config,
    clock: systemClock,
    logger,
    report: (event) => observation.reportProcess(event),
    apply: () => {},
  });
  const observation = createTelemetry({ reload, logger, clock: systemClock });
  const serving = await observation.serve({
    healthBindAddr: anyPort,
    metricsBindAddr: anyPort,
    debugActors,
    metricsSecure: false,
  });
  if (!serving.ok) throw new Error(serving.error.message);
  const served = serving.value;
  const metrics = (init?: RequestInit) => fetch(`http://127.0.0.1:${served.metricsPort}/metrics`, init);
  return {
    observation,
    reload,
    served,
    /** The errors that it logged. */
    errors,
    health: (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${served.healthPort}${path}`, init),
    metrics,
    scrape: async () => scraped(await (await metrics()).text()),
    [Symbol.asyncDispose]: () => served.close(),
  };
}
