import type { JsonObject } from '@weeder/kube-runtime/base';
import { parseDuration } from '@weeder/kube-runtime/base';
import type { VirtualClock } from '@weeder/kube-runtime/testing';
import type { InspectionEvent } from 'xstate';
import type { Config } from '../../../src/config/config.ts';
import { createRestartCore } from '../../../src/restart/restartCore.ts';
import { createRestartWorld, type RestartWorld } from '../world/restartWorld.ts';
import type { ReplayAnswers } from './replayAnswers.ts';
import type { Replay } from './replayFile.ts';
import type { Expectation, ReplayStep } from './replayFormat.ts';
import { replayRestartApi } from './replayRestartApi.ts';
import type { SourceStep, WorkloadStep } from './replayRestartFormat.ts';
import { restartSentenceOf } from './replayRestartWords.ts';

export interface ReplayRestartsOptions {
  readonly replay: Replay;
  readonly clock: VirtualClock;
  readonly answers: ReplayAnswers;
  readonly log: (sentence: string) => void;
  readonly inspect: (event: InspectionEvent) => void;
}

/** Undefined: the replay's config has no section `restartControl`. */
export function replayRestarts(options: ReplayRestartsOptions) {
  const { replay, clock, answers, log, inspect } = options;
  if (replay.resolved.restart === undefined) return undefined;
  const start = clock.now();
  const world = createRestartWorld(replay.resolved.restart, {
    clock,
    inspect,
    isDryRun: replay.dryRun,
    isDelayed: () => answers.delayed > 0,
    createRestart: (its) => createRestartCore({ ...its, api: replayRestartApi(its.api, answers, log) }),
    onEvent(event) {
      const sentence = restartSentenceOf(event);
      if (sentence !== undefined) log(sentence);
    },
  });
  const workloadNames = new Set<string>();
  let isRunning = false;

  function putWorkload(step: WorkloadStep): void {
    const { name, namespace, paused, revisionHistoryLimit } = step;
    const annotations = annotationsOf(step, start);
    if (!workloadNames.has(name)) world.putWorkload(name, podSpecOf(step), { namespace, annotations });
    workloadNames.add(name);
    const spec = { paused, revisionHistoryLimit, template: { spec: podSpecOf(step) } };
    world.change(name, { metadata: { annotations: { ...withoutOurs, ...annotations } }, spec });
  }

  function removeWorkload(name: string): void {
    workloadNames.delete(name);
    world.deleteWorkload(name);
  }

  return {
    happen(step: Omit<ReplayStep, 'at'>) {
      if (step.source) putSource(world, step.source);
      if (step.sourceDeleted) world.deleteSource(step.sourceDeleted);
      if (step.workload) putWorkload(step.workload);
      if (step.workloadDeleted !== undefined) removeWorkload(step.workloadDeleted);
      happenToRollouts(world, step);
    },
    start() {
      isRunning = true;
      world.start();
    },
    stop() {
      isRunning = false;
      world.stop();
    },
    configure({ restart }: Config) {
      if (restart !== undefined) world.configure(restart);
    },
    pass: world.pass,
    /** Workloads with an unexpected number of rollouts; a sentence each. */
    rolloutsOtherThan: (expected: Expectation['rollouts']) =>
      Object.entries(expected).flatMap(([key, count]) => {
        const actual = world.rollouts.filter(({ workload }) => key.endsWith(`/${workload}`)).length;
        return actual === count ? [] : [`expected ${count} rollouts of ${key}, saw ${actual}`];
      }),
    /** Leftovers at the end, as text. */
    leftOver() {
      const { states, inFlight } = isRunning ? world.control.counts() : { states: {}, inFlight: 0 };
      const unfinished = Object.entries({ ...states, 'under way': inFlight }).filter(([state]) => state !== 'current');
      return unfinished.filter(([, count]) => count > 0).map(([state, count]) => `${count} ${state}`);
    },
  };
}

function happenToRollouts(world: RestartWorld, step: Omit<ReplayStep, 'at'>): void {
  if (step.rollouts !== undefined) world.rolloutTime = step.rollouts;
  if (step.podBroken !== undefined) world.breakPods(step.podBroken);
  if (step.undo !== undefined) world.undo(step.undo);
  if (step.restoreTemplate !== undefined) world.restoreTemplate(step.restoreTemplate);
}

function putSource(world: RestartWorld, { data, immutable, skip, ...ref }: SourceStep): void {
  const annotations = skip === undefined ? {} : { 'weeder.dev/skip-hash-calculation': skip };
  world.putSource(ref, data, { metadata: { annotations }, ...(immutable ? { immutable } : {}) });
}

/** A step has all annotations that people write: those that it lacks are removed. */
const withoutOurs = {
  'weeder.dev/also-depends-on': null,
  'weeder.dev/paused-until': null,
  'weeder.dev/restart-on-change': null,
};

/** `paused-until` may be a time since the start. */
function annotationsOf({ annotations }: WorkloadStep, start: number): Record<string, string> {
  const written = Object.entries(annotations).map(([name, value]) => {
    const read = name === 'weeder.dev/paused-until' ? parseDuration(value) : undefined;
    return [name, read?.ok ? new Date(start + read.value).toISOString() : value];
  });
  return Object.fromEntries(written);
}

function podSpecOf({ uses, image }: WorkloadStep): JsonObject {
  const read = uses.map((use) => /^(?:(secret)\/)?([^#?]+)#?([^?]*)(\?)?$/.exec(use) ?? []);
  const named = read.map(([, secret, name = '', key = '', optional]) => ({
    kind: secret === undefined ? 'configMap' : 'secret',
    from: { name, ...(key === '' ? {} : { key }), ...(optional === undefined ? {} : { optional: true }) },
  }));
  const env = named.flatMap(({ kind, from }, index) =>
    'key' in from ? [{ name: `VALUE_${index}`, valueFrom: { [`${kind}KeyRef`]: from } }] : [],
  );
  const envFrom = named.flatMap(({ kind, from }) => ('key' in from ? [] : [{ [`${kind}Ref`]: from }]));
  return { containers: [{ name: 'app', image, env, envFrom }] };
}
