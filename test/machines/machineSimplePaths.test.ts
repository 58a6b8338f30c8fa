import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { machineFiles } from '../support/docs/sketch.ts';
import { activeStates, statesOf } from '../support/oracle/exploration.ts';
import {
  type Exploration,
  explorations,
  pathsOf,
  type Walked,
  walkAll,
} from '../support/oracle/machineExplorations.ts';

/** Every beginning of every simple path, by machine. */
const walkedPaths = new Map<string, readonly Walked[]>();

for (const { name, machines } of machineFiles()) {
  const machine: AnyStateMachine | undefined = machines[0];
  const exploration = explorations[name];
  if (machine === undefined || exploration === undefined) continue;
  // A test must not hold the paths: they take much more memory than what they have in common.
  const { walkedOnes, pathCount } = walkSimplePaths(machine, exploration);
  walkedPaths.set(name, walkedOnes);

  test(`the ${pathCount} simple paths of ${name} reach every state, and none ends in an error`, () => {
    const snapshots = walkedOnes.map(lastOf);
    const reached = new Set(snapshots.flatMap(activeStates));
    const missing = statesOf(machine).filter((node) => !reached.has(node.id) && (node.always ?? []).every(hasGuard));
    assert.deepEqual(
      missing.map(({ id }) => id),
      [],
    );
    assert.deepEqual(
      snapshots.filter(({ status }) => status === 'error'),
      [],
    );
  });
}

/** A rule that holds after each step of each simple path, and its check. */
type Rule = readonly [sentence: string, isSo: (walked: Walked, snapshot: AnyMachineSnapshot) => boolean];

const afterAnswer: Readonly<Record<string, string>> = {
  'delete.accepted': 'deleted',
  'delete.notFound': 'removed',
  'delete.rejected': 'abandoned',
  'delete.conflicted': 'conflicted',
  'delete.failed': 'backingOff',
};

const endsWindow: ReadonlySet<string> = new Set([
  'window.expired',
  'service.removed',
  'weeder.stopped',
  'xstate.done.actor.dependants-1-1',
]);

