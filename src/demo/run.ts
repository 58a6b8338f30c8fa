import type { Clock } from '../clock.ts';
import { createKubeClient } from '../kube/client.ts';
import { clusterAccess } from '../kube/clusterAccess.ts';
import type { Logger } from '../log.ts';
import type { WeederFact } from '../weeder/facts.ts';
import type { Downtime } from './downtime.ts';
import type { ScenarioFact } from './facts.ts';
import { scaledClock } from './scaledClock.ts';
import { type Scenario, type ScenarioOptions, startScenario } from './scenario.ts';
import { skippingClock } from './skippingClock.ts';
import { startWeeding } from './weeding.ts';

export interface DemoOptions extends ScenarioOptions {
  readonly speed: number;
  readonly logger: Logger;
  /** Told of everything from the beginning on; `time` is milliseconds since etcd went away. */
  readonly onFact: (time: number, fact: ScenarioFact | WeederFact) => void;
  /** Told that the scenario begins. */
  readonly onBegin: (scenario: Scenario) => void;
}

export interface DemoOutcome {
  readonly isBack: boolean;
  readonly downtimes: readonly Downtime[];
}

/** Plays the outage with the real weeder, which talks to the embedded API server over HTTP; time runs fast. */
export async function playWithWeeder(options: DemoOptions): Promise<DemoOutcome> {
  const clock = scaledClock(options.speed);
  const onFact = (fact: ScenarioFact | WeederFact) => {
    const time = scenario.time();
    if (time !== undefined) options.onFact(time, fact);
  };
  const scenario = startScenario(clock, options, onFact);
  const listening = await scenario.server.listen();
  await until(clock, scenario.isReady);
  const client = createKubeClient({ access: accessTo(listening.url), clock });
  const controller = startWeeding({ client, clock, logger: options.logger, namespaces: 'all', report: onFact });
  await until(clock, () => controller.state() === 'running');
  scenario.begin();
  options.onBegin(scenario);
  const isBack = await scenario.ended;
  const downtimes = scenario.downtimes();
  controller.shutdown();
  await controller.stopped;
  await client.close();
  scenario.stop();
  await listening.close();
  return { isBack, downtimes };
}

/** The same outage with nobody to help, in simulated time that takes no time. */
export async function playWithoutWeeder(options: ScenarioOptions): Promise<readonly Downtime[]> {
  const clock = skippingClock(Date.now());
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

function accessTo(server: string) {
  const choice = { source: 'demo', context: 'demo', namespace: undefined, cluster: { server }, user: {} };
  const access = clusterAccess(choice);
  if (!access.ok) throw new Error(access.problem.sentence);
  return access.value;
}
