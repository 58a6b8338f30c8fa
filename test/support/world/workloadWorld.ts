import { virtualClock } from '@weeder/kube-runtime/testing';
import { type AnyEventObject, createActor, fromCallback } from 'xstate';
import {
  type RolloutEffectInput,
  type RolloutEvent,
  rollout as rolloutMachine,
} from '../../../machines/restart/rollout.ts';
import {
  type EffectInput,
  type WorkloadEvent,
  type WorkloadInput,
  workload,
} from '../../../machines/restart/workload.ts';
import {
  markChangesHandled,
  markSourceChange,
  quietPeriodOf,
  type WithChanges,
} from '../../../src/restart/pace/quietPeriod.ts';
import { stateOf, type WithActor } from '../../../src/restart/patches/status.ts';
import { settings } from '../objects/restartSettings.ts';

/** The state that is written on the workload: content by number. */
interface WrittenState {
  readonly rolledOut: number;
  readonly target?: number;
}

/** One event of the simulated world, in milliseconds since its start. */
export interface WorldEntry {
  readonly at: number;
  readonly what: 'restarted' | 'assessed' | 'written' | 'stalled' | 'reverted' | 'blocked';
  readonly content: number;
}

const rolloutTime = 30_000;
const stallAfter = 60_000;

/**
 * One workload with one source, and correct effects for its machine: each takes a moment, writes require the version
 * that they were decided on, and every change is delivered. `answerTime` is called before each response.
 */