const rules: Readonly<Record<string, readonly Rule[]>> = {
  podDeletion: [
    [
      'a slot is requested when an attempt is queued, and only then',
      (walked, snapshot) => {
        const before = walked.at(-2)?.snapshot;
        const isQueued = (each: AnyMachineSnapshot) => isIn(each, 'podDeletion.attempting.queued');
        const isNew = isQueued(snapshot) && (before === undefined || !isQueued(before));
        return walked.at(-1)?.effects.includes('requestSlot') === isNew;
      },
    ],
    ['a DELETE is in flight while deleting, and only then', holds('deletePod', 'podDeletion.attempting.deleting')],
    ['the deletion is reported exactly once when deleted', decidesOnce('reportDeleted', 'podDeletion.deleted')],
    ['the recovery is reported exactly once when recovered', decidesOnce('reportRecovered', 'podDeletion.recovered')],
    ['the failure is reported exactly once when abandoned', decidesOnce('reportAbandoned', 'podDeletion.abandoned')],
    [
      'the response to a DELETE determines the final state',
      (walked, snapshot) => {
        const state = afterAnswer[walked.at(-1)?.event ?? ''];
        return state === undefined || isIn(snapshot, `podDeletion.${state}`);
      },
    ],
    [
      'no DELETE is sent without a slot',
      (walked) => count(walked, 'spawn deletePod') <= walked.filter(({ event }) => event === 'slot.granted').length,
    ],
    [
      'each refusal is reported, and followed by a pause',
      (walked) => walked.every(({ event, effects }) => event !== 'delete.failed' || isBackOff(effects)),
    ],
    [
      'a pod is not queued while another service on which it depends is down',
      (walked, { context }) => context.heldBy === undefined || count(walked, 'requestSlot') === 0,
    ],
  ],
  podCreation: [
    ['an attempt is in flight while retrying, and only then', holds('retryOwner', 'podCreation.attempting.retrying')],
    ['a pod is awaited while proving, and only then', holds('awaitPod', 'podCreation.proving')],
    ['only the object that goes first is proven', (_, { context, value }) => value !== 'proving' || context.isCanary],
    ['a failure is reported exactly once when failed', decidesOnce('reportFailed', 'podCreation.failed')],
    [
      'no attempt is made without a slot',
      (walked) => count(walked, 'spawn retryOwner') === walked.filter(({ event }) => event === 'slot.granted').length,
    ],
  ],
  workload: [
    ['it is assessed while assessing, and only then', holds('assess', 'workload.assessing')],
    ['a rollout runs exactly while it is restarting', holds('rollout', 'workload.restarting')],
    ['its state is written while writing or releasing', holds('writeState', /\.(writingState|releasing)$/)],
  ],
  rollout: [
    ['it has, or waits for, a slot while active, and only then', holds('restartSlot', 'rollout.active')],
    ['the pods are verified while verifying, and only then', holds('verifyPods', 'rollout.active.verifying')],
    ['a restart is in flight while patching, and only then', holds('restart', 'rollout.active.patching')],
    ['a rollout is followed while rolling or stopped', holds('followRollout', /\.(rolling|stopped)$/)],
    ['the pods are restored while restoring, and only then', holds('restore', 'rollout.active.restoring')],
    [
      'no workload is restarted without verification',
      (walked) => count(walked, 'spawn restart') === walked.filter(({ event }) => event === 'verified.outdated').length,
    ],
    [
      'each accepted restart is reported, and its output says so',
      (walked, { context }) =>
        count(walked, 'reportRestarted') === walked.filter(({ event }) => event === 'restart.accepted').length &&
        context.hasRestarted === count(walked, 'reportRestarted') > 0,
    ],
  ],
  application: [
    ['an observer runs while observing, and only then', holds('observer', 'application.observing')],
    ['resources are applied while applying, and only then', holds('applyResources', 'application.applying')],
    ['and deleted while deleting', holds('deleteResources', 'application.deleting.attempting')],
    [
      'after an observer nothing is applied or deleted before its requests have drained',
      (walked) => {
        const effects = walked.flatMap((step) => step.effects.map((effect) => [step.event, effect] as const));
        const last = effects.findLastIndex(([, effect]) => effect === 'stop observer');
        const next = effects.findIndex(
          ([, effect], index) => index > last && /^spawn (applyResources|deleteResources)$/.test(effect),
        );
        return last === -1 || next === -1 || effects.slice(last, next).some(([event]) => event === 'requests.drained');
      },
    ],
  ],
  resource: [
    ['it is checked while checking, and only then', holds('check', 'resource.checking')],
    ['a correction is in flight while correcting, and only then', holds('correct', 'resource.correcting')],
    ['it is created while creating, and only then', holds('create', 'resource.creating')],
    [
      'a resource that is only reported is not written',
      (walked, { context }) =>
        context.mayCorrect ||
        !(/^(write)/.test(walked.at(-1)?.event ?? '') && walked.at(-1)?.effects.includes('spawn correct')),
    ],
  ],
  endpoint: [
    [
      'the ready time is read while resolving the time of a recovery, and only then',
      holds('readySince', /\.resolvingRecoveryTime$/),
    ],
    [
      'a window is open from its opening until its time is over',
      (walked, snapshot) =>
        snapshot.hasTag('windowOpen') ===
        walked.findLastIndex(({ effects }) => effects.includes('reportWindowOpened')) >
          walked.findLastIndex(({ event }) => endsWindow.has(event)),
    ],
    [
      'each window has a child from its opening until the child has ended',
      (walked, { context }) =>
        count(walked, 'spawn dependants-1-1') === context.window &&
        context.windows.length === context.window - count(walked, 'reportWindowClosed'),
    ],
    [
      'the window is only held when the service is notReady in a window and the config says so',
      (walked, snapshot) =>
        walked.at(-1)?.effects.includes('send dependants-1-1 window.hold') !== true ||
        (isIn(snapshot, 'endpoint.notReady') && snapshot.context.whileNotReady === 'hold'),
    ],
    [
      'in the state holding the window was held',
      (walked, snapshot) =>
        !isIn(snapshot, 'endpoint.notReady.holding') || count(walked, 'send dependants-1-1 window.hold') > 0,
    ],
    [
      'a service that leaves the config has no child when it has ended',
      (_, { context, status }) => status !== 'done' || context.windows.length === 0,
    ],
  ],
  dependants: [
    ['the pods are watched while watching, and only then', holds('podWatch', 'dependants.open.pods.watching')],
    ['outcomes are awaited while closing, and only then', holds('pendingOutcomes', 'dependants.closing')],
    [
      'a child that is held or closes withdraws the deletions that it requested',
      (walked) =>
        walked.every(
          ({ effects }) =>
            !effects.some((each) => each === 'spawn pendingOutcomes' || each === 'stop podWatch') ||
            effects.includes('withdrawDeletions') ||
            effects.includes('reportPodWatchFailed'),
        ),
    ],
    [
      'the end of its time is announced, and no other end is',
      (walked) =>
        walked.every(
          ({ event, effects }) =>
            effects.includes('send undefined window.expired') ===
            (effects.includes('withdrawDeletions') && /^(xstate\.after\.watchDuration|config)/.test(event)),
        ),
    ],
  ],
  reflector: [
    [
      'a stream is open unless it is backing off',
      (walked, snapshot) => open(walked, 'stream') === !isIn(snapshot, 'reflector.backingOff'),
    ],
    [
      'the stream counts as synced as soon as its list is complete',
      (walked) => count(walked, 'reportSynced') === walked.filter(({ event }) => event === 'stream.synced').length,
    ],
  ],
  lease: [
    [
      'leadership is reported exactly once, after a response to a write',
      (walked, snapshot) =>
        count(walked, 'reportAcquired') === (isIn(snapshot, /^(lease\.leading|leading)$/) ? 1 : 0) ||
        (count(walked, 'reportAcquired') === 1 && isIn(snapshot, /releas|lost/)),
    ],
    ['the loss is reported exactly once when leadership is lost', decidesOnce('reportLost', 'lost')],
    ['a replica that has lost or released leadership may not act', endsTerm],
    ['the Lease is watched while standing by, and only then', holds('leaseWatch', 'lease.candidate.standingBy')],
    ['the Lease is read while its state is unknown, and only then', holds('leaseRead', /\.checking$|^reading$/)],
    ['at most one write is in flight', holds('leaseWrite', /\.(acquiring|renewing|writing)$/)],
  ],
  manager: [
    [
      'no controller starts before this replica leads',
      (walked) => count(walked, 'startSynced') === 0 || walked.some(({ event }) => event === 'leadership.acquired'),
    ],
    [
      'a synced stream may start a controller',
      (walked) => count(walked, 'startSynced') > 0 || !walked.some(({ event }) => event === 'reflector.synced'),
    ],
    [
      'the Lease is released once nothing is in flight, and only if it was not lost',
      (walked) =>
        walked.every(
          ({ event, effects }) =>
            !effects.includes('send leadership release.requested') ||
            event === 'requests.drained' ||
            event === 'shutdown.requested',
        ),
    ],
    ['controllers are stopped at most once', (walked) => count(walked, 'stopControllers') <= 1],
    ['requests are waited for while draining, and only then', holds('drain', 'manager.draining')],
    [
      'no stream is left when it has stopped',
      (walked, { status }) => status !== 'done' || !(open(walked, 'pods') || open(walked, 'leadership')),
    ],
  ],
};

