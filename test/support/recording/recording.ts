import { readFileSync } from 'node:fs';
import { type VirtualClock, virtualClock } from '@weeder/kube-runtime/testing';
import type { Config } from '../../../src/config/config.ts';
import { openRecorder, type Recorder, type RecorderOptions } from '../../../src/recording/recorder.ts';
import { recordingWeeder } from '../../../src/weeder/recording/recordWeeder.ts';
import type { WeederOptions } from '../../../src/weeder/weeder.ts';
import type { WeederCore } from '../../../src/weeder/weederCore.ts';
import { backOff, pod, running, slice, terminated } from '../objects/objects.ts';
import { serviceConfig } from '../world/simulation.ts';
import { weederOptions } from '../world/weederOptions.ts';

export interface IncidentOptions {
  readonly limit?: number;
  readonly oldFiles?: number;
  /** How often it happens. */
  readonly repeats?: number;
  /** The log of every crashed container; without it, the config wants none. */
  readonly log?: readonly string[];
  /** How far the wall clock is set, in milliseconds, once. */
  readonly jump?: number;
}

export interface Incident {
  readonly file: string;
  readonly failures: readonly string[];
  /** How many deletions reached the API server. */
  readonly deletions: number;
}

export function configOf(): Config {
  return { services: new Map([['etcd-main-client', serviceConfig()]]), restart: undefined };
}

/** The options of a recording into this file. */
export function recordingOf(file: string): Omit<RecorderOptions, 'config'> & { readonly clock: VirtualClock } {
  const clock = virtualClock();
  return { file, clock, namespaces: 'all', concurrentDeletions: 32, isDryRun: false, onFailure: () => {} };
}

/** A weeder with its streams, all of whose inputs and outputs are recorded. */
export function recordedWeeder(
  recorder: Recorder,
  options: WeederOptions,
  namespaces: 'all' | readonly string[] = 'all',
): WeederCore {
  const create = recordingWeeder(recorder.of('weeder'));
  return create({ ...options, namespaces, onStreamsChanged: () => {}, onStreamClosed: () => {} });
}

/**
 * Records the original's outage into a file, with the production wiring: a service goes down and recovers, a pod that
 * crash-loops is refused once and then deleted, one in unreported back-off is deleted after 2 s, a bare one is skipped.
 */
export async function recordIncident(file: string, options: IncidentOptions = {}): Promise<Incident> {
  const { limit, oldFiles = 1, repeats = 1, jump = 0, log } = options;
  const failures: string[] = [];
  const base = recordingOf(file);
  const { clock } = base;
  const onFailure = (message: string) => failures.push(message);
  const config = { ...configOf(), ...(log === undefined ? {} : { evidence: { logLines: 20 } }) };
  const opened = await openRecorder({
    ...base,
    config,
    oldFiles,
    onFailure,
    ...(limit === undefined ? {} : { limit }),
  });
  if (!opened.ok) throw new Error(opened.error.message);
  const recorder = opened.value;
  let requests = 0;
  let deletions = 0;
  const weeder = recordedWeeder(
    recorder,
    weederOptions(config, clock, {
      random: Math.random,
      readySince: async () => 0,
      readLog: async () => log,
      deletePod: async ({ name }) => {
        requests += 1;
        if (name === 'kapi-0' && requests === 1) return { type: 'delete.failed', reason: '429', retryAfter: 0 };
        if (name === 'kapi-0') deletions += 1;
        return { type: 'delete.accepted' };
      },
    }),
  );
  const [slices, pods] = [...weeder.needs.values()].map(({ sink }) => sink);
  slices?.begin();
  slices?.apply('ADDED', slice());
  slices?.end();
  pods?.begin();
  pods?.apply('ADDED', { ...pod({ name: 'healthy', containers: [running()] }) });
  pods?.end();
  weeder.start();
  for (let round = 0; round < repeats; round += 1) {
    await clock.pass(10_000);
    slices?.apply('MODIFIED', slice({ ready: [false] }));
    const annotations = { password: 's3cret' };
    const crashing = pod({ name: 'kapi-0', uid: `kapi-${round}`, containers: [backOff(4)], annotations });
    const unreported = pod({
      name: 'kapi-1',
      uid: `unreported-${round}`,
      containers: [terminated(clock.now() + 90_000)],
    });
    const bare = pod({ name: 'debug', uid: `bare-${round}`, containers: [backOff(4)], isBare: true });
    for (const object of [crashing, bare]) pods?.apply('MODIFIED', object);
    await clock.pass(90_000);
    clock.jumpWallClock(round === 0 ? jump : 0);
    pods?.apply('MODIFIED', unreported);
    slices?.apply('MODIFIED', slice());
    await clock.pass(5000);
    for (const object of [crashing, unreported, bare]) pods?.apply('DELETED', object);
    await clock.pass(200_000);
  }
  weeder.stop();
  await recorder.close();
  return { file, failures, deletions };
}

/** The lines of a recording. */
export function readLines(file: string): readonly Readonly<Record<string, unknown>>[] {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): Readonly<Record<string, unknown>> => JSON.parse(line));
}
