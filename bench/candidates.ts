import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from '../test/cluster/support/access.ts';
import { type ManagedProcess, startProcess } from '../test/cluster/support/process.ts';
import { bundle, bundled } from '../test/support/bundle.ts';
import { freePort } from '../test/support/freePort.ts';
import { monotonic } from './processFigures.ts';
import { podLabels, service } from './scene.ts';

/** Who is measured: weeder as it is shipped, weeder without Events, and the client that can do nothing else. */
export const candidateNames = ['bare', 'weeder', 'weeder --events=false'] as const;
export type CandidateName = (typeof candidateNames)[number];

/** A candidate at work. */
export interface Candidate {
  readonly pid: number;
  /** From the start of the process until it has the complete state. Milliseconds. */
  readonly startToSynced: number;
  /** What weeder says on /metrics; undefined for the bare client. */
  readonly metricsUrl: string | undefined;
  /** SIGKILL: nothing that it still wanted to write reaches the next round. */
  kill(): Promise<void>;
  /** SIGTERM, for what is written at the end only, such as a profile. */
  end(): Promise<void>;
}

export interface StartOptions {
  /** For node itself, such as `--cpu-prof`. */
  readonly nodeFlags?: readonly string[];
}

const syncedWithin = 60_000;
let started = 0;

/** Starts it in a process of its own and waits until it has the complete state. */
export async function startCandidate(
  name: CandidateName,
  cluster: Cluster,
  { nodeFlags = [] }: StartOptions = {},
): Promise<Candidate> {
  const command = name === 'bare' ? await bareCommand(cluster) : await weederCommand(cluster, name);
  started += 1;
  const env = { ...process.env, BENCH_TOKEN: cluster.tokenOf('admin') };
  const from = monotonic();
  const child = startProcess(cluster.dir, `candidate-${started}`, process.execPath, [...nodeFlags, ...command.words], {
    env,
  });
  await said(child, command.synced);
  const startToSynced = monotonic() - from;
  return {
    pid: child.pid,
    startToSynced,
    metricsUrl: command.metricsUrl,
    kill: () => child.kill(),
    end: async () => {
      child.signal('SIGTERM');
      await child.exited;
    },
  };
}

interface Command {
  readonly words: readonly string[];
  /** In what it writes, once it has the complete state. */
  readonly synced: string;
  readonly metricsUrl?: string;
}

async function bareCommand(cluster: Cluster): Promise<Command> {
  const program = await bundled('bare', 'bench/bare.ts', ['bench/bare.ts']);
  const caFile = join(cluster.dir, 'apiserver.crt');
  return { words: [program, cluster.url, caFile, service, `role=${podLabels.role}`], synced: 'synced' };
}

async function weederCommand(cluster: Cluster, name: CandidateName): Promise<Command> {
  const configFile = join(cluster.dir, 'weeder.yaml');
  const selectors = [{ matchLabels: podLabels }];
  writeFileSync(
    configFile,
    JSON.stringify({ servicesAndDependantSelectors: { [service]: { podSelectors: selectors } } }),
  );
  const [metricsPort, healthPort] = [await freePort(), await freePort()];
  const words = [
    await bundle(),
    'run',
    `--config-file=${configFile}`,
    `--kubeconfig=${cluster.kubeconfigFor('admin')}`,
    `--metrics-bind-addr=127.0.0.1:${metricsPort}`,
    `--health-bind-addr=127.0.0.1:${healthPort}`,
    ...(name === 'weeder' ? [] : ['--events=false']),
  ];
  return { words, synced: 'all streams are synced, weeding', metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` };
}

/** Waits until the process has written these words. */
async function said(child: ManagedProcess, words: string): Promise<void> {
  const deadline = monotonic() + syncedWithin;
  while (!readFileSync(child.logFile, 'utf8').includes(words)) {
    if (!child.isRunning() || monotonic() > deadline) {
      throw new Error(
        `${child.name} did not say “${words}” (${child.isRunning() ? 'it runs' : await child.exited}):\n${child.tail()}`,
      );
    }
    await pause(2);
  }
}
