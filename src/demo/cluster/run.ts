import type { Clock } from '../../base/clock.ts';
import { type CodedError, codedError, failed, ok, type Result } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { describeFailure } from '../../kube/client/describeFailure.ts';
import type { ApiFailure } from '../../kube/client/failure.ts';
import type { WeederEvent } from '../../weeder/deletions/weederEvents.ts';
import { areBack, type Downtime } from '../downtime.ts';
import type { ScenarioEvent } from '../events.ts';
import { startWeeder } from '../startWeeder.ts';
import { manifests } from './manifests.ts';
import { createNamespace, removeNamespace } from './namespace.ts';
import { type Outage, type Trouble, watchOutage } from './outage.ts';
import { type Waited, waitFor } from './wait.ts';

/** The view of a demo that runs. */
interface ClusterProgress {
  /** Milliseconds since etcd went away. */
  time(): number;
  downtimes(): readonly Downtime[];
}

interface ClusterDemoOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Made for the demo, and removed with all that is in it. */
  readonly namespace: string;
  readonly image: string;
  readonly replicas: number;
  /** How long etcd is away, how long pods may take to become ready before it and after it; milliseconds. */
  readonly outage: number;
  readonly timeout: number;
  /** Whoever started it wants it to end. */
  readonly signal: AbortSignal;
  readonly onEvent: (time: number, event: ScenarioEvent | WeederEvent) => void;
  /** Told what a pod waits for before the outage, each thing once. */
  readonly onWaiting: (trouble: Trouble) => void;
  readonly onBegin: (course: ClusterProgress) => void;
}

/** How the dependants fared that weeder could delete, and those that it had to leave alone. */
export interface ClusterOutcome {
  readonly isBack: boolean;
  readonly weeded: readonly Downtime[];
  readonly ignored: readonly Downtime[];
}

/** The outcome, why there is none, or that it was stopped; and why the namespace is still there, if it is. */
export interface ClusterDemo {
  readonly played: Result<ClusterOutcome | 'stopped'>;
  readonly leftBehind: string | undefined;
}

/** From all pods being ready to the outage, in milliseconds. */
const prelude = 2_000;
/** How long a cluster may take to empty a namespace. */
const cleanupPatience = 120_000;

/** Plays the outage on a real cluster, and removes what it made, however it ends. */
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
  for (const { path, body } of manifests(namespace, image, replicas)) {
    const created = await client.call({ method: 'POST', path, body });
    if (!created.ok) return failed(refused(created.failure, client));
  }
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
  const controller = startWeeder({ client, clock, logger, namespaces: [namespace], report: onEvent });
  try {
    const ready = await untilReady(options, outage, () => controller.state() === 'running');
    return ready.ok && ready.value === 'met' ? await suffer(options, outage, begin) : stoppedOr(ready);
  } finally {
    outage.stop();
    controller.shutdown();
    await controller.stopped;
  }
}

/** Waits until everything is ready, and reports what the pods wait for. */
async function untilReady(options: ClusterDemoOptions, outage: Outage, isWeeding: () => boolean) {
  const { client, timeout, onWaiting } = options;
  const reported = new Set<string>();
  const check = () => {
    const trouble = outage.trouble();
    if (trouble !== undefined && !reported.has(trouble.what)) onWaiting(trouble);
    if (trouble !== undefined) reported.add(trouble.what);
    return (outage.isReady() && isWeeding()) || outage.failure !== undefined;
  };
  const waited = await waitFor(options, timeout, check);
  if (outage.failure !== undefined) return failed(refused(outage.failure, client));
  if (waited !== 'late') return ok(waited);
  const trouble = outage.trouble();
  const why = trouble === undefined ? 'the cluster does not say why' : `${trouble.pod}: ${trouble.what}`;
  return failed(codedError('DEMO_NOT_READY', `The demo's pods did not become ready in time (${why}).`));
}

/** From the prelude to the end. */
async function suffer(
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
  const waited = await waitFor(options, timeout, () => isBroken() || areBack(all()));
  if (outage.failure !== undefined) return failed(refused(outage.failure, client));
  if (waited === 'stopped') return ok('stopped');
  const [weeded, ignored] = [outage.downtimes('weeded'), outage.downtimes('ignored')];
  return ok({ isBack: waited === 'met', weeded, ignored });
}

function stoppedOr(result: Result<Waited>): Result<'stopped'> {
  return result.ok ? ok('stopped') : result;
}

function refused(failure: ApiFailure, { server }: KubeClient): CodedError {
  return codedError('DEMO_REFUSED', `The demo cannot be played on this cluster: ${describeFailure(failure, server)}`);
}
