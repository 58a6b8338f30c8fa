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
import { faultyApiServer, type Protocol } from './apiServer.ts';
import { measure, measureUsage } from './measure.ts';
import { remoteControl } from './remoteControl.ts';

/** A running weeder, connected through a server that injects faults, and the pods that weeder may or may not delete. */
export type Scenario = Awaited<ReturnType<typeof startScenario>>;

/** A scenario without a weeder process. */
export type PreparedScenario = Awaited<ReturnType<typeof prepareScenario>>;

const replicas = 3;

/** A start takes one second of a core, so simultaneous starts would delay each other. */
const startOneByOne = oneByOne();

/** Creates a service that is down and its crash-looping dependants. */
export async function prepareScenario(t: Cleanup, prefix: string, protocol: Protocol, settings: object = {}) {
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
  return {
    scene,
    server,
    remote,
    ports: { health, metrics },
    /** Crash-looping dependants of the service. Their ReplicaSet replaces them under other names. */
    looping,
    /** A healthy dependant, and a crash-looping dependant of a service that does not recover. */
    unaffectedPods,
    /** Starts a weeder process. A second call starts another one. */
    start,
    /** The same. Resolves when the caches of weeder are synced. */
    started,
  };
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
) {
  const { settings, ...startOptions } = options;
  const prepared = await prepareScenario(t, prefix, protocol, settings);
  const weeder = await prepared.started(startOptions);
  /** The measurements before the first fault. */
  const before = await atRest({ ...prepared, weeder });
  return { ...prepared, weeder, before };
}

/** Measures weeder while it is idle. */
export async function atRest({
  server,
  remote,
  ports,
  weeder,
}: Pick<PreparedScenario, 'server' | 'remote' | 'ports'> & { readonly weeder: WeederProcess }) {
  const streams = weeder.log.find('stream synced').length;
  await eventually(() => server.openWatches === streams, { what: `${streams} open watches` });
  const measured = await measure(ports);
  await remote.collect(weeder);
  return { measured, usage: await measureUsage(ports), watches: streams };
}
