import { setTimeout as pause } from 'node:timers/promises';
import type { ControlPlane } from '../../test/cluster/support/plane/controlPlane.ts';
import { freePorts } from '../../test/cluster/support/plane/ports.ts';
import { bundle } from '../../test/support/bundle.ts';
import type { NodeBinaries } from './binaries.ts';
import { cases, type Outcome, trialsOf } from './cases.ts';
import { startNode } from './node.ts';
import { observe } from './observer.ts';
import { play } from './play.ts';
import { keepLog, startBundle, startScheduler } from './processes.ts';

export interface MeasureOptions {
  readonly cluster: ControlPlane;
  readonly binaries: NodeBinaries;
  /** The folder of the CNI plugins. */
  readonly plugins: string;
  readonly runs: number;
  readonly signal: AbortSignal;
  /** Where to keep what was seen. */
  readonly events?: string | undefined;
  readonly say: (line: string) => void;
}

/** A node takes 110 pods, and a trial makes two. */
export const mostRuns = Math.floor(110 / (cases.length * 2 * 2));

/** From one trial's beginning to the next one's: they share two cores, and each has starts of containers to measure. */
const between = 1_000;
/** The longest back-off takes two minutes to grow and one and a half to end; beyond this something is stuck. */
const patience = 10 * 60_000;

/** Plays all trials at the same time, on one node, with one weeder that sees all of them and is told of a half. */
export async function measure(options: MeasureOptions): Promise<Outcome[]> {
  const { cluster, binaries, plugins, runs, events, say } = options;
  const failure = new AbortController();
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(patience), failure.signal]);
  await using cleanup = new AsyncDisposableStack();
  const scheduler = startScheduler(cluster, binaries.scheduler);
  cleanup.defer(() => scheduler.kill());
  const weeder = startBundle(cluster, await bundle());
  cleanup.defer(() => weeder.process.kill());
  if (events !== undefined) cleanup.defer(() => keepLog(weeder.process, events));
  await weeder.ready();
  const node = await startNode({ cluster, kubelet: binaries.kubelet, plugins, signal });
  cleanup.defer(() => node.stop());
  const observer = observe(cluster, events);
  cleanup.defer(() => observer.stop());

  const trials = trialsOf(runs, await freePorts(runs * cases.length * 2));
  say(`${trials.length} trials on one node, about four minutes`);
  const played = trials.map(async (trial, index) => {
    await pause(index * between, undefined, { signal });
    const outcome = await play(trial, { cluster, observer, signal });
    say(`${trial.name}: ${outcome.seconds.toFixed(2)} s, ${outcome.into} s into the back-off (${outcome.reported})`);
    return outcome;
  });
  const ended = [weeder.process, scheduler].map(async ({ name, exited }): Promise<never> => {
    throw new Error(`${name} ${await exited}`);
  });
  try {
    return await Promise.race([Promise.all(played), node.broken, observer.broken, ...ended]);
  } catch (error) {
    // The other trials are not to go on.
    failure.abort(error);
    throw error;
  }
}
