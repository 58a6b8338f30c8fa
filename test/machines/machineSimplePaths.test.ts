import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { machineFiles } from '../support/docs/sketch.ts';
import { activeStates, spawnedChildren, statesOf } from '../support/oracle/exploration.ts';
import { explorations, type PathStep, pathsOf, walk } from '../support/oracle/machineExplorations.ts';

type Walked = readonly PathStep[];

const walkedPaths = new Map<string, readonly Walked[]>();

for (const { name, machines } of machineFiles()) {
  const machine: AnyStateMachine | undefined = machines[0];
  const exploration = explorations[name];
  if (machine === undefined || exploration === undefined) continue;
  const paths = pathsOf(machine, exploration, 'simple').map((path) => walk(machine, path));
  walkedPaths.set(name, paths);

  test(`the ${paths.length} simple paths of ${name} reach every state, and leave none with an error`, () => {
    const snapshots = paths.flat().map(({ snapshot }) => snapshot);
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

/** What holds after each step of each simple path: a sentence, and whether it is so. */
type Rule = readonly [sentence: string, isSo: (walked: Walked, snapshot: AnyMachineSnapshot) => boolean];

const afterAnswer: Readonly<Record<string, string>> = {
  'delete.accepted': 'deleted',
  'delete.notFound': 'gone',
  'delete.rejected': 'abandoned',
  'delete.conflicted': 'conflicted',
  'delete.refused': 'backingOff',
};

const rules: Readonly<Record<string, readonly Rule[]>> = {
  podDeletion: [
    ['a place in the queue is held while attempting, and only then', holds('semaphoreSlot', 'podDeletion.attempting')],
    ['a DELETE is on its way while deleting, and only then', holds('deletePod', 'podDeletion.attempting.deleting')],
    ['deleted is told exactly once it is deleted', tells('reportDeleted', 'podDeletion.deleted')],
    ['recovered is told exactly once it recovered', tells('reportRecovered', 'podDeletion.recovered')],
    ['given up is told exactly once it is abandoned', tells('reportAbandoned', 'podDeletion.abandoned')],
    [
      'the answer to a DELETE decides where it ends',
      (walked, snapshot) => {
        const state = afterAnswer[walked.at(-1)?.event ?? ''];
        return state === undefined || isIn(snapshot, `podDeletion.${state}`);
      },
    ],
    [
      'nobody gets a DELETE without a turn',
      (walked) => count(walked, 'spawn deletePod') === walked.filter(({ event }) => event === 'slot.granted').length,
    ],
    [
      'each refusal is told, and waits',
      (walked) => walked.every(({ event, effects }) => event !== 'delete.refused' || isBackOff(effects)),
    ],
    [
      'a protected pod is neither queued nor deleted',
      (walked, { context }) => context.protection === 'none' || count(walked, 'spawn semaphoreSlot') === 0,
    ],
  ],
  workload: [
    ['it is assessed while assessing, and only then', holds('assess', 'workload.assessing')],
    ['it has, or waits for, a place exactly while it is restarting', holds('restartSlot', 'workload.restarting')],
    ['the pods are looked at while proving, and only then', holds('verifyPods', 'workload.restarting.verifying')],
    ['a restart is on its way while patching, and only then', holds('restart', 'workload.restarting.patching')],
    ['a rollout is followed while it rolls or stands still', holds('followRollout', /\.(rolling|stopped)$/)],
    ['its state is written while recording or leaving', holds('writeState', /\.(writingState|releasing)$/)],
    [
      'nobody is restarted without a proof',
      (walked) => count(walked, 'spawn restart') === walked.filter(({ event }) => event === 'verified.outdated').length,
    ],
    [
      'each restart that is accepted is told',
      (walked) =>
        count(walked, 'reportRestarted') === walked.filter(({ event }) => event === 'restart.accepted').length,
    ],
  ],
  application: [
    ['an observer runs while observing, and only then', holds('observer', 'application.observing')],
    ['resources are applied while applying, and only then', holds('applyResources', 'application.applying')],
    ['and deleted while deleting', holds('deleteResources', 'application.deleting.attempting')],
    [
      'after an observer nothing is applied or deleted before its requests were drained',
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
    ['a correction is under way while correcting, and only then', holds('correct', 'resource.correcting')],
    ['it is made while creating, and only then', holds('create', 'resource.creating')],
    [
      'what is only to be told is not written',
      (walked, { context }) =>
        context.mayCorrect ||
        !(/^(write)/.test(walked.at(-1)?.event ?? '') && walked.at(-1)?.effects.includes('spawn correct')),
    ],
  ],
  endpoint: [
    [
      'since when is asked while resolving the time of a recovery, and only then',
      holds('readySince', /\.resolvingRecoveryTime$/),
    ],
    [
      'a window is open exactly while it has children',
      (_, snapshot) => snapshot.hasTag('windowOpen') === spawnedChildren(snapshot).length > 0,
    ],
    [
      'as many windows were opened as were closed, are open or were replaced',
      (walked, { context }) => count(walked, 'reportWindowOpened') === context.window,
    ],
    [
      'each window that is opened has a child that starts',
      (walked) => count(walked, 'reportWindowOpened') === count(walked, /^spawn dependants-\d+-0 \d+$/),
    ],
    [
      'the children are told to hold only when the service is down in a window, and the config wants it',
      (walked, snapshot) =>
        walked.at(-1)?.effects.includes('tell dependants-1-0 window.hold') !== true ||
        (isIn(snapshot, 'endpoint.notReady') && snapshot.context.whileNotReady === 'hold'),
    ],
    [
      'whoever holds was told to',
      (walked, snapshot) => !isIn(snapshot, 'endpoint.notReady.holding') || count(walked, /window\.hold$/) > 0,
    ],
  ],
  dependants: [
    [
      'the pods are watched exactly while the window is open and the watch is whole',
      holds('podWatch', 'dependants.watching.pods.watching'),
    ],
    [
      'deletions are withdrawn exactly once when held',
      tells('withdrawDeletions', 'dependants.watching.deletions.held'),
    ],
    [
      'no deletion is requested in a window that holds',
      (walked, snapshot) =>
        walked.at(-1)?.effects.includes('requestDeletion') !== true ||
        isIn(snapshot, 'dependants.watching.deletions.released'),
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
      'leading is announced exactly once, by an answer to a write',
      (walked, snapshot) =>
        count(walked, 'reportAcquired') === (isIn(snapshot, /^(lease\.leading|leading)$/) ? 1 : 0) ||
        (count(walked, 'reportAcquired') === 1 && isIn(snapshot, /releas|lost/)),
    ],
    ['lost is told exactly once it is lost', tells('reportLost', 'lost')],
    ['nobody acts who has lost it or gives it back', dropsTenure],
    ['the Lease is watched while standing by, and only then', holds('leaseWatch', 'lease.candidate.standingBy')],
    ['it is read while it is not known, and only then', holds('leaseRead', /\.checking$|^reading$/)],
    ['one write at a time is on its way', holds('leaseWrite', /\.(acquiring|renewing|writing)$/)],
  ],
  manager: [
    [
      'no controller starts before this replica leads',
      (walked) => count(walked, 'startSynced') === 0 || walked.some(({ event }) => event === 'leadership.acquired'),
    ],
    [
      'a stream that is synced may start a controller',
      (walked) => count(walked, 'startSynced') > 0 || !walked.some(({ event }) => event === 'reflector.synced'),
    ],
    [
      'the Lease is given back once nothing is in flight, and only if it was not lost',
      (walked) =>
        walked.every(
          ({ event, effects }) =>
            !effects.includes('tell leadership release.requested') ||
            event === 'requests.drained' ||
            event === 'shutdown.requested',
        ),
    ],
    ['what is stopped was started', (walked) => count(walked, 'stopControllers') <= 1],
    ['requests are waited for while draining, and only then', holds('drain', 'manager.draining')],
    [
      'nothing is left of the streams when it has stopped',
      (walked, { status }) => status !== 'done' || !(open(walked, 'pods') || open(walked, 'leadership')),
    ],
  ],
};

for (const [name, entries] of Object.entries(rules)) {
  for (const [sentence, isSo] of entries) {
    test(`on every simple path of ${name}: ${sentence}`, () => {
      const prefixes = (walkedPaths.get(name) ?? []).flatMap((path) =>
        path.map((_, index) => path.slice(0, index + 1)),
      );
      assert.ok(prefixes.length > 4);
      const broken = prefixes.find((walked) => !isSo(walked, lastOf(walked)));
      assert.equal(broken?.map(({ event, effects }) => [event, ...effects].join(' | ')).join('\n'), undefined);
    });
  }
}

/** Whoever led and does not any more has dropped the right to act. */
function dropsTenure(walked: Walked, snapshot: AnyMachineSnapshot): boolean {
  const hasLed = count(walked, 'reportAcquired') === 1;
  return !hasLed || isIn(snapshot, 'leading') || count(walked, 'dropTenure') > 0;
}

/** An invoked actor runs exactly while this state is active. */
function holds(actor: string, state: string | RegExp): Rule[1] {
  return (walked, snapshot) => open(walked, actor) === isIn(snapshot, state);
}

/** This is told once on the way into this final state, and on no other way. */
function tells(effect: string, state: string): Rule[1] {
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
  const all = walked.flatMap(({ effects }) => effects);
  return all.filter((each) => (typeof effect === 'string' ? each === effect : effect.test(each))).length;
}

function isIn(snapshot: AnyMachineSnapshot, state: string | RegExp): boolean {
  return activeStates(snapshot).some((each) => (typeof state === 'string' ? each === state : state.test(each)));
}

function isBackOff(effects: readonly string[]): boolean {
  return effects.includes('reportRefused') && effects.some((each) => each.startsWith('wait '));
}

function lastOf(walked: Walked): AnyMachineSnapshot {
  const last = walked.at(-1);
  assert.ok(last !== undefined);
  return last.snapshot;
}

function hasGuard({ guard }: { readonly guard?: unknown }): boolean {
  return guard !== undefined;
}
