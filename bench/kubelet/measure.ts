import { setTimeout as pause } from 'node:timers/promises';
import type { ControlPlane } from '../../test/cluster/support/plane/controlPlane.ts';
import { freePorts } from '../../test/cluster/support/plane/ports.ts';
import type { NodeBinaries } from './binaries.ts';
import { casesOf, longestBackOffs, type Outcome, trialsOf } from './cases.ts';
import { packWeeder, packWorkload } from './image.ts';
import { startNode } from './node.ts';
import { observe } from './observer.ts';
import { play } from './play.ts';
import { startScheduler } from './scheduler.ts';
import { checkWeeder, copyLog, startWeeder } from './weederPod.ts';
import { weederConfig } from './workloads.ts';

export interface MeasureOptions {
  readonly cluster: ControlPlane;
  readonly binaries: NodeBinaries;
  /** The folder of the CNI plugins. */
  readonly plugins: string;
  /** Of the kubelet; seconds. */
  readonly longestBackOff: number;
  readonly runs: number;
  readonly signal: AbortSignal;
  /** The folder for the observed events and the log. */
  readonly events?: string | undefined;
  readonly log: (line: string) => void;
}

/** A node runs at most 110 pods, one of which is weeder, and a trial has two. */
export const maxRuns = Math.floor(109 / (casesOf(longestBackOffs.default).length * 2 * 2));

/**
 * Between the starts of two trials, so that the container starts of one do not delay those of another. Milliseconds.
 */
const startInterval = 1_000;
/** The longest back-off takes two minutes to reach and one and a half to end. Milliseconds. */
const timeoutMs = 10 * 60_000;

/** Plays all trials of this longest back-off at the same time, on one node, with one weeder whose config names the services of one half. */
export async function measure(options: MeasureOptions): Promise<Outcome[]> {
  const { cluster, binaries, plugins, longestBackOff, runs, events, log } = options;
  const failure = new AbortController();
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(timeoutMs), failure.signal]);
  await using cleanup = new AsyncDisposableStack();
  const scheduler = startScheduler(cluster, binaries.scheduler);
  cleanup.defer(() => scheduler.kill());
  const packImages = (folder: string) => Promise.all([packWorkload(folder), packWeeder(folder)]);
  const node = await startNode({ cluster, kubelet: binaries.kubelet, plugins, longestBackOff, packImages, signal });
  cleanup.defer(() => node.stop());
  if (events !== undefined) cleanup.defer(() => copyLog(node.logs, events));
  await Promise.race([startWeeder(cluster, weederConfig, signal), node.failed]);
  log('weeder is ready, in a pod from its image');
  const observer = observe(cluster, events);
  cleanup.defer(() => observer.stop());

  const kinds = casesOf(longestBackOff);
  const trials = trialsOf(kinds, runs, await freePorts(runs * kinds.length * 2));
  log(`${trials.length} trials on one node whose back-offs last at most ${longestBackOff} s, up to four minutes`);
  const played = trials.map(async (trial, index) => {
    await pause(index * startInterval, undefined, { signal });
    const outcome = await play(trial, { cluster, observer, signal });
    log(
      `${trial.name}: ${outcome.seconds.toFixed(2)} s, ${outcome.backOffElapsed} s into the back-off (${outcome.reported})`,
    );
    return outcome;
  });
  const ended = scheduler.exited.then((how): never => {
    throw new Error(`${scheduler.name} ${how}`);
  });
  try {
    const outcomes = await Promise.race([Promise.all(played), node.failed, observer.failed, ended]);
    await checkWeeder(cluster);
    return outcomes;
  } catch (error) {
    // Ends the other trials.
    failure.abort(error);
    throw error;
  }
}
