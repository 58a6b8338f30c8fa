import { systemClock } from '@weeder/kube-runtime/base';
import type { InspectionEvent } from 'xstate';
import { createActorTimes } from '../../../src/actors/actorTimes.ts';
import { createLivePage, type LivePage } from '../../../src/ui/livePage.ts';
import { type ServedPage, serveLivePage } from '../../../src/ui/serve.ts';
import { shownOf } from '../page/servedPage.ts';
import type { World } from '../world/world.ts';
import { contest, createApplications } from './applications.ts';
import { breakServices, createServices } from './services.ts';
import { beginRollout, breakWorkloads, createWorkloads } from './workloads.ts';

/** The live page of a cluster in which something of each kind is wrong, in simulated time that does not pass by itself. */
export interface OutageScene extends AsyncDisposable {
  readonly services: World;
  readonly live: LivePage;
  readonly served: ServedPage;
}

const startTime = Date.UTC(2026, 10, 21, 14);

export async function outageScene(port = 0): Promise<OutageScene> {
  let now = () => startTime;
  const times = createActorTimes({ now: () => now() });
  const onBroken = (error: unknown) => {
    throw error;
  };
  const live = createLivePage({ clock: { now: () => now() }, pace: systemClock, speed: 0, onBroken });
  const inspect = (event: InspectionEvent) => {
    times.inspect(event);
    live.inspect(event);
  };
  const services = createServices({ inspect, startTime, report: (event) => live.report('weeder', event) });
  const { clock, weeder } = services;
  now = () => clock.now();
  const restarts = await createWorkloads(clock, { inspect, onEvent: (event) => live.report('restart', event) });
  const observer = await createApplications(clock, { inspect, onEvent: (event) => live.report('observer', event) });
  await breakWorkloads(restarts);
  await breakServices(services);
  await contest(observer);
  await beginRollout(restarts);
  const { control } = restarts;
  const { core } = observer;
  live.watch({
    actors: () => [...weeder.actors(), ...control.actors(), ...core.actors()],
    since: times.since,
    shown: shownOf({ weeder, restart: control, observer: core }),
  });
  const served = await serveLivePage({ host: '127.0.0.1', port }, { live, onBroken, onRefused: onBroken });
  if (!served.ok) throw new Error(served.error.message);
  return { services, live, served: served.value, [Symbol.asyncDispose]: served.value.close };
}
