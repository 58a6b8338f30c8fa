import { setTimeout as pause } from 'node:timers/promises';
import type { ControlPlane } from '../../test/cluster/support/plane/controlPlane.ts';
import { freePorts } from '../../test/cluster/support/plane/ports.ts';
import { bundle } from '../../test/support/bundle.ts';
import type { NodeBinaries } from './binaries.ts';
import { cases, type Outcome, trialsOf } from './cases.ts';
import { startNode } from './node.ts';
import { observe } from './observer.ts';
import { play } from './play.ts';
import { copyLog, startBundle, startScheduler } from './processes.ts';

export interface MeasureOptions {
  readonly cluster: ControlPlane;
  readonly binaries: NodeBinaries;
  /** The folder of the CNI plugins. */
  readonly plugins: string;
  readonly runs: number;
  readonly signal: AbortSignal;
  /** The folder for the observed events and the log. */
  readonly events?: string | undefined;
  readonly log: (line: string) => void;
}

/** A node runs at most 110 pods, and a trial has two. */
export const mostRuns = Math.floor(110 / (cases.length * 2 * 2));

/**
 * Between the starts of two trials, so that the container starts of one do not delay those of another. Milliseconds.
 */
const startInterval = 1_000;
/** The longest back-off takes two minutes to reach and one and a half to end. Milliseconds. */
const timeoutMs = 10 * 60_000;

/** Plays all trials at the same time, on one node, with one weeder whose config names the services of one half. */
export async function measure(options: MeasureOptions): Promise<Outcome[]> {
  const { cluster, binaries, plugins, runs, events, log } = options;
  const failure = new AbortController();
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(timeoutMs), failure.signal]);
  await using cleanup = new AsyncDisposableStack();
  const scheduler = startScheduler(cluster, binaries.scheduler);
  cleanup.defer(() => scheduler.kill());
  const weeder = startBundle(cluster, await bundle());
  cleanup.defer(() => weeder.process.kill());
  if (events !== undefined) cleanup.defer(() => copyLog(weeder.process, events));
  await weeder.ready();
  const node = await startNode({ cluster, kubelet: binaries.kubelet, plugins, signal });
  cleanup.defer(() => node.stop());
  const observer = observe(cluster, events);
  cleanup.defer(() => observer.stop());

  const trials = trialsOf(runs, await freePorts(runs * cases.length * 2));
  log(`${trials.length} trials on one node, about four minutes`);
  const played = trials.map(async (trial, index) => {
    await pause(index * startInterval, undefined, { signal });
    const outcome = await play(trial, { cluster, observer, signal });
    log(
      `${trial.name}: ${outcome.seconds.toFixed(2)} s, ${outcome.backOffElapsed} s into the back-off (${outcome.reported})`,
    );
    return outcome;
  });
  const ended = [weeder.process, scheduler].map(async ({ name, exited }): Promise<never> => {
    throw new Error(`${name} ${await exited}`);
  });
  try {
    return await Promise.race([Promise.all(played), node.failed, observer.failed, ...ended]);
  } catch (error) {
    // Ends the other trials.
    failure.abort(error);
    throw error;
  }
}
