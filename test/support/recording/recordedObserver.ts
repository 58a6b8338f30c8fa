import { everythingAllowed } from '../../../src/config/schema/allowedResources.ts';
import { defaultObserver } from '../../../src/config/schema/observer.ts';
import type { CreateObserverCore } from '../../../src/observer/observerCore.ts';
import { recordingObserver } from '../../../src/observer/recording/recordObserver.ts';
import { openRecorder } from '../../../src/recording/recorder.ts';
import { type ObserverWorld, observerWorld } from '../world/observerWorld.ts';
import { recordingOf } from './recording.ts';

interface RecordedObserverOptions {
  readonly limit?: number;
  readonly oldFiles?: number;
  /** Default: always 0.5. */
  readonly random?: () => number;
}

/** Records what the application observer does into a file, while this happens to its world. */
export async function recordObserved(
  file: string,
  happen: (world: ObserverWorld) => Promise<void>,
  { random, ...limits }: RecordedObserverOptions = {},
): Promise<ObserverWorld> {
  const base = recordingOf(file);
  const config = {
    services: new Map(),
    restart: undefined,
    observer: { ...defaultObserver, allow: everythingAllowed, trialPeriod: 600_000 },
  };
  const opened = await openRecorder({ ...base, ...limits, config });
  if (!opened.ok) throw new Error(opened.error.message);
  const recorder = opened.value;
  const recording = recordingObserver(recorder.of('observer'));
  const create: CreateObserverCore = (options) => recording(random === undefined ? options : { ...options, random });
  const world = await observerWorld({ clock: base.clock, create });
  await happen(world);
  world.stop();
  await recorder.close();
  return world;
}
