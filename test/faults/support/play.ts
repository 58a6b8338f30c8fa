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
import { type FaultyApiServer, faultyApiServer, type Spoken } from './apiServer.ts';
import { type Hand, handInWeeder } from './hand.ts';
import { type Measured, measure, measureUsage, type Pages, type Usage } from './measure.ts';

/** A weeder behind an API server with faults on demand, and the pods that must come out of it right. */
export interface Play {
  readonly scene: Scene;
  readonly server: FaultyApiServer;
  readonly weeder: WeederProcess;
  readonly hand: Hand;
  readonly pages: Pages;
  /** Crash-looping dependants of the service, of a ReplicaSet that replaces them under other names. */
  readonly looping: readonly Pod[];
  /** A healthy dependant, and one that crash-loops of a service that does not recover. */
  readonly bystanders: readonly Pod[];
  /** Before any fault. */
  readonly before: { readonly measured: Measured; readonly usage: Usage; readonly watches: number };
}

/** What exists before weeder is started. */
export type Stage = Omit<Play, 'weeder' | 'before'> & {
  /** A second play on the same stage is another process. */
  start(options?: Partial<StartOptions>): WeederProcess;
  /** Waits until weeder has read the cluster. */
  started(options?: Partial<StartOptions>): Promise<WeederProcess>;
};

const replicas = 3;

/** Starting costs a second of a core: all tests of a file at once would delay each other. */
const startOneByOne = oneByOne();

/** The service is down, and its dependants crash-loop. */
export async function setStage(t: Cleanup, prefix: string, protocol: Spoken, settings: object = {}): Promise<Stage> {
  const scene = await setScene(t, prefix, { settings: { watchDuration: '5m', ...settings } });
  const { ns, labels, otherLabels } = scene;
  const [server, [health = 0, metrics = 0]] = await Promise.all([
    faultyApiServer(t, ns.cluster, protocol),
    freePorts(2),
    scene.endpoints(false),
  ]);
  const [looping, ...bystanders] = await Promise.all([
    loopingPods(scene),
    scene.pod('healthy', running(2), { labels }),
    scene.pod('stranger', undefined, { labels: otherLabels }),
  ]);
  const hand = handInWeeder();
  const flags = [`--health-bind-addr=127.0.0.1:${health}`, `--metrics-bind-addr=127.0.0.1:${metrics}`];
  const start = (options: Partial<StartOptions> = {}) =>
    startWeeder(t, {
      cluster: ns.cluster,
      config: scene.config,
      kubeconfig: server.kubeconfig,
      nodeFlags: hand.nodeFlags,
      env: hand.env,
      ...options,
      flags: [...flags, ...(options.flags ?? [])],
    });
  const started = (options: Partial<StartOptions> = {}) =>
    startOneByOne(async () => {
      const weeder = start(options);
      await weeder.ready();
      return weeder;
    });
  return { scene, server, hand, pages: { health, metrics }, looping, bystanders, start, started };
}

async function loopingPods({ ns, labels }: Scene): Promise<Pod[]> {
  const pods = await createReplicaSet(ns, 'web', { labels, replicas });
  return Promise.all(pods.map(({ metadata }) => setPodStatus(ns, metadata.name, crashLoopBackOff(3))));
}

/** A weeder that has read the stage, over this version of HTTP. */
export async function setPlay(
  t: Cleanup,
  prefix: string,
  protocol: Spoken,
  options: Partial<StartOptions> & { readonly settings?: object } = {},
): Promise<Play> {
  const { settings, ...startOptions } = options;
  const stage = await setStage(t, prefix, protocol, settings);
  const weeder = await stage.started(startOptions);
  return { ...stage, weeder, before: await atRest({ ...stage, weeder }) };
}

/** The measures of weeder when nothing happens. */
export async function atRest({ server, hand, pages, weeder }: Omit<Play, 'before'>): Promise<Play['before']> {
  const streams = weeder.log.find('stream synced').length;
  await eventually(() => server.openWatches === streams, { what: `${streams} open watches` });
  const measured = await measure(pages);
  await hand.collect(weeder);
  return { measured, usage: await measureUsage(pages), watches: streams };
}