for (const [name, entries] of Object.entries(rules)) {
  for (const [sentence, isSo] of entries) {
    test(`on every simple path of ${name}: ${sentence}`, () => {
      const beginnings = walkedPaths.get(name) ?? [];
      assert.ok(beginnings.length > 3);
      const broken = beginnings.find((walked) => !isSo(walked, lastOf(walked)));
      assert.equal(broken?.map(({ event, effects }) => [event, ...effects].join(' | ')).join('\n'), undefined);
    });
  }
}

function walkSimplePaths(machine: AnyStateMachine, exploration: Exploration) {
  const paths = pathsOf(machine, exploration, 'simple');
  return { walkedOnes: walkAll(machine, paths), pathCount: paths.length };
}

/** A replica that has led and no longer leads has ended its leadership term. */
function endsTerm(walked: Walked, snapshot: AnyMachineSnapshot): boolean {
  const hasLed = count(walked, 'reportAcquired') === 1;
  return !hasLed || isIn(snapshot, 'leading') || count(walked, 'endTerm') > 0;
}

/** An invoked actor runs exactly while this state is active. */
function holds(actor: string, state: string | RegExp): Rule[1] {
  return (walked, snapshot) => open(walked, actor) === isIn(snapshot, state);
}

/** The effect is decided on once on the way into this final state, and not otherwise. */
function decidesOnce(effect: string, state: string): Rule[1] {
  return (walked, snapshot) => {
    const wasThere = walked.some((step) => isIn(step.snapshot, state)) || isIn(snapshot, state);
    return count(walked, effect) === (wasThere ? 1 : 0);
  };
}

function open(walked: Walked, actor: string): boolean {
  const started = count(walked, new RegExp(`^spawn ${actor}( \\d+)?$`));
  return started - count(walked, `stop ${actor}`) === 1;
}

function count(walked: Walked, effect: string | RegExp): number {
  const walkedEffects = walked.flatMap(({ effects }) => effects);
  return walkedEffects.filter((each) => (typeof effect === 'string' ? each === effect : effect.test(each))).length;
}

function isIn(snapshot: AnyMachineSnapshot, state: string | RegExp): boolean {
  return activeStates(snapshot).some((each) => (typeof state === 'string' ? each === state : state.test(each)));
}

function isBackOff(effects: readonly string[]): boolean {
  return effects.includes('reportFailed') && effects.some((each) => each.startsWith('wait '));
}

function lastOf(walked: Walked): AnyMachineSnapshot {
  const last = walked.at(-1);
  assert.ok(last !== undefined);
  return last.snapshot;
}

function hasGuard({ guard }: { readonly guard?: unknown }): boolean {
  return guard !== undefined;
}