export function workloadWorld(input: Partial<WorkloadInput> = {}, answerTime: () => number = () => 20) {
  const clock = virtualClock();
  const entries: WorldEntry[] = [];
  let [content, version] = [0, 0];
  let [isMissing, isBroken] = [false, false];
  let pods = 0;
  let written: WrittenState | undefined;
  let seen = { content: 0, version: 0, changedAt: 0 };
  let rollout = { number: 0, isUnderWay: false };

  function note(what: WorldEntry['what'], of = content): void {
    entries.push({ at: clock.monotonic(), what, content: of });
  }

  /** An effect that responds after a moment, by the state of the world at that time. */
  function answering<Input extends EffectInput | RolloutEffectInput>(
    answer: (input: Input) => WorkloadEvent | RolloutEvent,
  ) {
    return fromCallback<AnyEventObject, Input>(({ input: given, sendBack }) => {
      const timer = clock.setTimeout(() => {
        sendBack(answer(given));
      }, answerTime());
      return () => clock.clearTimeout(timer);
    });
  }

  function write(state: WrittenState): WorkloadEvent {
    if (seen.version !== version) return { type: 'effect.conflicted', jitter: 1 };
    version += 1;
    written = state;
    note('written', state.rolledOut);
    return { type: 'state.written' };
  }

  function startRollout(): void {
    const number = rollout.number + 1;
    rollout = { number, isUnderWay: true };
    clock.setTimeout(() => {
      if (rollout.number !== number || isBroken) return;
      rollout = { number, isUnderWay: false };
      pods = content;
      touch();
    }, rolloutTime);
  }

  /** Whether the pods run with the target, or with something newer. */
  function hasTarget(): boolean {
    return pods >= (written?.target ?? 0);
  }

  /** Something about the workload has changed. */
  function touch(): void {
    version += 1;
    entry.actor.send({ type: 'workload.changed' });
  }

  function followRollout() {
    return fromCallback<AnyEventObject, RolloutEffectInput>(({ sendBack }) => {
      const began = clock.monotonic();
      const assess = () => {
        timer = clock.setTimeout(assess, 1_000);
        if (!rollout.isUnderWay) sendBack({ type: hasTarget() ? 'rollout.complete' : 'rollout.reverted' });
        else if (clock.monotonic() - began > stallAfter) sendBack({ type: 'rollout.stalled', reason: 'no progress' });
      };
      let timer = clock.setTimeout(assess, 1_000);
      return () => clock.clearTimeout(timer);
    });
  }

  const restarting = rolloutMachine.provide({
    actors: {
      restartSlot: fromCallback(({ sendBack }) => sendBack({ type: 'slot.granted' })),
      verifyPods: answering(() => ({
        type: pods === content && !rollout.isUnderWay ? 'verified.current' : 'verified.outdated',
      })),
      restart: answering(() => {
        if (seen.version !== version) return { type: 'effect.conflicted', jitter: 1 };
        written = { rolledOut: written?.rolledOut ?? 0, target: seen.content };
        note('restarted', seen.content);
        startRollout();
        version += 1;
        markChangesHandled(entry, seen.changedAt);
        return { type: 'restart.accepted' };
      }),
      followRollout: followRollout(),
      restore: answering(() => ({ type: 'restore.done' })),
    },
    actions: { reportPending: () => {}, reportRestarted: () => {}, reportStalled: () => note('stalled') },
  });

  const machine = workload.provide({
    actors: {
      assess: answering(({ hasStalled }) => {
        seen = { content, version, changedAt: entry.changes.changedAt };
        note('assessed');
        if (written === undefined) return { type: 'assessed.new' };
        if (isMissing) return { type: 'assessed.blocked', reason: 'missing' };
        const { rolledOut, target } = written;
        if (target !== undefined && !hasStalled)
          return { type: 'assessed.rolling', hasNewerChange: target !== content };
        if (target === content) return { type: 'assessed.stalled', reason: 'no progress' };
        if (target !== undefined || rolledOut !== content) {
          const quiet = quietPeriodOf(entry.changes, settings, clock.monotonic());
          return { type: 'assessed.changed', changedAt: entry.changes.changedAt, ...quiet };
        }
        markChangesHandled(entry, seen.changedAt);
        return { type: 'assessed.current' };
      }),
      adoptionSlot: answering(() => ({ type: 'slot.granted' })),
      rollout: restarting,
      writeState: answering(({ outcome }) => {
        const rolledOut = written?.rolledOut ?? 0;
        if (outcome === 'adopted') return write({ rolledOut: seen.content });
        if (outcome === 'reverted') return write({ rolledOut });
        return write({ rolledOut: outcome === 'rolledOut' ? (written?.target ?? rolledOut) : seen.content });
      }),
    },
    actions: {
      reportChanged: () => {},
      reportCurrent: () => {},
      reportBlocked: () => note('blocked'),
      reportReverted: () => note('reverted'),
      reportWritten: () => {},
      reportFailed: () => {},
    },
  });
  const start = () => createActor(machine, { clock, input }).start();
  /** As the restart controller records them. */
  let entry: WithActor & WithChanges = {
    actor: start(),
    changes: { changedAt: 0, unquietSince: undefined },
  };

  return {
    clock,
    entries,
    /** The source gets new content. */
    change() {
      content += 1;
      markSourceChange(entry, stateOf(entry), settings.quietPeriod, clock.monotonic());
      entry.actor.send({ type: 'workload.changed' });
    },
    /** The required source is deleted, or exists again. */
    setMissing(value: boolean) {
      isMissing = value;
      entry.actor.send({ type: 'workload.changed' });
    },
    /** Whether rollouts fail to complete. */
    setBroken(value: boolean) {
      isBroken = value;
    },
    /** Another client writes to the workload. */
    touch,
    /** Another client replaces all pods. */
    replacePods() {
      rollout = { number: rollout.number + 1, isUnderWay: false };
      pods = content;
      touch();
    },
    /** An operator restores the template as soon as it sees the change: the pods are the old ones. */
    revert() {
      if (!rollout.isUnderWay) return;
      rollout = { number: rollout.number + 1, isUnderWay: false };
      touch();
    },
    /** Another replica takes over: it knows only what is written on the workload. */
    failOver() {
      entry.actor.stop();
      entry = { actor: start(), changes: { ...entry.changes, unquietSince: undefined } };
    },
    now: () => ({ content, pods, written, state: entry.actor.getSnapshot() }),
    of: (what: WorldEntry['what']) => entries.filter((entry) => entry.what === what),
  };
}
