import { simulatedClock } from '@weeder/embedded-cluster';
import { clusterAccess } from '@weeder/kube-runtime/access';
import type { Clock } from '@weeder/kube-runtime/base';
import { createKubeClient, type KubeClient } from '@weeder/kube-runtime/client';
import type { Logger } from '../base/log.ts';
import { userAgent } from '../base/userAgent.ts';
import type { WeederEvent } from '../weeder/deletions/weederEvents.ts';
import { createWeederController } from '../weeder/weederController.ts';
import type { Downtime } from './downtime.ts';
import type { ScenarioEvent } from './events.ts';
import { configText } from './objects.ts';
import { type Scenario, type ScenarioOptions, startScenario } from './scenario.ts';
import type { Viewer } from './viewer.ts';
import { createWeederProcess } from './weederProcess.ts';

interface DemoOptions extends ScenarioOptions {
  /** The clock of the cluster and of weeder. */
  readonly clock: Clock;
  readonly logger: Logger;
  /** Shows weeder on the live page. */
  readonly viewer?: Viewer;
  /** Called with every event from the beginning; `time` is milliseconds since the outage began. */
  readonly onEvent: (time: number, event: ScenarioEvent | WeederEvent) => void;
  /** Called when the scenario begins. */
  readonly onBegin: (scenario: Scenario) => void;
  /** Called with the outcome. weeder and the cluster run until the promise resolves. */
  readonly onEnd: (outcome: DemoOutcome) => Promise<void>;
}

interface DemoOutcome {
  readonly isBack: boolean;
  readonly downtimes: readonly Downtime[];
}

/** Plays the outage with the real weeder and the embedded API server, over HTTP and in accelerated time. */
export async function playWithWeeder(options: DemoOptions): Promise<void> {
  const { clock, logger, viewer } = options;
  const onEvent = (event: ScenarioEvent | WeederEvent) => {
    const time = scenario.time();
    if (time !== undefined) options.onEvent(time, event);
  };
  const scenario = startScenario(clock, options, onEvent);
  const listening = await scenario.server.listen();
  await until(clock, scenario.isReady);
  const client = clientTo(listening.url, clock);
  const report = (event: WeederEvent) => {
    onEvent(event);
    viewer?.report('weeder', event);
  };
  const weeder = createWeederProcess({
    ...viewer,
    client,
    clock,
    logger,
    config: configText,
    create: (context) => ({ weeder: createWeederController({ ...context, concurrentDeletions: 32, report }) }),
    onStarted: (manager) => viewer?.watch(manager),
  });
  await weeder.start();
  await viewer?.isReady();
  scenario.begin();
  options.onBegin(scenario);
  const isBack = await scenario.ended;
  await options.onEnd({ isBack, downtimes: scenario.downtimes() });
  await weeder.stop();
  await client.close();
  scenario.stop();
  await listening.close();
}

/** Plays the same outage without weeder, in simulated time. */
export async function playWithoutWeeder(options: ScenarioOptions): Promise<readonly Downtime[]> {
  const clock = simulatedClock(Date.now());
  const scenario = startScenario(clock, options);
  await clock.run(scenario.isReady);
  scenario.begin();
  await clock.run(scenario.isOver);
  scenario.stop();
  return scenario.downtimes();
}

async function until(clock: Clock, condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise<void>((resolve) => void clock.setTimeout(resolve, 50));
}

/** A client of an embedded API server. */
export function clientTo(server: string, clock: Clock): KubeClient {
  const choice = { source: 'demo', context: 'demo', namespace: undefined, cluster: { server }, user: {} };
  const access = clusterAccess(choice);
  if (!access.ok) throw new Error(access.error.message);
  return createKubeClient({ userAgent, access: access.value, clock });
}
