import { simulatedClock } from '@weeder/embedded-cluster';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { clusterAccess } from '../kube/access/clusterAccess.ts';
import { createKubeClient } from '../kube/client/client.ts';
import type { Manager, ManagerOptions } from '../process/manager.ts';
import type { ReportWeeder, WeederEvent } from '../weeder/deletions/weederEvents.ts';
import type { Downtime } from './downtime.ts';
import type { ScenarioEvent } from './events.ts';
import { type Scenario, type ScenarioOptions, startScenario } from './scenario.ts';
import { startWeeder } from './startWeeder.ts';

interface DemoOptions extends ScenarioOptions {
  /** In its time the outage takes its course. */
  readonly clock: Clock;
  readonly logger: Logger;
  /** Shows the weeder to whoever looks. */
  readonly viewer?: DemoViewer;
  /** Told of everything from the beginning on; `time` is milliseconds since etcd went away. */
  readonly onEvent: (time: number, event: ScenarioEvent | WeederEvent) => void;
  /** Told that the scenario begins. */
  readonly onBegin: (scenario: Scenario) => void;
  /** Told how it ended; weeder and its cluster stay for as long as this takes. */
  readonly onEnd: (outcome: DemoOutcome) => Promise<void>;
}

/** Looks at the weeder while it works. */
export interface DemoViewer extends Pick<ManagerOptions, 'inspect' | 'reportProcess'> {
  readonly report: ReportWeeder;
  watch(controller: Manager): void;
  /** The outage begins after that. */
  readonly isReady: () => Promise<void>;
}

interface DemoOutcome {
  readonly isBack: boolean;
  readonly downtimes: readonly Downtime[];
}

/** Plays the outage with the real weeder, which talks to the embedded API server over HTTP; time runs fast. */
export async function playWithWeeder(options: DemoOptions): Promise<void> {
  const { clock, logger, viewer } = options;
  const onEvent = (event: ScenarioEvent | WeederEvent) => {
    const time = scenario.time();
    if (time !== undefined) options.onEvent(time, event);
  };
  const scenario = startScenario(clock, options, onEvent);
  const listening = await scenario.server.listen();
  await until(clock, scenario.isReady);
  const client = createKubeClient({ access: accessTo(listening.url), clock });
  const report = (event: WeederEvent) => {
    onEvent(event);
    viewer?.report(event);
  };
  const controller = startWeeder({ client, clock, logger, namespaces: 'all', ...viewer, report });
  viewer?.watch(controller);
  await until(clock, () => controller.state() === 'running');
  await viewer?.isReady();
  scenario.begin();
  options.onBegin(scenario);
  const isBack = await scenario.ended;
  await options.onEnd({ isBack, downtimes: scenario.downtimes() });
  controller.shutdown();
  await controller.stopped;
  await client.close();
  scenario.stop();
  await listening.close();
}

/** The same outage with nobody to help, in simulated time that takes no time. */
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

/** The way to an embedded API server. */
export function accessTo(server: string) {
  const choice = { source: 'demo', context: 'demo', namespace: undefined, cluster: { server }, user: {} };
  const access = clusterAccess(choice);
  if (!access.ok) throw new Error(access.error.message);
  return access.value;
}
