import type { Cleanup } from '../../cluster/support/cleanup.ts';
import {
  crashLoopBackOff,
  createReplicaSet,
  eventually,
  type Pod,
  running,
  type StartOptions,
  setPodStatus,
  startWeeder,
  type WeederProcess,
} from '../../cluster/support/cluster.ts';

import { freePorts } from '../../cluster/support/plane/ports.ts';
import { type Scene, setScene } from '../../cluster/support/scene.ts';
import { oneByOne } from '../../support/oneByOne.ts';
import { type FaultyApiServer, faultyApiServer, type Protocol } from './apiServer.ts';
import { type Measured, measure, measureUsage, type TelemetryPorts, type Usage } from './measure.ts';
import { type RemoteControl, remoteControl } from './remoteControl.ts';

/** A running weeder, connected through a server that injects faults, and the pods that weeder may or may not delete. */
export interface Scenario {
  readonly scene: Scene;
  readonly server: FaultyApiServer;
  readonly weeder: WeederProcess;
  readonly remote: RemoteControl;
  readonly ports: TelemetryPorts;
  /** Crash-looping dependants of the service. Their ReplicaSet replaces them under other names. */
  readonly looping: readonly Pod[];
  /** A healthy dependant, and a crash-looping dependant of a service that does not recover. */
  readonly unaffectedPods: readonly Pod[];
  /** The measurements before the first fault. */
  readonly before: { readonly measured: Measured; readonly usage: Usage; readonly watches: number };
}

/** A scenario without a weeder process. */
export type PreparedScenario = Omit<Scenario, 'weeder' | 'before'> & {
  /** Starts a weeder process. A second call starts another one. */
  start(options?: Partial<StartOptions>): WeederProcess;
  /** The same. Resolves when the caches of weeder are synced. */
  started(options?: Partial<StartOptions>): Promise<WeederProcess>;
};

const replicas = 3;

/** A start takes one second of a core, so simultaneous starts would delay each other. */
const startOneByOne = oneByOne();

/** Creates a service that is down and its crash-looping dependants. */
export async function prepareScenario(
  t: Cleanup,
  prefix: string,
  protocol: Protocol,
  settings: object = {},
): Promise<PreparedScenario> {
  const scene = await setScene(t, prefix, { settings: { watchDuration: '5m', ...settings } });
  const { ns, labels, otherLabels } = scene;
  const [server, [health = 0, metrics = 0]] = await Promise.all([
    faultyApiServer(t, ns.cluster, protocol),
    freePorts(2),
    scene.endpoints(false),
  ]);
  const [looping, ...unaffectedPods] = await Promise.all([
    loopingPods(scene),
    scene.pod('healthy', running(2), { labels }),
    scene.pod('other-service', undefined, { labels: otherLabels }),
  ]);
  const remote = remoteControl();
  const flags = [`--health-bind-addr=127.0.0.1:${health}`, `--metrics-bind-addr=127.0.0.1:${metrics}`];
  const start = (options: Partial<StartOptions> = {}) =>
    startWeeder(t, {
      cluster: ns.cluster,
      config: scene.config,
      kubeconfig: server.kubeconfig,
      nodeFlags: remote.nodeFlags,
      env: remote.env,
      ...options,
      flags: [...flags, ...(options.flags ?? [])],
    });
  const started = (options: Partial<StartOptions> = {}) =>
    startOneByOne(async () => {
      const weeder = start(options);
      await weeder.ready();
      return weeder;
    });
  return { scene, server, remote, ports: { health, metrics }, looping, unaffectedPods, start, started };
}

async function loopingPods({ ns, labels }: Scene): Promise<Pod[]> {
  const pods = await createReplicaSet(ns, 'web', { labels, replicas });
  return Promise.all(pods.map(({ metadata }) => setPodStatus(ns, metadata.name, crashLoopBackOff(3))));
}

/** Prepares a scenario, starts a weeder that connects with this protocol, and waits until its caches are synced. */
export async function startScenario(
  t: Cleanup,
  prefix: string,
  protocol: Protocol,
  options: Partial<StartOptions> & { readonly settings?: object } = {},
): Promise<Scenario> {
  const { settings, ...startOptions } = options;
  const prepared = await prepareScenario(t, prefix, protocol, settings);
  const weeder = await prepared.started(startOptions);
  return { ...prepared, weeder, before: await atRest({ ...prepared, weeder }) };
}

/** Measures weeder while it is idle. */
export async function atRest({ server, remote, ports, weeder }: Omit<Scenario, 'before'>): Promise<Scenario['before']> {
  const streams = weeder.log.find('stream synced').length;
  await eventually(() => server.openWatches === streams, { what: `${streams} open watches` });
  const measured = await measure(ports);
  await remote.collect(weeder);
  return { measured, usage: await measureUsage(ports), watches: streams };
}
