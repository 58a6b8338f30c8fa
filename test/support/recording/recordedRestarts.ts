import type { RestartConfig } from '../../../src/config/restart.ts';
import { openRecorder } from '../../../src/recording/recorder.ts';
import { recordingRestart } from '../../../src/restart/recording/recordRestart.ts';
import { restartConfig } from '../objects/restartSettings.ts';
import { type RestartWorld, restartWorld } from '../world/restartWorld.ts';
import { recordingOf } from './recording.ts';

export interface RecordedRestartsOptions {
  readonly config?: RestartConfig;
  readonly limit?: number;
  readonly oldFiles?: number;
}

/** Records what restart control does into a file, while this happens to its world. */
export async function recordRestarts(
  file: string,
  happen: (world: RestartWorld) => Promise<void>,
  { config = restartConfig(), ...limits }: RecordedRestartsOptions = {},
): Promise<RestartWorld> {
  const base = recordingOf(file);
  const opened = await openRecorder({ ...base, ...limits, config: { services: new Map(), restart: config } });
  if (!opened.ok) throw new Error(opened.error.message);
  const recorder = opened.value;
  const { clock } = base;
  const world = await restartWorld(config, { clock, createRestart: recordingRestart(recorder.of('restart')) });
  await happen(world);
  world.stop();
  await recorder.close();
  return world;
}
