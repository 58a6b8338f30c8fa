import { startDeployments } from '@weeder/embedded-cluster';
import { deployments } from '@weeder/embedded-cluster/resources';
import { objectOf, textOf } from '@weeder/kube-runtime/base';
import type { ApiRequest } from '@weeder/kube-runtime/client';
import type { RequestFault } from '@weeder/kube-runtime/testing';
import type { RestartConfig } from '../../../src/config/restart.ts';
import type { RestartControl } from '../../../src/restart/restartControl.ts';
import { restartConfig } from '../objects/restartSettings.ts';
import { type RestartObjects, restartObjects } from '../restarts/restartObjects.ts';
import { type SimulatedPods, simulatedPods } from '../restarts/simulatedPods.ts';
import {
  type SimulatedRestarts,
  type SimulatedRestartsOptions,
  simulatedRestarts,
} from '../restarts/simulatedRestarts.ts';

export { configMap, namespace, stateOn, withEnv } from '../restarts/restartObjects.ts';

/** Restart control in a simulated cluster with its Deployment controller. The latest weeder may be replaced. */
export interface RestartWorld extends SimulatedRestarts, RestartObjects, SimulatedPods {
  readonly control: RestartControl;
  /** Every change of a pod template, with its time in milliseconds since the start. */
  readonly rollouts: { readonly workload: string; readonly at: number }[];
  /** The label selector of each pod list, in order. */
  readonly listed: string[];
  /** The names of the pods that were evicted. */
  readonly evicted: string[];
  /** Called before each request. */
  fault: (request: ApiRequest) => RequestFault | undefined;
  /** How long a rollout takes, and how long pods take to terminate; Infinity: forever. */
  rolloutTime: number;
  /** How long the API server takes to read a source, or to list pods. */
  answerTime: number;
  /** The Deployment controller is stopped: no status changes. */
  isUnobserved: boolean;
}

interface RestartWorldOptions extends SimulatedRestartsOptions {
  /** Called when pods of a Deployment have been created. */
  readonly onPods?: (deployment: string) => void;
}

export async function restartWorld(config?: RestartConfig, options?: RestartWorldOptions): Promise<RestartWorld> {
  const world = createRestartWorld(config, options);
  await world.restart();
  return world;
}

/** The same without a weeder, until one is started. */
export function createRestartWorld(config = restartConfig(), options: RestartWorldOptions = {}): RestartWorld {
  const { restarts, control, server } = simulatedRestarts(config, { faultOf, onDone }, options);
  const { clock } = restarts;
  const { store } = server;
  const began = clock.now();
  let stopDeployments: (() => void) | undefined;

  function faultOf(request: ApiRequest): RequestFault | undefined {
    const { method, path, query } = request;
    const isList = method === 'GET' && path.endsWith('/pods');
    if (isList) world.listed.push(textOf(query?.['labelSelector']) ?? '');
    const isSlow = world.answerTime > 0 && (isList || (method === 'GET' && /\/(configmaps|secrets)\//.test(path)));
    return world.fault(request) ?? (isSlow ? { slow: world.answerTime } : undefined);
  }

  function onDone({ path }: ApiRequest): void {
    const [, pod] = /\/pods\/([^/]+)\/eviction$/.exec(path) ?? [];
    if (pod !== undefined) world.evicted.push(pod);
  }

  const world: RestartWorld = {
    ...restarts,
    ...restartObjects(server),
    ...simulatedPods({ store, clock, time: () => world.rolloutTime, onCreated: (name) => options.onPods?.(name) }),
    get control() {
      return control();
    },
    rollouts: [],
    listed: [],
    evicted: [],
    fault: () => undefined,
    rolloutTime: 3_000,
    answerTime: 0,
    get isUnobserved() {
      return stopDeployments === undefined;
    },
    set isUnobserved(isStopped) {
      stopDeployments?.();
      stopDeployments = isStopped ? undefined : startDeployments(store, clock, 0);
    },
  };
  const templates = new Map<string, string>();
  store.watch(deployments, {}, (type, { metadata, spec }) => {
    const template = JSON.stringify(objectOf(spec)['template']);
    const isRollout = type === 'MODIFIED' && templates.get(metadata.uid) !== template;
    if (isRollout) world.rollouts.push({ workload: metadata.name, at: clock.now() - began });
    templates.set(metadata.uid, template);
  });
  world.isUnobserved = false;
  return world;
}
