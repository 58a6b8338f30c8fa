import { type Clock, systemClock } from '@weeder/kube-runtime/base';
import { virtualClock } from '@weeder/kube-runtime/testing';
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
export interface Shown<At = World> extends AsyncDisposable {
  readonly at: At;
  readonly live: LivePage;
  readonly served: ServedPage;
  readonly broken: readonly unknown[];
}

export const startTime = Date.UTC(2026, 0, 1, 12);

interface PageOptions {
  /** Determines when the pages are updated; default: real time. */
  readonly pace?: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
  readonly host?: string;
}

/** Serves the page of the world that `create` makes, whose events and actors go to it. */
export async function shownWorld<At>(
  clock: Clock,
  create: (to: Pick<LivePage, 'report' | 'inspect'>) => At | Promise<At>,
  controllersOf: (at: At) => Partial<ShownControllers>,
  { pace = systemClock, host = '127.0.0.1' }: PageOptions = {},
): Promise<Shown<At>> {
  const times = createActorTimes(clock);
  const broken: unknown[] = [];
  const onBroken = (error: unknown) => broken.push(error);
  const live = createLivePage({ clock, pace, onBroken });
  const inspect: LivePage['inspect'] = (event) => {
    times.inspect(event);
    live.inspect(event);
  };
  const at = await create({ report: live.report, inspect });
  const controllers = controllersOf(at);
  live.watch({
    actors: () => Object.values(controllers).flatMap((each) => [...each.actors()]),
    since: times.since,
    shown: shownOf(controllers),
  });
  const served = await serveLivePage({ host, port: 0 }, { live, onBroken, onRefused: onBroken });
  if (!served.ok) throw new Error(served.error.message);
  return { at, live, served: served.value, broken, [Symbol.asyncDispose]: () => served.value.close() };
}

interface ShownOptions extends Omit<SimulationOptions, 'inspect'>, Pick<PageOptions, 'pace'> {}

export function shown(
  { pace, ...options }: ShownOptions = {},
  before: (world: World) => void = () => {},
  host = '127.0.0.1',
): Promise<Shown> {
  const clock = virtualClock(startTime);
  return shownWorld(
    clock,
    ({ report, inspect }) => world({ ...options, clock, inspect, report: (event) => report('weeder', event) }, before),
    ({ weeder }) => ({ weeder }),
    { host, ...(pace === undefined ? {} : { pace }) },
  );
}

/** A service that goes down on request, with one pod that crash-loops and one that is skipped. */
export function down(options: ShownOptions = {}): Promise<Shown> {
  return shown({ service: { onStart: 'never' }, ...options }, (before) => {
    before.slice({ ready: [true] });
    before.put({ containers: [backOff(4)] });
    before.put({ name: 'bare', isBare: true, containers: [backOff(4)] });
  });
}
