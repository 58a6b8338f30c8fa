import { type Clock, systemClock } from '@weeder/kube-runtime/base';
import { createActorTimes } from '../../../src/actors/actorTimes.ts';
import type { Shown as ShownControllers } from '../../../src/controllers/controllers.ts';
import { createLivePage, type LivePage } from '../../../src/ui/livePage.ts';
import type { PageSource } from '../../../src/ui/pageSource.ts';
import { type ServedPage, serveLivePage } from '../../../src/ui/serve.ts';
import { backOff } from '../objects/objects.ts';
import type { SimulationOptions } from '../world/simulation.ts';
import { type World, world } from '../world/world.ts';

/** What the page shows of these controllers. */
export function shownOf(controllers: Partial<ShownControllers>): PageSource['shown'] {
  return (of) => controllers[of];
}

/** The live page of a world in simulated time, served on a free port. */
export interface Shown extends AsyncDisposable {
  readonly at: World;
  readonly live: LivePage;
  readonly served: ServedPage;
  readonly broken: readonly unknown[];
}

export const startTime = Date.UTC(2026, 0, 1, 12);

/** `pace`: determines when the pages are updated; default: real time. */
interface ShownOptions extends Omit<SimulationOptions, 'inspect'> {
  readonly pace?: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
}

export async function shown(
  { pace = systemClock, ...options }: ShownOptions = {},
  before: (world: World) => void = () => {},
  host = '127.0.0.1',
): Promise<Shown> {
  let early: World | undefined;
  const now = () => early?.clock.now() ?? startTime;
  const times = createActorTimes({ now });
  const broken: unknown[] = [];
  const onBroken = (error: unknown) => broken.push(error);
  const live = createLivePage({ clock: { now }, pace, onBroken });
  const inspect: SimulationOptions['inspect'] = (event) => {
    times.inspect(event);
    live.inspect(event);
  };
  const at = world({ ...options, startTime, inspect, report: (event) => live.report('weeder', event) }, (world) => {
    early = world;
    before(world);
  });
  const { weeder } = at;
  live.watch({
    actors: () => weeder.actors(),
    since: times.since,
    shown: shownOf({ weeder }),
  });
  const served = await serveLivePage({ host, port: 0 }, { live, onBroken, onRefused: onBroken });
  if (!served.ok) throw new Error(served.error.message);
  return { at, live, served: served.value, broken, [Symbol.asyncDispose]: () => served.value.close() };
}

/** A service that goes down on request, with one pod that crash-loops and one that is skipped. */
export function down(options: ShownOptions = {}): Promise<Shown> {
  return shown({ service: { onStart: 'never' }, ...options }, (before) => {
    before.slice({ ready: [true] });
    before.put({ containers: [backOff(4)] });
    before.put({ name: 'bare', isBare: true, containers: [backOff(4)] });
  });
}
