import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertMeets } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { lineOf, type TimelineLine } from '../support/replay/replayTimeline.ts';
import {
  bareNumber,
  playStep,
  type ServiceSettings,
  type StoryStep,
  settingsFor,
  stepsWith,
  storyStage,
} from '../support/story/reloadStory.ts';

/** Since when the window of each service is open by the rules, and whether the service is ready. */
interface Model {
  readonly began: Map<string, number>;
  readonly ready: Map<string, boolean>;
  settings: ServiceSettings;
}

function updateModel(model: Model, step: StoryStep, now: number): void {
  if (step.type === 'slice') {
    const wasReady = model.ready.get(step.service) === true;
    model.ready.set(step.service, step.ready);
    if (step.ready && !wasReady && step.service in model.settings) model.began.set(step.service, now);
  }
  if (step.type !== 'config') return;
  // It is unknown since when these services are ready: a new one gets a full window.
  for (const name of Object.keys(step.settings)) {
    if (!(name in model.settings) && model.ready.get(name) === true) model.began.set(name, now);
  }
  for (const name of Object.keys(model.settings)) if (!(name in step.settings)) model.began.delete(name);
  model.settings = step.settings;
}

/** Whether the config in effect requires the deletion of this pod at this time. */
function isAllowed({ began, ready, settings }: Model, pod: string, now: number): boolean {
  const [app = '', number = ''] = pod.split('-');
  return Object.entries(settings).some(([service, setting]) => {
    const since = began.get(service);
    const isOpen = since !== undefined && now <= since + setting.seconds * 1000;
    const isReleased = ready.get(service) === true || setting.whileNotReady === 'delete';
    const mayDelete = Number(number) !== bareNumber || setting.barePods === 'delete';
    return isOpen && isReleased && mayDelete && setting.selects.includes(app);
  });
}

const podOf = ({ sentence }: TimelineLine) => /^DELETE shoot-1\/(\S+)$/.exec(sentence)?.[1];

const anyConfig = settingsFor(['a', 'b', 'c']).filter((settings) => Object.keys(settings).length > 0);

test('after any config changes, only pods are deleted whose deletion the config in effect requires', () =>
  assertMeets({ deletions: 100 }, 300, (met) =>
    fc.asyncProperty(anyConfig, stepsWith(anyConfig), async (first, steps) => {
      const stage = storyStage(first);
      const model: Model = { began: new Map(), ready: new Map(), settings: first };
      for (const step of steps) {
        const seen = stage.timeline.length;
        updateModel(model, step, stage.clock.monotonic());
        await playStep(stage, step);
        for (const line of stage.timeline.slice(seen)) {
          const pod = podOf(line);
          if (pod === undefined) continue;
          met.deletions += 1;
          assert.ok(isAllowed(model, pod, line.at), `${lineOf(line)}\n${stage.timeline.map(lineOf).join('\n')}`);
        }
      }
      await stage.clock.pass(20 * 60_000);
      assert.deepEqual(stage.leftOver(), []);
      assert.ok(stage.timeline.every(({ sentence }) => !sentence.startsWith('broke')));
    }),
  ));

test('a config that removes two services starts no deletion that only waited for one of them', async () => {
  const setting = { seconds: 30, selects: ['a'], barePods: 'keep', whileNotReady: 'hold' } as const;
  const stage = storyStage({ b: setting, c: setting });
  const steps: readonly StoryStep[] = [
    { type: 'slice', service: 'c', ready: true },
    { type: 'slice', service: 'c', ready: false },
    { type: 'slice', service: 'b', ready: true },
    { type: 'pod', app: 'a', number: 0, crashes: true },
    { type: 'config', settings: { a: { ...setting, selects: ['c'] } } },
  ];
  for (const step of steps) await playStep(stage, step);
  await stage.clock.pass(60_000);
  const lines = stage.timeline.map(lineOf);
  assert.ok(lines.some((line) => line.includes('pending (dependencyNotReady)')));
  assert.deepEqual(
    lines.filter((line) => line.includes('DELETE')),
    [],
  );
});

test('a service without a change has the same timeline with and without changes of other services', async () => {
  const a: ServiceSettings = {
    a: { seconds: 60, selects: ['a'], barePods: 'keep', whileNotReady: 'hold' },
  };
  const others = settingsFor(['b', 'c']).map((settings) => ({
    ...Object.fromEntries(
      Object.entries(settings).map(([name, setting]) => [name, { ...setting, selects: [name] }] as const),
    ),
    ...a,
  }));
  await assertMeets({ lines: 100 }, 200, (met) =>
    fc.asyncProperty(stepsWith(others), async (steps) => {
      const [changing, unchanged] = [storyStage(a), storyStage(a)];
      for (const step of steps) {
        await playStep(changing, step);
        await playStep(unchanged, step.type === 'config' ? { type: 'pause', ms: 0 } : step);
      }
      const ofA = (timeline: readonly TimelineLine[]) =>
        timeline.map(lineOf).filter((line) => /shoot-1\/a(-\d)?( |$)/.test(line));
      for (const stage of [changing, unchanged]) await stage.clock.pass(20 * 60_000);
      assert.deepEqual(ofA(changing.timeline), ofA(unchanged.timeline));
      met.lines += ofA(unchanged.timeline).length;
    }),
  );
});
