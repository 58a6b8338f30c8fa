import type { Clock } from '../../base/clock.ts';
import { type CodedError, codedError, failed, ok, type Result } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { describeFailure } from '../../kube/client/describeFailure.ts';
import type { ApiFailure } from '../../kube/client/failure.ts';
import type { WeederEvent } from '../../weeder/deletions/weederEvents.ts';
import { type Downtime, haveRecovered } from '../downtime.ts';
import type { ScenarioEvent } from '../events.ts';
import { startWeeder } from '../startWeeder.ts';
import { type Manifest, manifests } from './manifests.ts';
import { createNamespace, removeNamespace } from './namespace.ts';
import { type NotReadyReason, type Outage, watchOutage } from './outage.ts';
import { type Waited, waitFor } from './wait.ts';

/** The progress of a running demo. */
interface ClusterProgress {
  /** Milliseconds since the outage began. */
  time(): number;
  downtimes(): readonly Downtime[];
}

interface ClusterDemoOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The demo creates this namespace, and deletes it at the end. */
  readonly namespace: string;
  readonly image: string;
  readonly replicas: number;
  /** The duration of the outage, and the time limit for the pods to become ready before and after it; milliseconds. */
  readonly outage: number;
  readonly timeout: number;
  /** Aborted when the user stops the demo. */
  readonly signal: AbortSignal;
  readonly onEvent: (time: number, event: ScenarioEvent | WeederEvent) => void;
  /** Called once with each reason why a pod is not ready before the outage. */
  readonly onWaiting: (reason: NotReadyReason) => void;
  readonly onBegin: (course: ClusterProgress) => void;
}

/** The downtimes of the dependants that weeder may delete, and of those that it ignores. */
export interface ClusterOutcome {
  readonly isBack: boolean;
  readonly weeded: readonly Downtime[];
  readonly ignored: readonly Downtime[];
}

/** The outcome, an error, or `stopped`; and why the namespace still exists, if it does. */
export interface ClusterDemo {
  readonly played: Result<ClusterOutcome | 'stopped'>;
  readonly leftBehind: string | undefined;
}

/** From the readiness of all pods to the outage, in milliseconds. */
const prelude = 2_000;
/** The time limit for the deletion of the namespace. */
const cleanupPatience = 120_000;

/** Plays the outage on a real cluster, and always deletes its namespace at the end. */
export async function playOnCluster(options: ClusterDemoOptions, onCleanup: () => void): Promise<ClusterDemo> {
  const { client, clock, namespace } = options;
  const made = await createNamespace(client, namespace);
  if (!made.ok && !made.error.mayExist) {
    return { played: failed(refused(made.error.failure, client)), leftBehind: undefined };
  }
  let leftBehind: string | undefined;
  let played: Result<ClusterOutcome | 'stopped'>;
  try {
    played = made.ok ? await playInNamespace(options) : failed(refused(made.error.failure, client));
  } finally {
    onCleanup();
    leftBehind = await removeNamespace(client, clock, namespace, cleanupPatience);
  }
  return { played, leftBehind };
}

async function playInNamespace(options: ClusterDemoOptions): Promise<Result<ClusterOutcome | 'stopped'>> {
  const { client, clock, logger, namespace, image, replicas } = options;
  const { etcd, dependants } = manifests(namespace, image, replicas);
  const created = await createAll(client, etcd);
  if (!created.ok) return created;
  let beganAt: number | undefined;
  const onEvent = (event: ScenarioEvent | WeederEvent) => {
    if (beganAt !== undefined) options.onEvent(clock.monotonic() - beganAt, event);
  };
  const begin = () => {
    const start = clock.monotonic();
    beganAt = start;
    return start;
  };
  const outage = watchOutage({ client, clock, logger, namespace, replicas, report: onEvent });
  const manager = startWeeder({ client, clock, logger, namespaces: [namespace], report: onEvent });
  try {
    const serving = await untilReady(options, outage, outage.isServing);
    if (!serving.ok || serving.value !== 'met') return stoppedOr(serving);
    const created = await createAll(client, dependants);
    if (!created.ok) return created;
    const ready = await untilReady(options, outage, () => outage.isReady() && manager.state() === 'running');
    return ready.ok && ready.value === 'met' ? await playOutage(options, outage, begin) : stoppedOr(ready);
  } finally {
    outage.stop();
    manager.shutdown();
    await manager.stopped;
  }
}

/** Waits until the pods are ready, and reports what they wait for. */
async function untilReady(options: ClusterDemoOptions, outage: Outage, isReady: () => boolean) {
  const { client, timeout, onWaiting } = options;
  const reported = new Set<string>();
  const check = () => {
    const notReady = outage.notReady();
    if (notReady !== undefined && !reported.has(notReady.what)) onWaiting(notReady);
    if (notReady !== undefined) reported.add(notReady.what);
    return isReady() || outage.failure !== undefined;
  };
  const waited = await waitFor(options, timeout, check);
  if (outage.failure !== undefined) return failed(refused(outage.failure, client));
  if (waited !== 'late') return ok(waited);
  const notReady = outage.notReady();
  const why = notReady === undefined ? 'the cluster reports no reason' : `${notReady.pod}: ${notReady.what}`;
  return failed(codedError('DEMO_NOT_READY', `The demo's pods did not become ready in time (${why}).`));
}

/** Plays the scenario from the prelude to the end. */
async function playOutage(
  options: ClusterDemoOptions,
  outage: Outage,
  begin: () => number,
): Promise<Result<ClusterOutcome | 'stopped'>> {
  const { client, clock, timeout } = options;
  const all = () => [...outage.downtimes('weeded'), ...outage.downtimes('ignored')];
  const isBroken = () => outage.failure !== undefined;
  if ((await waitFor(options, prelude, isBroken)) === 'stopped') return ok('stopped');
  const beganAt = begin();
  outage.begin();
  options.onBegin({ time: () => clock.monotonic() - beganAt, downtimes: all });
  if ((await waitFor(options, options.outage, isBroken)) === 'stopped') return ok('stopped');
  outage.end();
  const waited = await waitFor(options, timeout, () => isBroken() || haveRecovered(all()));
  if (outage.failure !== undefined) return failed(refused(outage.failure, client));
  if (waited === 'stopped') return ok('stopped');
  const [weeded, ignored] = [outage.downtimes('weeded'), outage.downtimes('ignored')];
  return ok({ isBack: waited === 'met', weeded, ignored });
}

async function createAll(client: KubeClient, objects: readonly Manifest[]): Promise<Result<undefined>> {
  for (const { path, body } of objects) {
    const created = await client.call({ method: 'POST', path, body });
    if (!created.ok) return failed(refused(created.failure, client));
  }
  return ok(undefined);
}

function stoppedOr(result: Result<Waited>): Result<'stopped'> {
  return result.ok ? ok('stopped') : result;
}

function refused(failure: ApiFailure, { server }: KubeClient): CodedError {
  return codedError('DEMO_REFUSED', `The demo cannot be played on this cluster: ${describeFailure(failure, server)}`);
}
