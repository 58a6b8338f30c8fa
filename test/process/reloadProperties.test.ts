import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { enough, propertyRuns } from '../support/propertyRuns.ts';
import { lineOf, type TimelineLine } from '../support/replay/replayTimeline.ts';
import {
  bareNumber,
  playStep,
  type StoryStep,
  stepsWith,
  storyStage,
  type Wishes,
  wishesFor,
} from '../support/story/reloadStory.ts';

/** Since when the window of each service is open by the rules, and whether the service is ready. */
interface Model {
  readonly began: Map<string, number>;
  readonly ready: Map<string, boolean>;
  wishes: Wishes;
}

function learn(model: Model, step: StoryStep, now: number): void {
  if (step.is === 'slice') {
    const wasReady = model.ready.get(step.service) === true;
    model.ready.set(step.service, step.ready);
    if (step.ready && !wasReady && step.service in model.wishes) model.began.set(step.service, now);
  }
  if (step.is !== 'config') return;
  // Nothing shows since when these services are ready: a new one gets a full window.
  for (const name of Object.keys(step.wishes)) {
    if (!(name in model.wishes) && model.ready.get(name) === true) model.began.set(name, now);
  }
  for (const name of Object.keys(model.wishes)) if (!(name in step.wishes)) model.began.delete(name);
  model.wishes = step.wishes;
}

/** Whether the config in effect calls for the deletion of this pod at this moment. */
function isAllowed({ began, ready, wishes }: Model, pod: string, now: number): boolean {
  const [app = '', number = ''] = pod.split('-');
  return Object.entries(wishes).some(([service, wish]) => {
    const since = began.get(service);
    const isOpen = since !== undefined && now <= since + wish.seconds * 1000;
    const isReleased = ready.get(service) === true || wish.whileNotReady === 'delete';
    const mayDelete = Number(number) !== bareNumber || wish.barePods === 'delete';
    return isOpen && isReleased && mayDelete && wish.selects.includes(app);
  });
}

const podOf = ({ sentence }: TimelineLine) => /^DELETE shoot-1\/(\S+)$/.exec(sentence)?.[1];

const anyConfig = wishesFor(['a', 'b', 'c']).filter((wishes) => Object.keys(wishes).length > 0);

test('however the config changes, only pods are deleted whose deletion the config in effect calls for', async () => {
  let deletions = 0;
  await fc.assert(
    fc.asyncProperty(anyConfig, stepsWith(anyConfig), async (first, steps) => {
      const stage = storyStage(first);
      const model: Model = { began: new Map(), ready: new Map(), wishes: first };
      for (const step of steps) {
        const seen = stage.timeline.length;
        learn(model, step, stage.clock.monotonic());
        await playStep(stage, step);
        for (const line of stage.timeline.slice(seen)) {
          const pod = podOf(line);
          if (pod === undefined) continue;
          deletions += 1;
          assert.ok(isAllowed(model, pod, line.at), `${lineOf(line)}\n${stage.timeline.map(lineOf).join('\n')}`);
        }
      }
      await stage.clock.pass(20 * 60_000);
      assert.deepEqual(stage.leftOver(), []);
      assert.ok(stage.timeline.every(({ sentence }) => !sentence.startsWith('broke')));
    }),
    propertyRuns(300),
  );
  assert.ok(deletions > enough(100), `only ${deletions} deletions`);
});

test('a service that no change concerns has the same timeline with and without the changes', async () => {
  const a: Wishes = {
    a: { seconds: 60, selects: ['a'], barePods: 'keep', whileNotReady: 'hold' },
  };
  const others = wishesFor(['b', 'c']).map((wishes) => ({
    ...Object.fromEntries(Object.entries(wishes).map(([name, wish]) => [name, { ...wish, selects: [name] }] as const)),
    ...a,
  }));
  let lines = 0;
  await fc.assert(
    fc.asyncProperty(stepsWith(others), async (steps) => {
      const [changing, unchanged] = [storyStage(a), storyStage(a)];
      for (const step of steps) {
        await playStep(changing, step);
        await playStep(unchanged, step.is === 'config' ? { is: 'pause', ms: 0 } : step);
      }
      const ofA = (timeline: readonly TimelineLine[]) =>
        timeline.map(lineOf).filter((line) => /shoot-1\/a(-\d)?( |$)/.test(line));
      for (const stage of [changing, unchanged]) await stage.clock.pass(20 * 60_000);
      assert.deepEqual(ofA(changing.timeline), ofA(unchanged.timeline));
      lines += ofA(unchanged.timeline).length;
    }),
    propertyRuns(200),
  );
  assert.ok(lines > enough(100), `only ${lines} lines`);
});
