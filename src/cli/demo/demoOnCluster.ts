import { systemClock } from '../../base/clock.ts';
import { formatDuration } from '../../base/duration.ts';
import { codedError } from '../../base/errors.ts';
import { createLogger } from '../../base/log.ts';
import { returnAfter } from '../../demo/cluster/exits.ts';
import { uniqueNamespace } from '../../demo/cluster/namespace.ts';
import { type ClusterOutcome, playOnCluster } from '../../demo/cluster/run.ts';
import { comparison } from '../../demo/comparison.ts';
import type { Downtime } from '../../demo/downtime.ts';
import { weederTimelineEntry } from '../../demo/timeline.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { connect } from '../connect.ts';
import { exitCodes, fail } from '../output.ts';
import { type StopRequest, stopOnSignals } from '../signals.ts';
import type { DemoFlags } from './demoFlags.ts';
import { line, outageProgress, print, printTable, progressLine } from './demoOutput.ts';

/** A person is waiting: an unreachable API server is reported within seconds. */
const interactive = { kubeApiQps: 0, kubeApiBurst: 0, apiServerTimeout: 5000, onWaiting: () => {} };
/** The approximate time to pull an image, start the pods, and delete the namespace. Milliseconds. */
const around = 20_000;

/** `weeder demo --kubeconfig FILE`: an outage on a real cluster. Resolves with the exit code. */
export async function demoOnCluster(flags: DemoFlags): Promise<number> {
  const logger = await createLogger('error', process.stderr);
  const stop = stopOnSignals(logger, { signals: ['SIGINT', 'SIGTERM', 'SIGHUP'], onePress: 1_000 });
  const { kubeconfig, context } = flags;
  const client = await connect(
    { ...interactive, ...(kubeconfig ? { kubeconfig } : {}), ...(context ? { context } : {}), signal: stop.signal },
    systemClock,
  );
  if (!client.ok) return stop.signal.aborted ? exitCodes.failed : fail(client.error);
  try {
    return await play(flags, client.value, stop, logger);
  } finally {
    await client.value.close();
    stop.forget();
  }
}

async function play(
  flags: DemoFlags,
  client: KubeClient,
  stop: StopRequest,
  logger: Awaited<ReturnType<typeof createLogger>>,
): Promise<number> {
  const { image, replicas, outage, timeout } = flags;
  const namespace = uniqueNamespace();
  const progress = progressLine();
  print(
    `This demo runs the real weeder on ${client.server},`,
    `in a namespace of its own: ${namespace}.`,
    'Half of the dependants are annotated weeder.dev/ignore: weeder does not delete them.',
    `In real time: this takes about ${formatDuration(roughly(returnAfter(outage) + around))}.`,
    '',
  );
  const { played, leftBehind } = await playOnCluster(
    {
      client,
      clock: systemClock,
      logger,
      namespace,
      image,
      replicas,
      outage,
      timeout,
      signal: stop.signal,
      onWaiting: ({ pod, what }) => print(`${pod} waits: ${what}`),
      onBegin: (course) => progress.start(outageProgress(outage, course)),
      onEvent(time, event) {
        const entry = weederTimelineEntry(event);
        if (entry !== undefined) progress.above(line(time, entry));
      },
    },
    () => {
      progress.stop();
      if (stop.signal.aborted) print('', 'Stopped before the end.');
      print('', `Removing the namespace ${namespace} …`);
    },
  );
  if (leftBehind === undefined && played.ok) print('The namespace is removed.');
  let exitCode: number = exitCodes.failed;
  if (!played.ok) fail(played.error);
  else if (played.value !== 'stopped') exitCode = printOutcome(flags, played.value);
  if (leftBehind === undefined) return exitCode;
  const message = `The namespace ${namespace} could not be removed: ${leftBehind}.`;
  return fail(codedError('DEMO_LEFT_BEHIND', message, `Remove it with: kubectl delete namespace ${namespace}`));
}

function printOutcome({ outage, timeout }: DemoFlags, { isBack, weeded, ignored }: ClusterOutcome): number {
  print('', `The same outage (${formatDuration(outage)}) with weeder, and without (weeder.dev/ignore):`, '');
  printTable(comparison(weeded.map(numbered), ignored));
  if ([...weeded, ...ignored].every(({ total }) => total === 0)) {
    print('', 'No pod went down in an outage this short.');
    return exitCodes.failed;
  }
  if (isBack) return exitCodes.ok;
  print('', `Not all pods were ready ${formatDuration(timeout)} after the outage.`);
  return exitCodes.failed;
}

/** A row has two different pods: each is the n-th of its half. */
function numbered(downtime: Downtime, index: number): Downtime {
  return { ...downtime, pod: `replica ${index + 1}` };
}

/** Rounds to ten seconds. */
function roughly(ms: number): number {
  return Math.ceil(ms / 10_000) * 10_000;
}
