import fc from 'fast-check';
import { resolveConfig } from '../../../src/config/config.ts';
import type { Replay } from '../replay/replayFile.ts';
import { replayFormat } from '../replay/replayFormat.ts';
import { type ReplayStage, replayStage } from '../replay/replayStage.ts';

/** The settings of a story's service in a config; the service `x` selects the pods `x-0` and `x-1`, and maybe `y-0`. */
export interface ServiceSetting {
  readonly seconds: 30 | 60 | 120;
  readonly selects: readonly string[];
  readonly barePods: 'keep' | 'delete';
  readonly whileNotReady: 'hold' | 'delete';
}

export type ServiceSettings = Readonly<Record<string, ServiceSetting>>;

export type StoryStep =
  | { readonly type: 'config'; readonly settings: ServiceSettings }
  | { readonly type: 'slice'; readonly service: string; readonly ready: boolean }
  | { readonly type: 'pod'; readonly app: string; readonly number: number; readonly crashes: boolean }
  | { readonly type: 'answers'; readonly refuses: boolean }
  | { readonly type: 'pause'; readonly ms: number };

const setting: fc.Arbitrary<ServiceSetting> = fc.record({
  seconds: fc.constantFrom(30, 60, 120),
  selects: fc.subarray(['a', 'b', 'c'], { minLength: 1 }),
  barePods: fc.constantFrom('keep', 'delete'),
  whileNotReady: fc.constantFrom('hold', 'delete'),
});

/** Configs over these services, each included or not. */
export function settingsFor(services: readonly string[]): fc.Arbitrary<ServiceSettings> {
  const entries = services.map((name) => [name, fc.option(setting, { nil: undefined })] as const);
  return fc
    .record(Object.fromEntries(entries))
    .map((all) => Object.fromEntries(Object.entries(all).flatMap(([name, given]) => (given ? [[name, given]] : []))));
}

/** The possible steps of a story with these configs. */
export function stepsWith(configs: fc.Arbitrary<ServiceSettings>): fc.Arbitrary<StoryStep[]> {
  const name = fc.constantFrom('a', 'b', 'c');
  const step: fc.Arbitrary<StoryStep> = fc.oneof(
    { weight: 2, arbitrary: configs.map((settings) => ({ type: 'config' as const, settings })) },
    { weight: 4, arbitrary: fc.record({ type: fc.constant('slice'), service: name, ready: fc.boolean() }) },
    {
      weight: 5,
      arbitrary: fc.record({
        type: fc.constant('pod'),
        app: name,
        number: fc.nat(2),
        crashes: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('answers'), refuses: fc.boolean() }) },
    {
      weight: 4,
      arbitrary: fc.record({ type: fc.constant('pause'), ms: fc.constantFrom(1, 50, 400, 5000, 29_000, 61_000) }),
    },
  );
  return fc.array(step, { minLength: 5, maxLength: 60 });
}

function fileOf(settings: ServiceSettings): object {
  const entries = Object.entries(settings).map(([name, { seconds, selects, barePods, whileNotReady }]) => [
    name,
    {
      watchDuration: `${seconds}s`,
      barePods,
      whileNotReady,
      podSelectors: selects.map((app) => ({ matchLabels: { app } })),
    },
  ]);
  return { servicesAndDependantSelectors: Object.fromEntries(entries) };
}

/** A stage on which a story is played, with a running weeder. */
export function storyStage(first: ServiceSettings): ReplayStage {
  const script = replayFormat.parse({ title: 'a story', config: fileOf(first), expected: [] });
  const replay: Replay = {
    ...script,
    resolved: resolveConfig(script.config),
    recorded: [],
    where: '',
    whereStep: [],
    whereLine: [],
    whereEnd: '',
  };
  const stage = replayStage(replay, Date.UTC(2026, 0, 1), () => {});
  stage.startWeeder();
  return stage;
}

/** The third pod of each app has no controller. */
export const bareNumber = 2;

export async function playStep(stage: ReplayStage, step: StoryStep): Promise<void> {
  const happen = (raw: object) => {
    const { steps } = replayFormat.parse({
      title: '',
      config: fileOf({ any: { seconds: 30, selects: ['a'], barePods: 'keep', whileNotReady: 'hold' } }),
      steps: [{ at: '0s', ...raw }],
      expected: [],
    });
    for (const step of steps) stage.happen(step, 'story');
  };
  if (step.type === 'config') happen({ config: fileOf(step.settings) });
  if (step.type === 'slice') happen({ slice: { service: step.service, ready: [step.ready] } });
  if (step.type === 'answers') happen({ answer: { status: step.refuses ? 503 : 200, times: 'always' } });
  if (step.type === 'pod') {
    const { app, number, crashes } = step;
    const is = crashes ? 'CrashLoopBackOff' : 'running';
    happen({ pod: { name: `${app}-${number}`, labels: { app }, is, bare: number === bareNumber } });
  }
  await stage.clock.pass(step.type === 'pause' ? step.ms : 0);
}
