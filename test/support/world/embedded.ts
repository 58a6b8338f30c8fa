import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiServerOptions, createApiServer, type Outcome } from '@weeder/embedded-cluster';
import { loadKubeConfig } from '@weeder/kube-runtime/access';
import { type Clock, systemClock } from '@weeder/kube-runtime/base';
import { createKubeClient, type KubeClient } from '@weeder/kube-runtime/client';
import { pino } from 'pino';
import { parseConfig } from '../../../src/config/parse.ts';
import type { Controller, ControllerContext } from '../../../src/controller/controller.ts';
import { type ManagerOptions, startManager } from '../../../src/process/manager.ts';
import type { ProcessEvent } from '../../../src/process/processLog.ts';
import { createReload } from '../../../src/process/reload.ts';
import type { WeederEvent } from '../../../src/weeder/deletions/weederEvents.ts';
import { createWeederController } from '../../../src/weeder/weederController.ts';

/** A listening embedded API server, and the access to it that users have. */
export type Embedded = Awaited<ReturnType<typeof embedded>>;

export async function embedded(options: ApiServerOptions = {}) {
  const server = createApiServer(options);
  const listening = await server.listen();
  const folder = mkdtempSync(join(tmpdir(), 'weeder-embedded-'));
  const kubeconfig = join(folder, 'kubeconfig.yaml');
  writeFileSync(kubeconfig, kubeconfigFor(listening.url));
  const clients: KubeClient[] = [];
  return {
    server,
    url: listening.url,
    /** The path of a kubeconfig for the server. */
    kubeconfig,
    /** A client as `weeder` makes it, from the kubeconfig. */
    client(clock: Clock = systemClock) {
      const access = loadKubeConfig({ kubeconfig }, {});
      if (!access.ok) throw new Error(access.error.message);
      const client = createKubeClient({ userAgent: 'weeder/test', access: access.value, clock });
      clients.push(client);
      return client;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.close()));
      await listening.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The text of a kubeconfig for a server without authentication. */
export function kubeconfigFor(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'embedded', cluster: { server } }],
    users: [{ name: 'anonymous', user: {} }],
    contexts: [{ name: 'embedded', context: { cluster: 'embedded', user: 'anonymous' } }],
    'current-context': 'embedded',
  });
}

/** Returns the stored object. The store accepts every write of a test. */
export function made<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(JSON.stringify(outcome));
  return outcome.value;
}

interface EmbeddedOptions
  extends Partial<Pick<ManagerOptions, 'eventInstance' | 'clock' | 'election' | 'isDryRun' | 'selection'>> {
  /** Creates a second controller. */
  readonly createOther?: (context: ControllerContext) => Controller;
}

/** Starts the real weeder as `weeder run` does, with its real client over HTTP; `config` is the text of the file. */
export function startEmbeddedWeeder(
  cluster: Embedded,
  config: string,
  { createOther, ...options }: EmbeddedOptions = {},
) {
  const parsed = parseConfig(config, 'config.yaml');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  const events: WeederEvent[] = [];
  const processEvents: ProcessEvent[] = [];
  const logged: string[] = [];
  const logger = pino(
    { base: null, formatters: { log: (line) => line } },
    {
      write: (line: string) => {
        const entry: unknown = JSON.parse(line);
        if (typeof entry === 'object' && entry !== null && 'msg' in entry) logged.push(String(entry.msg));
      },
    },
  );
  const reload = createReload({
    config: parsed.value,
    clock: systemClock,
    logger,
    report: (event) => processEvents.push(event),
    apply: (next) => manager.configure(next),
  });
  const manager = startManager({
    config: parsed.value,
    client: cluster.client(),
    clock: systemClock,
    logger,
    create: (context) => ({
      weeder: createWeederController({ ...context, concurrentDeletions: 32, report: (event) => events.push(event) }),
      ...(createOther === undefined ? {} : { other: createOther(context) }),
    }),
    namespaces: 'all',
    isDryRun: false,
    ...options,
    reportProcess: (event) => processEvents.push(event),
  });
  return {
    manager,
    reload,
    events,
    processEvents,
    /** The messages of its log at info and above. */
    logged,
    async [Symbol.asyncDispose]() {
      manager.shutdown();
      await manager.stopped;
    },
  };
}
