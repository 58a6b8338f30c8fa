import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { seededRandom } from '@weeder/embedded-cluster';
import { assertMeets, passing, settled, type VirtualClock } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import type { Config } from '../../src/config/config.ts';
import { everythingAllowed } from '../../src/config/schema/allowedResources.ts';
import { defaultObserver } from '../../src/config/schema/observer.ts';
import { recordingObserver } from '../../src/observer/recording/recordObserver.ts';
import { openRecorder, type Recorder } from '../../src/recording/recorder.ts';
import { recordingRestart } from '../../src/restart/recording/recordRestart.ts';
import { folder } from '../support/cli.ts';
import { backOff, pod, running, slice } from '../support/objects/objects.ts';
import { restartConfig } from '../support/objects/restartSettings.ts';
import { configOf, readLines, recordedWeeder, recordingOf } from '../support/recording/recording.ts';
import { playRecording } from '../support/replay/replayAgain.ts';
import { configMap as manifest, observerWorld } from '../support/world/observerWorld.ts';
import { configMap, restartWorld, withEnv } from '../support/world/restartWorld.ts';
import { weederOptions } from '../support/world/weederOptions.ts';

const change = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant('source' as const),
      name: fc.constantFrom('one', 'two'),
      value: fc.constantFrom('1', '1', '1', '2'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('application' as const),
      name: fc.nat(2),
      value: fc.constantFrom('1', '2'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('edit' as const), name: fc.nat(2), value: fc.constantFrom('1', '2') }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('account' as const), isMissing: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('slice' as const), isReady: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('pod' as const), nr: fc.nat(2), isCrashing: fc.boolean() }) },
);
/** Milliseconds until the next change; 0: both come in the same turn of the event loop. */
const pause = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 5, arbitrary: fc.double({ min: 0.001, max: 2, noNaN: true }) },
  { weight: 1, arbitrary: fc.integer({ min: 100, max: 20_000 }) },
);
const story = fc.record({
  seed: fc.nat(),
  /** The account of all applications is missing at first. */
  isMissing: fc.boolean(),
  steps: fc.array(fc.record({ change, pause }), { minLength: 20, maxLength: 120 }),
});
type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;
type Change = Story['steps'][number]['change'];

/** A clock by which everything takes time, so that each turn of the event loop has its own. */
function ticking(clock: VirtualClock): VirtualClock {
  return {
    ...clock,
    monotonic() {
      clock.suspend(0.002);
      return clock.monotonic();
    },
    get nextDue() {
      return clock.nextDue;
    },
    get pending() {
      return clock.pending;
    },
  };
}

/** The weeder, and the streams that deliver to it. Requests take their time, and some are refused. */
function startWeeder(recorder: Recorder, config: Config, clock: VirtualClock, random: () => number) {
  const afterAWhile = <T>(value: T) =>
    new Promise<T>((resolve) => clock.setTimeout(() => resolve(value), random() * 2));
  const accepted = { type: 'delete.accepted' } as const;
  const refused = { type: 'delete.failed', reason: '429', retryAfter: 0 } as const;
  const weeder = recordedWeeder(
    recorder,
    weederOptions(config, clock, {
      random,
      readySince: () => afterAWhile(undefined),
      deletePod: () => afterAWhile(random() < 0.3 ? refused : accepted),
    }),
  );
  const [slices, pods] = [...weeder.needs.values()].map(({ sink }) => sink);
  for (const sink of [slices, pods]) {
    sink?.begin();
    sink?.end();
  }
  weeder.start();
  return { weeder, slices, pods };
}

/** Records all three controllers, while this happens to their clusters. */
async function record(file: string, { seed, isMissing, steps }: Story): Promise<void> {
  const random = seededRandom(seed);
  const base = recordingOf(file);
  const clock = ticking(base.clock);
  const observer = { ...defaultObserver, allow: everythingAllowed, trialPeriod: 600_000 };
  const config = { ...configOf(), restart: restartConfig(), observer };
  const opened = await openRecorder({ ...base, clock, config });
  assert.ok(opened.ok);
  const recorder = opened.value;
  const { weeder, slices, pods } = startWeeder(recorder, config, clock, random);
  const restarts = await restartWorld(config.restart, {
    clock,
    createRestart: (options) => recordingRestart(recorder.of('restart'))({ ...options, random }),
  });
  const applications = await observerWorld({
    clock,
    create: (options) => recordingObserver(recorder.of('observer'))({ ...options, random }),
  });
  restarts.answerTime = 0.3;
  applications.requestTime = 0.4;
  if (isMissing) applications.missingAccounts.add('shop/deployer');
  let writes = 0;

  const happen: { readonly [W in Change['what']]: (its: Extract<Change, { readonly what: W }>) => void } = {
    source({ name, value }) {
      writes += 1;
      const metadata = { annotations: { nr: String(writes) } };
      restarts.putSource(configMap(name), { a: value }, { metadata });
    },
    application({ name, value }) {
      const spec = { serviceAccountName: 'deployer', manifests: [manifest(`settings-${name}`, value)] };
      applications.apply(`app-${name}`, spec);
    },
    edit({ name, value }) {
      const text = `ConfigMap/settings-${name}`;
      if (applications.object(text) !== undefined) applications.edit(text, { data: { key: value } });
    },
    account(change) {
      if (change.isMissing) applications.missingAccounts.add('shop/deployer');
      else applications.missingAccounts.clear();
    },
    slice: ({ isReady }) => slices?.apply('MODIFIED', slice({ ready: [isReady] })),
    pod: ({ nr, isCrashing }) =>
      pods?.apply('MODIFIED', pod({ name: `kapi-${nr}`, containers: [isCrashing ? backOff(4) : running(4)] })),
  };
  const apply = <W extends Change['what']>(what: W, its: Extract<Change, { readonly what: W }>) => happen[what](its);

  /** Answers take only the time that they are given here. */
  const pass = (ms: number) => passing(clock, ms, idle);

  async function idle(): Promise<void> {
    await restarts.pass(0);
    await applications.pass(0);
  }

  for (const name of ['one', 'two']) {
    restarts.putSource(configMap(name), { a: '1' });
    restarts.putWorkload(`web-${name}`, withEnv(name, 'a'));
  }
  await pass(10_000);
  for (const { change, pause: then } of steps) {
    apply(change.what, change);
    if (then > 0) await pass(then);
    if (random() >= 0.2) continue;
    // The process is busy after a turn of the event loop: timers are late. Changes of one turn are not apart.
    await settled();
    clock.suspend(random() * 40);
  }
  await pass(300_000);
  weeder.stop();
  restarts.stop();
  applications.stop();
  await recorder.close();
}

test('a replay repeats all decisions, whatever comes in bursts', async () => {
  let runs = 0;
  await assertMeets({ weeder: 300, restart: 300, observer: 300 }, 100, (met) =>
    fc.asyncProperty(story, async (story) => {
      const file = join(folder, `burst-${++runs}.jsonl`);
      await record(file, story);
      assert.deepEqual(await playRecording(file), []);
      const decisions = readLines(file).filter(({ out }) => out !== undefined);
      for (const name of ['weeder', 'restart', 'observer'] as const)
        met[name] += decisions.filter((each) => each['of'] === name).length;
    }),
  );
});
